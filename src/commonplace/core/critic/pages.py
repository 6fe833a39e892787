"""A marked text with what the work on it asks for, worked out once."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

from commonplace.core.critic.listing import Group, groups, identified
from commonplace.core.critic.marks import Marked
from commonplace.core.critic.reading import parse
from commonplace.core.critic.views import (
    Role,
    Run,
    View,
    accepted_view,
    between,
    runs,
    text_between,
)


@dataclass(frozen=True, slots=True)
class Page:
    """One text: its marks, its groups of marks, its accepted view."""

    marked: Marked
    groups: list[Group]
    raws: list[str]
    """The characters of each group."""
    trailers: dict[int, int]
    """Comments and ends of highlights, which belong to the text before them: start to end."""

    @property
    def accepted(self) -> View:
        """The accepted view, made when it is asked for: a text that is only checked needs none."""
        return accepted_view(self.marked)

    @property
    def text(self) -> str:
        """The marked text."""
        return self.marked.text

    def base_between(self, start: int, end: int) -> str:
        """Return the base text of a stretch."""
        return text_between(self.marked, start, end, Role.OLD)

    def is_suggested(self, position: int) -> bool:
        """Tell whether a character of the accepted view is part of a suggestion."""
        place = self.accepted.marked(position)
        return bool(self.touched(place, place + 1))

    def is_new(self, place: int, author: str | None) -> bool:
        """Tell whether a character is pending text that the author may go on with."""
        mark = next(iter(between(self.marked.suggested, place, place + 1)), None)
        if mark is None or not mark.new[0] <= place < mark.new[1]:
            return False
        return mark.meta is None or mark.meta.author in (None, author)

    def is_pending(self, start: int, end: int, author: str | None) -> bool:
        """Tell whether a stretch, or a character beside a bare place, is such text."""
        if start == end:
            return self.is_new(start - 1, author) or self.is_new(start, author)
        roles = [run.role for run in self.runs_between(start, end)]
        return roles == [Role.NEW] and self.is_new(start, author)

    def touched(self, start: int, end: int) -> list[Group]:
        """Return the groups that `[start:end]` reaches into, or that a bare place lies inside."""
        return [self.groups[at] for at in self.reached(start, end)]

    def reached(self, start: int, end: int) -> range:
        """Tell where in their list these groups stand."""
        first = bisect_right(self.groups, start, key=lambda group: group.end)
        return range(first, bisect_left(self.groups, end, key=lambda group: group.start))

    def behind(self, position: int) -> int:
        """Return the place right behind the character before, its marks and its comments."""
        if position == 0:
            return 0
        last = self.accepted.marked(position - 1)
        end = max([last + 1, *(group.end for group in self.touched(last, last + 1))])
        if self.accepted.position(end) > position:
            return last + 1
        while end in self.trailers:
            end = self.trailers[end]
        return end

    def runs_between(self, start: int, end: int) -> list[Run]:
        """Return the runs inside `[start:end]`, cut off at its ends."""
        return runs(self.marked, start, end)


# What one call wrote and checked is what the next one begins with.
@lru_cache(maxsize=4)
def read(text: str) -> Page:
    """Work out a page. What is returned is shared, and not to be changed."""
    marked = parse(text)
    trailers = {mark.start: mark.end for mark in marked.comments}
    trailers |= {mark.tail: mark.end for mark in marked.highlights}
    found = groups(marked)
    return Page(marked, found, [text[group.start : group.end] for group in found], trailers)


@lru_cache(maxsize=4)
def places(text: str) -> list[tuple[str, int, int]]:
    """Tell the id, start and end of each suggestion, at a fraction of the cost of listing them.

    What is returned is shared, and not to be changed.
    """
    if "{" not in text:
        return []
    page = read(text)
    ids = identified(page.raws)
    return [(id, group.start, group.end) for id, group in zip(ids, page.groups, strict=True)]
