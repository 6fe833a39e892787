"""A marked text with what the work on it asks for, worked out once."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from commonplace.core.critic.listing import Group, groups
from commonplace.core.critic.marks import Marked, parse
from commonplace.core.critic.views import Role, Run, View, accepted_view, runs


@dataclass(frozen=True, slots=True)
class Page:
    """One text: its marks, its groups of marks, its accepted view."""

    marked: Marked
    groups: list[Group]
    accepted: View
    trailers: dict[int, int]
    """Comments and ends of highlights, which belong to the text before them: start to end."""

    @property
    def text(self) -> str:
        """The marked text."""
        return self.marked.text

    def raw(self, group: Group) -> str:
        """Return a group's characters."""
        return self.text[group.start : group.end]

    def base_between(self, start: int, end: int) -> str:
        """Return the base text of a stretch."""
        kept = (Role.PLAIN, Role.OLD)
        found = self.runs_between(start, end)
        return "".join(self.text[run.start : run.end] for run in found if run.role in kept)

    def touched(self, start: int, end: int) -> list[Group]:
        """Return the groups that `[start:end]` reaches into, or that a bare place lies inside."""
        first = bisect_right(self.groups, start, key=lambda group: group.end)
        return self.groups[first : bisect_left(self.groups, end, key=lambda group: group.start)]

    def runs_between(self, start: int, end: int) -> list[Run]:
        """Return the runs inside `[start:end]`, cut off at its ends."""
        return runs(self.marked, start, end)


def read(text: str) -> Page:
    """Work out a page."""
    marked = parse(text)
    trailers = {mark.start: mark.end for mark in marked.comments}
    trailers |= {mark.tail: mark.end for mark in marked.highlights}
    return Page(marked, groups(marked), accepted_view(marked), trailers)
