"""A marked text with what the work on it asks for, worked out once; which suggestion is which.

An id changes when equal suggestions come or go (see `suggestions`), so whoever remembers something
by id asks `carried` and `ended` what became of it. Ids are worked out for those alone that may have
got another: a long note has thousands.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.core.critic.marks import Mark, Marked
from commonplace.core.critic.parse import parse
from commonplace.core.critic.suggestions import Group, Suggestion, groups, identified, listed, named
from commonplace.core.critic.views import (
    Role,
    Run,
    TextView,
    accepted_view,
    between,
    runs,
    text_between,
)
from commonplace.core.text.edits import Edit

MarkPlace = tuple[str, int, int]
"""A suggestion's id, start and end."""

EndedSuggestion = tuple[Suggestion, str | None]
"""A suggestion that is no longer what it was, and the id of the one in its place."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """One text: its marks, its groups of marks, its accepted view."""

    marked: Marked
    groups: list[Group]
    raws: list[str]
    """The characters of each group."""
    trailers: dict[int, int]
    """Comments and ends of highlights, which belong to the text before them: start to end."""

    @property
    def accepted(self) -> TextView:
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

    def is_new(self, place: int) -> bool:
        """Tell whether a character is pending text."""
        return self._new(place) is not None

    def is_continued(self, place: int, author: str | None) -> bool:
        """Tell whether a character is pending text that the author may go on with."""
        mark = self._new(place)
        return mark is not None and (mark.meta is None or {*mark.meta.authors} <= {author})

    def _new(self, place: int) -> Mark | None:
        mark = next(iter(between(self.marked.suggested, place, place + 1)), None)
        return mark if mark and mark.new[0] <= place < mark.new[1] else None

    def is_pending(self, start: int, end: int, author: str | None) -> bool:
        """Tell whether a stretch, or a character beside a bare place, is such text."""
        if start == end:
            return self.is_continued(start - 1, author) or self.is_continued(start, author)
        roles = [run.role for run in self.runs_between(start, end)]
        return roles == [Role.NEW] and self.is_continued(start, author)

    def touched(self, start: int, end: int) -> list[Group]:
        """Return the groups that `[start:end]` reaches into, or that a bare place lies inside."""
        return [self.groups[at] for at in self.reached(start, end)]

    def reached(self, start: int, end: int) -> range:
        """Tell where in their list these groups stand."""
        first = bisect_right(self.groups, start, key=lambda group: group.end)
        return range(first, bisect_left(self.groups, end, key=lambda group: group.start))

    def abutting(self, start: int, end: int) -> tuple[Group | None, Group | None]:
        """Return the groups that end right before a stretch, and begin right behind it.

        Comments and the ends of highlights may stand between.
        """
        touched = self.reached(start, end)
        before, after = touched.start - 1, touched.stop
        left = self.groups[before] if before >= 0 else None
        right = self.groups[after] if after < len(self.groups) else None
        if left and self._behind_trailers(left.end) < start:
            left = None
        if right and self._behind_trailers(end) < right.start:
            right = None
        return left, right

    def _behind_trailers(self, place: int) -> int:
        while place in self.trailers:
            place = self.trailers[place]
        return place

    def behind(self, position: int) -> int:
        """Return the place right behind the character before, its marks and its comments."""
        if position == 0:
            return 0
        last = self.accepted.marked(position - 1)
        end = max([last + 1, *(group.end for group in self.touched(last, last + 1))])
        if self.accepted.position(end) > position:
            return last + 1
        return self._behind_trailers(end)

    def runs_between(self, start: int, end: int) -> list[Run]:
        """Return the runs inside `[start:end]`, cut off at its ends."""
        return runs(self.marked, start, end)


def read(text: str) -> MarkedText:
    """Work out a page. What is returned is shared, and not to be changed."""
    marked = parse(text)
    return marked.keep(MarkedText, lambda: _page(marked))


def _page(marked: Marked) -> MarkedText:
    text = marked.text
    trailers = {mark.start: mark.end for mark in marked.comments}
    trailers |= {mark.tail: mark.end for mark in marked.highlights}
    found = groups(marked)
    return MarkedText(marked, found, [text[group.start : group.end] for group in found], trailers)


def places(text: str) -> list[MarkPlace]:
    """Return the id, start and end of each suggestion, at a fraction of the cost of listing them.

    What is returned is shared, and not to be changed.
    """
    if "{" not in text:
        return []
    page = read(text)
    return page.marked.keep(places, lambda: _places(page))


def _places(page: MarkedText) -> list[MarkPlace]:
    ids = identified(page.raws)
    return [(id, group.start, group.end) for id, group in zip(ids, page.groups, strict=True)]


def written(after: str, edits: Sequence[Edit]) -> list[str]:
    """Name the suggestions that edits wrote, in the text that they made."""
    page = read(after)
    found: set[int] = set()
    moved = 0
    for edit in edits:
        start = edit.start + moved
        found.update(page.reached(start, start + len(edit.text)))
        moved += len(edit.text) - (edit.end - edit.start)
    ids = named(page.raws, {page.raws[at] for at in found})
    return [ids[at] for at in sorted(found)]


def carried(before: str, after: str, edits: Sequence[Edit]) -> dict[str, str]:
    """Tell the new ids of suggestions that edits left alone, where they are others."""
    if "{" not in after:
        return {}
    then, now = read(before), read(after)
    pairs = _left_alone(then, now, edits)
    same = {one: other for one, other in pairs.items() if then.raws[one] == now.raws[other]}
    still = set(same.values())
    gone = {raw for at, raw in enumerate(then.raws) if at not in same}
    come = {raw for at, raw in enumerate(now.raws) if at not in still}
    # Of other characters the same ones stand there in the same order, so they keep their ids.
    old, new = named(then.raws, gone | come), named(now.raws, gone | come)
    return {old[at]: new[pairs[at]] for at in old if at in pairs and old[at] != new[pairs[at]]}


def ended(before: str, after: str, edits: Sequence[Edit]) -> list[EndedSuggestion]:
    """List the suggestions that edits have changed, each with the one that stands there now."""
    if "{" not in before:
        return []
    then, now = read(before), read(after)
    pairs = _left_alone(then, now, edits)
    same = {one for one, other in pairs.items() if then.raws[one] == now.raws[other]}
    spans = {at: span for at, span in _spans(then, edits).items() if at not in same}
    there = {at: now.reached(*span) for at, span in spans.items()}
    raws = {now.raws[other] for reached in there.values() for other in reached}
    ids = named(now.raws, raws)
    found = listed(then.marked) if spans else []
    return [
        (found[at], next((ids[other] for other in reached), None))
        for at, reached in sorted(there.items())
    ]


def _spans(then: MarkedText, edits: Sequence[Edit]) -> dict[int, tuple[int, int]]:
    """Tell where each suggestion, or what is left of it, stands now."""
    spans: dict[int, tuple[int, int]] = {}
    at = moved = 0
    end = len(then.text)
    for edit in [*edits, Edit(end, end, "")]:
        grown = len(edit.text) - (edit.end - edit.start)
        reached = then.reached(edit.start, edit.end)
        for one in range(at, reached.start):
            group = then.groups[one]
            spans.setdefault(one, (group.start + moved, group.end + moved))
        for one in reached:
            group = then.groups[one]
            start, _ = spans.get(one, (min(group.start, edit.start) + moved, 0))
            spans[one] = start, max(group.end, edit.end) + moved + grown
        at = max(at, reached.start)
        moved += grown
    return spans


def _left_alone(then: MarkedText, now: MarkedText, edits: Sequence[Edit]) -> dict[int, int]:
    """Pair the suggestions that no edit touched with those that begin in their places now."""
    places = {group.start: at for at, group in enumerate(now.groups)}
    pairs: dict[int, int] = {}
    at = moved = 0
    end = len(then.text)
    for edit in [*edits, Edit(end, end, "")]:
        touched = then.reached(edit.start, edit.end)
        for one in range(at, touched.start):
            other = places.get(then.groups[one].start + moved)
            if other is not None:
                pairs[one] = other
        at = touched.stop
        moved += len(edit.text) - (edit.end - edit.start)
    return pairs
