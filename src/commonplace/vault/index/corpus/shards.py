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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from commonplace.core.search.literals import Literals
from commonplace.vault.index.corpus.fragments import FragmentWriter, Stretch, stretches
from commonplace.vault.index.corpus.ranges import SEPARATOR, Range, Ranges

_SHARDS_MAX = 8
_LOOK_BACK = 4096
# To look through so much takes less time than to start ripgrep; and so much is the most that is
# worth it in a corpus of any size, since ripgrep uses every core.
_SEARCHED_MIN, _SEARCHED_MAX, _SEARCHED_OF = 4 << 20, 32 << 20, 8
# If ripgrep has to be started all the same, it is done with less than this before anything is won.
_RIPGREP_MIN = 64 << 20


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
        self._fragments = [FragmentWriter(shard_file(folder, generation, n)) for n in range(shards)]
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
        """Hand everything to the system, so that readers see it, and describe it then."""
        for file, fragments, end in zip(self._files, self._fragments, self._ends, strict=True):
            file.flush()
            fragments.describe(file.fileno(), end)

    def close(self) -> None:
        """Flush and let go."""
        for file in self._files:
            file.close()


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

    def lines_with(self, literals: Literals, stretches: Sequence[Stretch]) -> Sequence[int]:
        """Tell where the lines start that hold one of some texts, which may begin in a stretch.

        Read, not mapped: what is mapped counts as memory of this process, all over the file.
        """
        if not stretches:
            return array("q")
        longest = max(map(len, literals.texts))
        found: set[int] = set()
        with self.file.open("rb", buffering=0) as file:
            for start, end in stretches:
                part = os.pread(file.fileno(), end - start + longest - 1, start)
                searched = part.lower() if literals.ignore_case else part
                for at in _first_of_lines(searched, literals.texts):
                    before = part.rfind(b"\n", 0, at)
                    here = before + 1 if before >= 0 else _line_start(file.fileno(), start) - start
                    found.add(start + here)
        return array("q", sorted(found))


def _first_of_lines(part: bytes, texts: Iterable[bytes]) -> Iterator[int]:
    """Tell where each text stands for the first time in a line."""
    for text in texts:
        at = part.find(text)
        while at >= 0:
            yield at
            after = part.find(b"\n", at)
            at = part.find(text, after) if after >= 0 else -1


def _line_start(file: int, place: int) -> int:
    """Tell where the line starts that a place is in, which is further up in the file."""
    while place > 0:
        start = max(0, place - _LOOK_BACK)
        before = os.pread(file, place - start, start).rfind(b"\n")
        if before >= 0:
            return start + before + 1
        place = start
    return 0


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

    def lines_with(self, literals: Literals) -> dict[str, Sequence[int]] | None:
        """Tell which lines hold one of some texts; None if too much would have to be searched."""
        total = sum(shard.ranges.end for shard in self._by_number)
        left = max(_SEARCHED_MIN, min(_SEARCHED_MAX, total // _SEARCHED_OF))
        if not literals.whole and total < _RIPGREP_MIN:
            return None
        chosen: dict[str, list[Stretch]] = {name: [] for name in self._shards}
        for name, shard in self._shards.items():
            texts = [text.lower() for text in literals.texts]
            for start, end in stretches(shard.file, shard.ranges.end, texts):
                chosen[name].append((start, end))
                left -= end - start
                if left < 0:
                    return None
        return {name: self._shards[name].lines_with(literals, at) for name, at in chosen.items()}

    def size_of(self, notes: Iterable[int]) -> int:
        """Count the bytes of some notes."""
        return sum(where.length for note in notes if (where := self._live.get(note)))

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
