"""A change of a text as people know it from `diff -u`: some lines, what goes, what comes.

The lines are those that `edits.diff` touches, so the cost has its bound. What a person has to
judge is never hidden: characters that cannot be seen are named, and what is cut off is counted. A
long line is folded where it does not change; what changes in it is shown.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from commonplace.core.text.edits import Edit, diff
from commonplace.core.text.invisible import visible

_CONTEXT_LINES = 2
_LINES_MAX = 120
LINE_CHARS_MAX = 400
CHANGED_CHARS_MAX = 4_000
_AROUND = 80


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines `[start:end]` of the old text become lines `[new_start:new_end]` of the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


class _DiffSide:
    """One of the two texts, in lines, and which stretches of it the other has not."""

    def __init__(self, text: str, changed: Sequence[tuple[int, int]]) -> None:
        self.lines = text.removesuffix("\n").split("\n") if text else []
        self._starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        self._changed = changed

    def shown(self, first: int, last: int) -> Iterator[str]:
        """Yield some lines as people see them."""
        for at in range(first, last):
            start, line = self._starts[at], self.lines[at]
            if len(line) <= LINE_CHARS_MAX:
                yield visible(line)
                continue
            low = bisect_left(self._changed, start, key=lambda each: each[1])
            high = bisect_right(self._changed, start + len(line), key=lambda each: each[0])
            parts = [(a - start, b - start) for a, b in self._changed[low:high]]
            yield _folded(line, parts)


def unified(old: str, new: str, *, lines_max: int = _LINES_MAX) -> str:
    """Return the difference of two texts, at most so many lines of it."""
    edits = diff(old, new)
    before = _DiffSide(old, [(edit.start, edit.end) for edit in edits])
    after = _DiffSide(new, list(_written(edits)))
    shown = [
        line
        for group in _grouped(list(_hunks(old, edits)))
        for line in _printed(group, before, after)
    ]
    if old != new and all(line[0] in "@ " for line in shown):
        shown = ["(only the line end at the end of the text differs)"]
    more = len(shown) - lines_max
    return "\n".join(shown if more <= 0 else [*shown[:lines_max], f"… and {more} more lines"])


def _written(edits: Sequence[Edit]) -> Iterator[tuple[int, int]]:
    """Tell where the texts of edits stand once all are made."""
    moved = 0
    for edit in edits:
        start = edit.start + moved
        yield start, start + len(edit.text)
        moved += len(edit.text) - (edit.end - edit.start)


def _hunks(old: str, edits: Sequence[Edit]) -> Iterator[_Hunk]:
    """Widen each edit to the lines that it touches; those that meet become one."""
    low = high = new_low = new_high = -1
    grown = line = counted = new_line = 0
    for edit in edits:
        line += old.count("\n", counted, edit.start)
        last = line + old.count("\n", edit.start, edit.end)
        new_line = line + grown
        new_last = new_line + edit.text.count("\n")
        grown += (new_last - new_line) - (last - line)
        if line > high:
            if high >= 0:
                yield _Hunk(low, high + 1, new_low, new_high + 1)
            low, new_low = line, new_line
        high, new_high = last, new_last
        line, counted = last, edit.end
    if high >= 0:
        yield _Hunk(low, high + 1, new_low, new_high + 1)


def _grouped(hunks: list[_Hunk]) -> Iterator[list[_Hunk]]:
    group: list[_Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end > 2 * _CONTEXT_LINES:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _printed(group: list[_Hunk], before: _DiffSide, after: _DiffSide) -> Iterator[str]:
    yield f"@@ line {group[0].start + 1} @@"
    at = max(0, group[0].start - _CONTEXT_LINES)
    for hunk in group:
        yield from (f" {line}" for line in before.shown(at, hunk.start))
        end = min(hunk.end, len(before.lines))
        new_end = min(hunk.new_end, len(after.lines))
        while (
            end > hunk.start
            and new_end > hunk.new_start
            and before.lines[end - 1] == after.lines[new_end - 1]
        ):
            end, new_end = end - 1, new_end - 1
        yield from (f"-{line}" for line in before.shown(hunk.start, end))
        yield from (f"+{line}" for line in after.shown(hunk.new_start, new_end))
        at = end
    last = min(at + _CONTEXT_LINES, len(before.lines))
    yield from (f" {line}" for line in before.shown(at, last))


def _folded(line: str, parts: list[tuple[int, int]]) -> str:
    """Leave out of a long line what does not change, and say how much that is."""
    kept: list[tuple[int, int]] = []
    for start, end in _kept(line, parts):
        if kept and start <= kept[-1][1] + _AROUND:
            start, end = kept[-1][0], max(end, kept.pop()[1])
        kept.append((start, end))
    pieces: list[str] = []
    done = 0
    for start, end in [*kept, (len(line), len(line))]:
        if start > done:
            pieces.append(f"…({start - done:,} characters more)…")
        pieces.append(visible(line[start:end]))
        done = end
    return "".join(pieces)


def _kept(line: str, parts: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    if not parts:
        yield 0, LINE_CHARS_MAX
    half = CHANGED_CHARS_MAX // 2
    for start, end in parts:
        low, high = max(0, start - _AROUND), min(len(line), end + _AROUND)
        if high - low <= CHANGED_CHARS_MAX:
            yield low, high
        else:
            yield low, low + half
            yield high - half, high
