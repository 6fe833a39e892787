"""Every note's path and age in memory: what is listed, completed and sorted from."""

from collections.abc import Collection, Iterable
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

_FEW_OF = 50  # one note in so many is few: quicker picked out than met on the way


class Entry(NamedTuple):
    """A note in the list: a tuple, because there may be a hundred thousand."""

    note: int
    path: str
    mtime_ns: int
    on_disk: str | None = None


class Catalog:
    """All notes by path and by number, with the newest-first order kept ready."""

    def __init__(self) -> None:
        self._by_path: dict[str, Entry] = {}
        self._by_note: dict[int, Entry] = {}
        self._newest: list[Entry] | None = None

    def __len__(self) -> int:
        return len(self._by_path)

    def __contains__(self, path: object) -> bool:
        return path in self._by_path

    def load(self, entries: Iterable[Entry]) -> None:
        """Replace everything."""
        self._by_path = {entry.path: entry for entry in entries}
        self._by_note = {entry.note: entry for entry in self._by_path.values()}
        self._newest = None

    def put(self, entry: Entry) -> None:
        """Add a note, or take its new age."""
        self._by_path[entry.path] = entry
        self._by_note[entry.note] = entry
        self._newest = None

    def remove(self, path: str) -> None:
        """Take a note out."""
        if (entry := self._by_path.pop(path, None)) is not None:
            del self._by_note[entry.note]
            self._newest = None

    def get(self, path: str) -> Entry | None:
        """Look a note up by path."""
        return self._by_path.get(path)

    def path(self, note: int) -> str | None:
        """Look a path up by the note's number."""
        entry = self._by_note.get(note)
        return entry.path if entry else None

    def paths(self) -> Iterable[str]:
        """Return all paths."""
        return self._by_path.keys()

    def beneath(self, folder: str) -> list[str]:
        """Return the paths that start with `folder` (with its slash; empty for all)."""
        return [path for path in self._by_path if path.startswith(folder)]

    def newest_of(self, notes: Collection[int], limit: int) -> list[int]:
        """Return the newest of some notes, as `newest` orders them."""
        if len(notes) * _FEW_OF > len(self._by_note):
            return list(islice((e.note for e in self.newest() if e.note in notes), limit))
        found = [entry for note in notes if (entry := self._by_note.get(note)) is not None]
        return [e.note for e in nsmallest(limit, found, key=lambda e: (-e.mtime_ns, e.path))]

    def newest(self) -> list[Entry]:
        """Return all notes, newest first, ties by name; not to be changed by the caller."""
        if self._newest is None:
            self._newest = sorted(self._by_path.values(), key=lambda e: (-e.mtime_ns, e.path))
        return self._newest
