"""From where a pattern matched in a text to the lines that are shown for it."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from commonplace.core.render import Found, Line

# (start, end) in UTF-8 bytes of the text; a match of a whole line is told by the line's start.
Span = tuple[int, int]


def matching_lines(text: bytes, spans: Sequence[Span]) -> list[int]:
    """Return the numbers of the lines that matches touch, in order, once each."""
    if all(start == end for start, end in spans):
        return _line_starts(text, [start for start, _ in spans])
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    touched: set[int] = set()
    for start, end in spans:
        first = bisect_right(starts, start)
        last = bisect_right(starts, max(start, end - 1))
        touched.update(range(first, last + 1))
    return sorted(touched)


def excerpt(path: str, text: bytes, spans: Sequence[Span], before: int, after: int) -> Found:
    """Return the matching lines with those around them."""
    lines = text.removesuffix(b"\n").split(b"\n")
    matching = [n for n in matching_lines(text, spans) if n <= len(lines)]
    shown: dict[int, bool] = {}
    for number in matching:
        for near in range(max(1, number - before), min(len(lines), number + after) + 1):
            shown[near] = shown.get(near, False) or near == number
    return Found(
        path,
        [
            Line(number, lines[number - 1].decode("utf-8", "replace"), shown[number])
            for number in sorted(shown)
        ],
    )


def _line_starts(text: bytes, offsets: Sequence[int]) -> list[int]:
    numbers: list[int] = []
    line, counted = 1, 0
    for offset in offsets:
        line += text.count(b"\n", counted, offset)
        counted = offset
        if not numbers or numbers[-1] != line:
            numbers.append(line)
    return numbers
