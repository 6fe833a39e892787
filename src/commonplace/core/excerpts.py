"""From where a pattern matched in a text to the lines that are shown for it.

Lines are made as they are asked for: a note may have millions, of which a page shows a few.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from commonplace.core.render.grep_lines import GrepLines, Line

# (start, end) in UTF-8 bytes of the text; a match of a whole line is told by the line's start.
Span = tuple[int, int]


def matching_lines(text: bytes, spans: Iterable[Span]) -> Iterator[int]:
    """Yield the numbers of the lines that matches touch, in order, once each."""
    return (number for number, _ in _touched(text, spans))


def excerpt(
    path: str,
    text: bytes,
    spans: Sequence[Span],
    before: int,
    after: int,
    comments: Sequence[tuple[int, str]] = (),
) -> GrepLines:
    """Return the matching lines with those around them, and comments behind their lines."""
    body = text.removesuffix(b"\n")
    lines = _around(body, _touched(text, spans), before, after)
    if not comments:
        return GrepLines(path, lines)
    said = [Line(number, comment) for number, comment in comments]
    return GrepLines(path, merge(lines, said, key=lambda line: line.number))


def _touched(text: bytes, spans: Iterable[Span]) -> Iterator[tuple[int, int]]:
    """Yield the number and the start of each line that matches touch; they come in order."""
    line, counted, last = 1, 0, 0
    for start, end in spans:
        line += text.count(b"\n", counted, start)
        counted = start
        number, at = line, text.rfind(b"\n", 0, start) + 1
        stop = max(start, end - 1)
        while True:
            if number > last:
                yield number, at
                last = number
            if not 0 <= (end_of_line := text.find(b"\n", at)) < stop:
                break
            number, at = number + 1, end_of_line + 1


def _around(
    body: bytes, touched: Iterable[tuple[int, int]], before: int, after: int
) -> Iterator[Line]:
    """Yield lines that match and those near them; `at` is where the line to come starts."""
    number, at, reach = 1, 0, 0
    for match, start in touched:
        if start > len(body):
            break
        while number <= min(reach, match - 1):
            text, at = _line(body, at)
            yield Line(number, text, is_match=False)
            number += 1
        if number < match - before:
            number, at = match - before, _lines_before(body, start, before)
        while number < match:
            text, at = _line(body, at)
            yield Line(number, text, is_match=False)
            number += 1
        text, at = _line(body, start)
        yield Line(match, text)
        number, reach = match + 1, match + after
    while number <= reach and at <= len(body):
        text, at = _line(body, at)
        yield Line(number, text, is_match=False)
        number += 1


def _line(body: bytes, at: int) -> tuple[str, int]:
    """Return the line that starts at a place, and where the next one does."""
    end = body.find(b"\n", at)
    end = len(body) if end < 0 else end
    return body[at:end].decode("utf-8", "replace"), end + 1


def _lines_before(body: bytes, at: int, count: int) -> int:
    """Return where the line so many lines before one starts."""
    for _ in range(count):
        at = body.rfind(b"\n", 0, at - 1) + 1
    return at
