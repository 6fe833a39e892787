"""The stretch of marked text that must be written anew for a change in the accepted view."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from commonplace.core.critic.match import Match
from commonplace.core.critic.page import MarkedText
from commonplace.core.critic.suggestions import Group
from commonplace.core.critic.views import between
from commonplace.core.text.edits import Edit, apply

_Stretch = tuple[int, int]
_Change = tuple[Edit, _Stretch]
"""An edit of the accepted view, and its place in the marked text."""
_Sides = tuple[str, str]
"""What a stretch says if it is rejected, and if it is accepted."""


@dataclass(frozen=True, slots=True)
class Region:
    """`[start:end]` of the marked text: whole suggestions, whole code blocks.

    It says `base`, and shall say `accepted` once the changes are made: each an edit of the accepted
    view, and its place in the marked text. One that is `whole` holds code blocks, or was widened to
    lines: nothing of it is left out.
    """

    start: int
    end: int
    changes: list[_Change]
    touched: list[Group]
    whole: bool
    base: str
    accepted: str


def regions(page: MarkedText, matches: list[Match], *, apart: bool, by_lines: bool) -> list[Region]:
    """Return the regions of all changes, in order; those that overlap become one.

    A code block is taken with the newlines around it if it shall stand `apart`; `by_lines` takes
    whole lines, and the code blocks next to them.
    """
    found: list[tuple[int, int, list[_Change]]] = []
    for match in matches:
        change = (match.edit, _place(page, match))
        restoring = None if by_lines else _restoring(page, match, change)
        start, end = restoring or _widened(page, change[1], by_lines=by_lines)
        if not restoring:
            start, end = _with_whole_words(page, start, end, change)
        if apart and not restoring:
            start, end = _set_apart(page, start, end)
        changes = [change]
        while found and start < found[-1][1]:
            before = found.pop()
            start, end = min(start, before[0]), max(end, before[1])
            changes = before[2] + changes
        found.append((start, end, changes))
    return [_region(page, *stretch, whole=by_lines) for stretch in found]


def _restoring(page: MarkedText, match: Match, change: _Change) -> _Stretch | None:
    """Return the stretch, if there is one, that says its base text again after the change.

    It is looked for in all that the call named and in the part that changes, each with or without
    the deletions at its ends, which have no width in the accepted view.
    """
    named = _named(page, match, change[1])
    if not page.touched(*_with_gaps(page, *named)):
        return None
    stretches: dict[_Stretch, None] = {}
    for one in (named, change[1]):
        start, end = _widened(page, one, by_lines=False)
        left, right = _with_gaps(page, start, end)
        stretches |= dict.fromkeys(((left, right), (left, end), (start, right), (start, end)))
    for stretch in stretches:
        region = _region(page, *stretch, [change], whole=False)
        if region.base == region.accepted:
            return stretch
    return None


def _named(page: MarkedText, match: Match, place: _Stretch) -> _Stretch:
    if match.start == match.end:
        return place
    start, end = page.accepted.marked(match.start), page.accepted.marked(match.end - 1) + 1
    return min(start, place[0]), max(end, place[1])


def _with_gaps(page: MarkedText, start: int, end: int) -> _Stretch:
    """Widen a stretch to the next visible character on each side, or to its suggestion."""
    view = page.accepted
    before, after = view.position(start), view.position(end)
    left, right = 0, len(page.text)
    if before > 0:
        left = view.marked(before - 1) + 1
        left = max([left, *(group.end for group in page.touched(left - 1, left))])
    if after < len(view.text):
        right = view.marked(after)
        right = min([right, *(group.start for group in page.touched(right, right + 1))])
    return min(start, left), max(end, right)


def _place(page: MarkedText, match: Match) -> _Stretch:
    """Return where a change of the accepted view stands in the marked text."""
    edit = match.edit
    if edit.start < edit.end:
        return page.accepted.marked(edit.start), page.accepted.marked(edit.end - 1) + 1
    if not page.accepted.text:
        return 0, len(page.text)
    at = _inside(page, match)
    at = page.behind(edit.start) if at is None else at
    return at, at


def _inside(page: MarkedText, match: Match) -> int | None:
    """Return a place inside pending text that the call named, where it continues that text."""
    at = match.edit.start
    if match.start < at <= match.end and page.is_new(before := page.accepted.marked(at - 1)):
        return before + 1
    if at < match.end and page.is_new(after := page.accepted.marked(at)):
        return after
    return None


def _region(
    page: MarkedText, start: int, end: int, changes: list[_Change], *, whole: bool
) -> Region:
    first, last = page.accepted.position(start), page.accepted.position(end)
    moved = [Edit(edit.start - first, edit.end - first, edit.text) for edit, _ in changes]
    return Region(
        start,
        end,
        changes,
        touched=page.touched(start, end),
        whole=whole or bool(_fences(page, start, end, by_lines=False)),
        base=page.base_between(start, end),
        accepted=apply(page.accepted.text[first:last], moved),
    )


def _widened(page: MarkedText, stretch: _Stretch, *, by_lines: bool) -> _Stretch:
    """Widen a stretch until it cuts no suggestion and no code block in two."""
    start, end = _whole_lines(page.text, *stretch) if by_lines else stretch
    while True:
        spans = _spans(page, start, end, by_lines=by_lines)
        wide = min([start, *(a for a, _ in spans)]), max([end, *(b for _, b in spans)])
        if wide == (start, end):
            return wide
        start, end = wide


def _with_whole_words(page: MarkedText, start: int, end: int, change: _Change) -> _Stretch:
    """Take in a suggestion beside a stretch if the change makes, or unmakes, a word with it.

    Decided by themselves, two parts of one word could leave a word that nobody wrote.
    """
    left, right = page.abutting(start, end)
    if left is None and right is None:
        return start, end
    edit, view = change[0], page.accepted
    region = _region(page, start, end, [change], whole=False)
    inside = (region.base, region.accepted)
    if left and view.position(start) == edit.start and _share_word(_sides(page, left), inside):
        start = left.start
    if right and view.position(end) == edit.end and _share_word(inside, _sides(page, right)):
        end = right.end
    return start, end


def _sides(page: MarkedText, group: Group) -> _Sides:
    view = page.accepted
    first, last = view.position(group.start), view.position(group.end)
    return page.base_between(group.start, group.end), view.text[first:last]


def _share_word(before: _Sides, after: _Sides) -> bool:
    ends = any(text[-1:].isalnum() for text in before)
    return ends and any(text[:1].isalnum() for text in after)


def _set_apart(page: MarkedText, start: int, end: int) -> _Stretch:
    """Take in the newlines around code, so that its fences still begin lines in the file."""
    text, fences = page.text, _fences(page, start, end, by_lines=False)
    if fences and fences[0][0] == start > 0 and _begins_line(text, start):
        start -= 1
    if fences and fences[-1][1] == end and text.startswith("\n", end):
        end += _begins_line(text, fences[-1][0])
    return start, end


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _spans(page: MarkedText, start: int, end: int, *, by_lines: bool) -> list[_Stretch]:
    spans = [(group.start, group.end) for group in page.touched(start, end)]
    spans += _fences(page, start, end, by_lines=by_lines)
    if by_lines:
        cut = (mark for at in (start, end) for mark in between(page.marked.comments, at, at))
        spans += [(mark.start, mark.end) for mark in cut]
    return spans


def _fences(page: MarkedText, start: int, end: int, *, by_lines: bool) -> list[_Stretch]:
    """Return the code blocks that the stretch reaches into, or by lines, touches."""
    fences, slack = page.marked.fences, int(by_lines)
    first = bisect_right(fences, start - slack, key=lambda fence: fence[1])
    last = bisect_left(fences, end + slack, key=lambda fence: fence[0])
    return fences[first:last]


def _whole_lines(text: str, start: int, end: int) -> _Stretch:
    stop = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, stop if stop >= 0 else len(text)
