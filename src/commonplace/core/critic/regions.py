"""The stretch of marked text that must be written anew for a change in the accepted view."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace

from commonplace.core.critic.listing import Group
from commonplace.core.critic.pages import Page
from commonplace.core.critic.views import between
from commonplace.core.edits import Edit

_Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Region:
    """`[start:end]` of the marked text: whole suggestions, whole code blocks.

    The changes are in the accepted view. A region that is `whole` holds code blocks, or was
    widened to lines, and is written with nothing left out.
    """

    start: int
    end: int
    changes: tuple[Edit, ...]
    touched: tuple[Group, ...]
    whole: bool


def regions(page: Page, changes: list[Edit], *, by_lines: bool) -> list[Region]:
    """Return the regions of all changes, in order; those that overlap become one."""
    found: list[Region] = []
    for change in changes:
        region = _region(page, change, by_lines=by_lines)
        if found and region.start < found[-1].end:
            region = _joined(found.pop(), region)
        found.append(region)
    return found


def place(page: Page, change: Edit) -> _Stretch:
    """Return where a change of the accepted view stands in the marked text."""
    if change.start < change.end:
        return page.accepted.marked(change.start), page.accepted.marked(change.end - 1) + 1
    at = _insertion_place(page, change.start)
    return at, at


def _region(page: Page, change: Edit, *, by_lines: bool) -> Region:
    start, end = place(page, change)
    if by_lines:
        start, end = _whole_lines(page.text, start, end)
    while True:
        spans = _spans(page, start, end, by_lines=by_lines)
        wide = min([start, *(a for a, _ in spans)]), max([end, *(b for _, b in spans)])
        if wide == (start, end):
            break
        start, end = wide
    whole = by_lines or bool(_fences(page, start, end, by_lines=by_lines))
    return Region(start, end, (change,), tuple(page.touched(start, end)), whole)


def _joined(one: Region, other: Region) -> Region:
    touched = {group.start: group for group in (*one.touched, *other.touched)}
    return replace(
        one,
        end=max(one.end, other.end),
        changes=one.changes + other.changes,
        touched=tuple(touched.values()),
        whole=one.whole or other.whole,
    )


def _insertion_place(page: Page, position: int) -> int:
    """Return where text is inserted: right behind the character before, its marks and comments."""
    if position == 0:
        return 0
    last = page.accepted.marked(position - 1)
    end = max([last + 1, *(group.end for group in page.touched(last, last + 1))])
    if page.accepted.position(end) > position:
        return last + 1
    while end in page.trailers:
        end = page.trailers[end]
    return end


def _spans(page: Page, start: int, end: int, *, by_lines: bool) -> list[_Stretch]:
    spans = [(group.start, group.end) for group in page.touched(start, end)]
    spans += _fences(page, start, end, by_lines=by_lines)
    if by_lines:
        cut = (mark for at in (start, end) for mark in between(page.marked.comments, at, at))
        spans += [(mark.start, mark.end) for mark in cut]
    return spans


def _fences(page: Page, start: int, end: int, *, by_lines: bool) -> list[_Stretch]:
    """Return the code blocks that the stretch reaches into, or by lines, touches."""
    fences, slack = page.marked.fences, int(by_lines)
    first = bisect_right(fences, start - slack, key=lambda fence: fence[1])
    last = bisect_left(fences, end + slack, key=lambda fence: fence[0])
    return fences[first:last]


def _whole_lines(text: str, start: int, end: int) -> _Stretch:
    stop = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, stop if stop >= 0 else len(text)
