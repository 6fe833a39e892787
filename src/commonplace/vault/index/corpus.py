"""The accepted views of all notes, joined into a few files that ripgrep reads at once.

A shard is append-only: text, a newline if it lacked one, then a line that holds NUL alone, which
no note can hold. ripgrep so sees lines, and with NUL as its line end, whole notes. A changed note
is appended again and its old range goes dead; compaction starts a new generation of files. The
generation before stays until the next one: somebody may be reading it in another thread.
Which range belongs to which note is kept in `index.db`; a tail that no row names is dead as well,
so a crash between the two costs nothing.
"""

import mmap
import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, overload

SEPARATOR = b"\0\n"
_NOWHERE = 1 << 62
_SHARDS_MAX = 8

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


def shard_count() -> int:
    """Return how many shards a new corpus has: one a core, so many ripgrep searches at once."""
    return max(1, min(os.cpu_count() or 1, _SHARDS_MAX))


def shard_file(folder: Path, generation: int, shard: int) -> Path:
    """Name the file of a shard."""
    return folder / f"corpus-{generation}-{shard}"


def sweep(folder: Path, oldest: int) -> None:
    """Delete the files of all generations before one."""
    for file in folder.glob("corpus-*-*"):
        generation = file.name.split("-")[1]
        if generation.isdigit() and int(generation) < oldest:
            file.unlink(missing_ok=True)


class CorpusWriter:
    """Appends texts to the shards of one generation, in turn."""

    def __init__(self, folder: Path, generation: int, shards: int) -> None:
        self._files = [
            shard_file(folder, generation, n).open("a+b", buffering=1 << 20) for n in range(shards)
        ]
        self._ends = [file.seek(0, os.SEEK_END) for file in self._files]
        self._turn = 0

    def read(self, where: Range) -> str:
        """Return a text that was appended before."""
        file = self._files[where.shard]
        file.flush()
        return os.pread(file.fileno(), where.length, where.start).decode("utf-8")

    @property
    def size(self) -> int:
        """How many bytes the shards hold, dead ones included."""
        return sum(self._ends)

    def append(self, text: str) -> Range:
        """Append one note's text."""
        data = text.encode("utf-8")
        if data and not data.endswith(b"\n"):
            data += b"\n"
        shard = self._turn
        self._turn = (shard + 1) % len(self._files)
        start = self._ends[shard]
        self._files[shard].write(data + SEPARATOR)
        self._ends[shard] += len(data) + len(SEPARATOR)
        return Range(shard, start, len(data))

    def flush(self) -> None:
        """Hand everything to the system, so that readers see it."""
        for file in self._files:
            file.flush()

    def close(self) -> None:
        """Flush and let go."""
        for file in self._files:
            file.close()


class Ranges:
    """Which stretch of joined text is which note's, by start; a dead one has length 0."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._ends = array("q")
        self._notes = array("q")

    def __len__(self) -> int:
        return len(self._starts)

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


@dataclass(slots=True)
class _Shard:
    file: Path
    ranges: Ranges = field(default_factory=Ranges)
    map: mmap.mmap | None = None

    def bytes(self, start: int, end: int) -> bytes:
        if self.map is None or len(self.map) < end:
            with self.file.open("rb") as file:
                self.map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        return self.map[start:end]


class Corpus:
    """The shards as a reader sees them."""

    def __init__(self, folder: Path, generation: int, shards: int) -> None:
        self._shards = {
            file.name: _Shard(file)
            for file in (shard_file(folder, generation, n) for n in range(shards))
        }
        self._by_number = list(self._shards.values())
        self._live: dict[int, Range] = {}

    @property
    def is_there(self) -> bool:
        """Whether its files are."""
        return all(shard.file.exists() for shard in self._by_number)

    @property
    def file_names(self) -> list[str]:
        """The files that hold anything."""
        return [name for name, shard in self._shards.items() if len(shard.ranges)]

    def ranges(self, file_name: str) -> Ranges:
        """Which stretch of that file is which note's."""
        return self._shards[file_name].ranges

    def __contains__(self, note: object) -> bool:
        return note in self._live

    def __len__(self) -> int:
        return len(self._live)

    def load(self, rows: Iterable[tuple[int, int, int, int]]) -> None:
        """Take the live ranges (note, shard, start, length), ordered by start."""
        for note, shard, start, length in rows:
            self._add(note, Range(shard, start, length))

    def place(self, note: int, where: Range) -> None:
        """Take a note's new range; its old one is dead."""
        if self._live.get(note) == where:
            return  # it was loaded so, and ranges stay in order
        self.forget(note)
        self._add(note, where)

    def forget(self, note: int) -> None:
        """Mark a note's range as dead."""
        if (old := self._live.pop(note, None)) is not None:
            self._by_number[old.shard].ranges.kill(note, old.start)

    def text(self, note: int) -> bytes | None:
        """Return a note's text, with a newline at its end."""
        where = self._live.get(note)
        if where is None:
            return None
        if not where.length:
            return b""
        return self._by_number[where.shard].bytes(where.start, where.start + where.length)

    def _add(self, note: int, where: Range) -> None:
        self._by_number[where.shard].ranges.add(note, where.start, where.start + where.length)
        self._live[note] = where
