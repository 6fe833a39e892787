"""Which stretch of joined text is which note's."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

SEPARATOR = b"\0\n"
_NOWHERE = 1 << 62

# (start, end) in bytes; a matching line is told as (start, start).
Span = tuple[int, int]


class MatchingLines(Sequence[Span]):
    """Lines of a note that match, told by where they start; made when somebody looks."""

    def __init__(self, offsets: Sequence[int], first: int, last: int, start: int) -> None:
        self._offsets = offsets
        self._first = first
        self._length = last - first
        self._start = start

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> list[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | list[Span]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(self._length))]
        if not 0 <= index < self._length:
            raise IndexError(index)
        offset = int(self._offsets[self._first + index]) - self._start
        return offset, offset


class Range(NamedTuple):
    """Where a note's text lies: `length` counts the newline that may have been added."""

    shard: int
    start: int
    length: int


class Ranges:
    """Which stretch of joined text is which note's, by start; a dead one has length 0."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._ends = array("q")
        self._notes = array("q")

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def end(self) -> int:
        """Where the last stretch ends."""
        return self._ends[-1] if self._ends else 0

    def add(self, note: int, start: int, end: int) -> None:
        """Take the next stretch."""
        # Another thread may be looking: a start counts only once its end and note are there.
        self._notes.append(note)
        self._ends.append(end)
        self._starts.append(start)

    def kill(self, note: int, start: int) -> None:
        """Mark a note's stretch as dead."""
        at = bisect_right(self._starts, start) - 1
        # An empty note has no bytes, but its separator keeps starts apart.
        if at >= 0 and self._notes[at] == note:
            self._ends[at] = self._starts[at]

    def locate_lines(self, offsets: Sequence[int]) -> Iterator[tuple[int, MatchingLines]]:
        """Tell the matching lines of each note, given where lines start in the joined text.

        Work is by note, not by line: a pattern may match every line there is.
        """
        starts, ends = self._starts, self._ends
        first, total = 0, len(offsets)
        while first < total:
            at = bisect_right(starts, offsets[first]) - 1
            if at >= 0 and offsets[first] < ends[at]:
                last = bisect_left(offsets, ends[at], first)
                yield self._notes[at], MatchingLines(offsets, first, last, starts[at])
                first = last
            else:  # a separator, or a text that is dead
                after = starts[at + 1] if at + 1 < len(starts) else _NOWHERE
                first = max(first + 1, bisect_left(offsets, after, first))

    def locate(self, spans: Iterable[Span]) -> Iterator[tuple[int, Span]]:
        """Tell (note, span in its text); what is dead or between notes is left out.

        A span that starts on the line end of the separator before a note is told with start -1.
        """
        starts, ends, notes = self._starts, self._ends, self._notes
        for first, last in spans:
            at = bisect_right(starts, first + 1) - 1
            if at < 0 or first >= ends[at] or starts[at] == ends[at]:
                continue
            if first != last or first >= starts[at]:
                yield notes[at], (first - starts[at], last - starts[at])


class Haystack:
    """A few texts joined in memory the way a shard is."""

    def __init__(self, texts: Iterable[tuple[int, bytes]]) -> None:
        self.ranges = Ranges()
        joined = bytearray()
        for note, text in texts:
            start = len(joined)
            joined += text if not text or text.endswith(b"\n") else text + b"\n"
            self.ranges.add(note, start, len(joined))
            joined += SEPARATOR
        self.bytes = bytes(joined)
