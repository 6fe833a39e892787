"""Reading again what was written: the laws, checked on each suggestion before it is returned.

Outside the regions that were written every mark must stand where it stood, so the views there are
what they were. Inside, the base text must be the same, the accepted text the one that was wanted,
all comments still there, and the markup one suggestion, or none where the base was restored.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from sys import maxsize

from commonplace.core.critic.marks import Mark, Marked
from commonplace.core.critic.page import MarkedText, read
from commonplace.core.critic.regions import Region
from commonplace.core.critic.suggestions import Group
from commonplace.core.critic.views import Role, between, text_between
from commonplace.core.text.edits import Edit

_Bounds = tuple[int, int, int, int]
"""Where a region began and ended, and where it begins and ends now."""
_END = (maxsize, maxsize, maxsize, maxsize)


def reads_as_meant(page: MarkedText, text: str, rows: list[tuple[Region, list[Edit]]]) -> bool:
    """Tell whether the text reads as if the regions' changes were made, and nothing else."""
    then = read(text)
    after = then.marked
    bounds = list(moved(rows))
    return (
        _same_outside(page.marked.suggested, after.suggested, bounds)
        and _same_outside(page.marked.comments, after.comments, bounds)
        and _same_outside(_edges(page.marked), _edges(after), bounds)
        and _one_each(page, then.groups, rows, bounds)
        and all(
            _same_inside(page, after, region, place)
            for (region, _), place in zip(rows, bounds, strict=True)
        )
    )


def moved(rows: list[tuple[Region, list[Edit]]]) -> Iterator[_Bounds]:
    """Tell where each region was and where it is once all edits are made."""
    shift = 0
    for region, edits in rows:
        start = region.start + shift
        shift += sum(len(edit.text) - (edit.end - edit.start) for edit in edits)
        yield region.start, region.end, start, region.end + shift


def _same_outside(before: list[Mark], after: list[Mark], bounds: list[_Bounds]) -> bool:
    """Compare the marks between regions, each with the shift that its place has."""
    left, new_left = 0, 0
    for start, end, new_start, new_end in [*bounds, _END]:
        one, other = between(before, left, start), between(after, new_left, new_start)
        shift = new_left - left
        if len(one) != len(other) or not all(
            a.kind is b.kind and a.start + shift == b.start and a.end + shift == b.end
            for a, b in zip(one, other, strict=True)
        ):
            return False
        left, new_left = end, new_end
    return True


def _edges(marked: Marked) -> list[Mark]:
    opening = [mark._replace(end=mark.body) for mark in marked.highlights]
    return sorted([*opening, *(mark._replace(start=mark.tail) for mark in marked.highlights)])


def _one_each(
    page: MarkedText,
    found: list[Group],
    rows: list[tuple[Region, list[Edit]]],
    bounds: list[_Bounds],
) -> bool:
    """Check that each region holds one suggestion, or none if its base text was restored."""
    made = 0
    for (region, _), (_, _, start, end) in zip(rows, bounds, strict=True):
        first = bisect_left(found, start, key=lambda group: group.start)
        inside = bisect_right(found, end, key=lambda group: group.end) - first
        if inside != (region.base != region.accepted):
            return False
        made += inside - len(region.touched)
    return len(found) == len(page.groups) + made


def _same_inside(page: MarkedText, after: Marked, region: Region, place: _Bounds) -> bool:
    return (
        text_between(after, *place[2:], Role.OLD) == region.base
        and text_between(after, *place[2:], Role.NEW) == region.accepted
        and _comments(after, *place[2:]) == _comments(page.marked, *place[:2])
    )


def _comments(marked: Marked, start: int, end: int) -> Counter[str]:
    found = between(marked.comments, start, end)
    return Counter(marked.text[mark.start : mark.end] for mark in found)
