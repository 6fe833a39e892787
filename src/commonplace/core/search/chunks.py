"""A note cut into passages of a size that an embedding model reads well.

A passage is the text under a heading, or a part of it when that is long, or several short ones
together. It is embedded behind the way that leads to it (title > heading > heading). Passages are
measured in units: a word, a CJK character, or twelve characters of something longer. Their ranges
count code points, never overlap, and leave out nothing but frontmatter, white space and the
headings that the way names. A note without text has one empty passage, embedded as its title.
"""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from commonplace.core import frontmatter

UNITS_MIN = 40
UNITS_AIM = 120
UNITS_MAX = 180
HEADING_MAX = 120

_CJK = (
    "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_UNIT = re.compile(f"[{_CJK}]|[^\\s{_CJK}]{{1,12}}")
_MARK = re.compile(
    r"^ {0,3}(?:(?P<level>#{1,6})(?:[ \t](?P<heading>.*))?|(?P<fence>`{3,}|~{3,})(?P<info>.*))$",
    re.MULTILINE,
)
# Where a long section is cut: at the first kind of break that there is one of in reach.
_BREAKS = (
    re.compile(r"\n[ \t\r]*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?…]['\")\]”’]{0,3}\s|[。！？；]"),
)
_REACH = 0.6


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: its range in the note, what is embedded for it, and the headings above it."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...]

    @property
    def sha256(self) -> bytes:
        """The key of its vector in a cache: whatever has this text has this vector."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class _Section:
    """The text from one heading to the next; `start` is behind the headings that it names."""

    opens: int
    start: int
    end: int
    headings: tuple[str, ...]


def chunks(text: str, title: str) -> list[Chunk]:
    """Cut a note into passages, in order."""
    ruler = _Ruler(text)
    found = [
        _chunk(text, title, start, end, section.headings)
        for section in _merged(_sections(text), ruler)
        for start, end in _parts(text, section, ruler)
    ]
    filled = [chunk for chunk in found if chunk.start < chunk.end]
    return filled or [_chunk(text, title, len(text), len(text), ())]


class _Ruler:
    """Measures ranges of a text in units."""

    def __init__(self, text: str) -> None:
        self._starts = [unit.start() for unit in _UNIT.finditer(text)]
        self._end = len(text)

    def size(self, start: int, end: int) -> int:
        """Count the units that start in a range."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def place(self, start: int, units: int) -> int:
        """Find where the unit starts that is so many behind a place."""
        number = bisect_left(self._starts, start) + units
        return self._starts[number] if number < len(self._starts) else self._end


def _sections(text: str) -> Iterator[_Section]:
    block = frontmatter.split(text)
    opens = start = block.body_start if block else 0
    way: list[tuple[int, str]] = []
    for level, heading, first, last in _headings(text, start):
        yield _Section(opens, start, first, _names(way))
        while way and way[-1][0] >= level:
            way.pop()
        way.append((level, heading))
        opens, start = first, last
    yield _Section(opens, start, len(text), _names(way))


def _headings(text: str, start: int) -> Iterator[tuple[int, str, int, int]]:
    """Find `# headings` outside fenced code: level, words, and range."""
    fence = ""
    for mark in _MARK.finditer(text, start):
        if fence:
            if (mark["fence"] or "").startswith(fence) and not mark["info"].strip():
                fence = ""
        elif mark["level"]:
            heading = (mark["heading"] or "").strip().rstrip("#").rstrip()
            yield len(mark["level"]), heading[:HEADING_MAX], mark.start(), mark.end()
        elif "`" not in mark["info"]:
            fence = mark["fence"]


def _names(way: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(heading for _, heading in way if heading)


def _merged(sections: Iterable[_Section], ruler: _Ruler) -> Iterator[_Section]:
    """Join short sections with what follows them."""
    current: _Section | None = None
    for section in sections:
        joined = current and _joined(current, section, ruler)
        if current and not joined:
            yield current
        current = joined or section
    if current:
        yield current


def _joined(one: _Section, two: _Section, ruler: _Ruler) -> _Section | None:
    size = ruler.size(one.start, one.end)
    inside = two.headings[: len(one.headings)] == one.headings
    if size == 0 and inside:
        return two
    shorter = min(size, ruler.size(two.start, two.end))
    if shorter >= UNITS_MIN or ruler.size(one.start, two.end) > UNITS_AIM:
        return None
    start = one.start if inside else one.opens
    return _Section(one.opens, start, two.end, _common(one.headings, two.headings))


def _common(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[str, ...]:
    shared = 0
    while shared < min(len(one), len(two)) and one[shared] == two[shared]:
        shared += 1
    return one[:shared]


def _parts(text: str, section: _Section, ruler: _Ruler) -> Iterator[tuple[int, int]]:
    """Cut a section into even parts."""
    start = section.start
    if not ruler.size(start, section.end):
        start = section.opens
    while (size := ruler.size(start, section.end)) > UNITS_MAX:
        aim = -(-size // -(-size // UNITS_AIM))
        low = ruler.place(start, int(aim * _REACH))
        cut = _cut(text, low, ruler.place(start, aim), ruler.place(start, UNITS_MAX))
        yield start, cut
        start = cut
    yield start, section.end


def _cut(text: str, low: int, aim: int, high: int) -> int:
    for kind in _BREAKS:
        ends = [found.end() for found in kind.finditer(text, low, high)]
        if ends:
            return min(ends, key=lambda end: abs(end - aim))
    return aim


def _chunk(text: str, title: str, start: int, end: int, headings: tuple[str, ...]) -> Chunk:
    passage = text[start:end]
    start += len(passage) - len(passage.lstrip())
    end = max(start, end - len(passage) + len(passage.rstrip()))
    title = title[:HEADING_MAX]
    way = headings if headings[:1] == (title,) else (title, *headings)
    return Chunk(start, end, f"{' > '.join(way)}\n{text[start:end]}", headings)
