"""A change of a text as people know it from `diff -u`: some lines, what goes, what comes.

The lines are those that `edits.diff` touches, so the cost has its bound. What a person has to
judge is never hidden: characters that cannot be seen are named, and what is cut off is counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from commonplace.core.edits import diff
from commonplace.core.render import visible

CONTEXT_LINES = 2
LINES_MAX = 120
LINE_CHARS_MAX = 400


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines `[start:end]` of the old text become lines `[new_start:new_end]` of the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


def unified(old: str, new: str, *, lines_max: int = LINES_MAX) -> str:
    """Return the difference of two texts, at most so many lines of it."""
    before, after = _lines(old), _lines(new)
    shown = [
        line
        for group in _grouped(list(_hunks(old, new)))
        for line in _printed(group, before, after)
    ]
    if old != new and all(line[0] in "@ " for line in shown):
        shown = ["(only the line end at the end of the text differs)"]
    more = len(shown) - lines_max
    return "\n".join(shown if more <= 0 else [*shown[:lines_max], f"… and {more} more lines"])


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _hunks(old: str, new: str) -> Iterator[_Hunk]:
    """Widen each edit to the lines that it touches; those that meet become one."""
    low = high = new_low = new_high = -1
    grown = line = counted = new_line = 0
    for edit in diff(old, new):
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
        if group and hunk.start - group[-1].end > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _printed(group: list[_Hunk], before: list[str], after: list[str]) -> Iterator[str]:
    yield f"@@ line {group[0].start + 1} @@"
    at = max(0, group[0].start - CONTEXT_LINES)
    for hunk in group:
        yield from (f" {_shown(line)}" for line in before[at : hunk.start])
        gone, come = before[hunk.start : hunk.end], after[hunk.new_start : hunk.new_end]
        while gone and come and gone[-1] == come[-1]:
            gone, come = gone[:-1], come[:-1]
        yield from (f"-{_shown(line)}" for line in gone)
        yield from (f"+{_shown(line)}" for line in come)
        at = hunk.start + len(gone)
    yield from (f" {_shown(line)}" for line in before[at : at + CONTEXT_LINES])


def _shown(line: str) -> str:
    cut = line if len(line) <= LINE_CHARS_MAX else line[:LINE_CHARS_MAX] + "…"
    return visible(cut)
