"""Every note's path and age in memory: what is listed, completed and sorted from.

The orders are made when they are first asked for, and kept from then on; what changed since then is
put into its place when newest notes are asked for the next time.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Set as AbstractSet
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

_FEW_OF = 50  # one note in so many is few: quicker picked out than met on the way


class CatalogEntry(NamedTuple):
    """A note in the list: a tuple, because there may be a hundred thousand."""

    note: int
    path: str
    mtime_ns: int
    on_disk: str | None = None


class _ByPath:
    """All notes in the order of their paths."""

    def __init__(self, entries: Iterable[CatalogEntry]) -> None:
        pairs = sorted((entry.path, entry.note) for entry in entries)
        self._paths = [path for path, _ in pairs]
        self._notes = [note for _, note in pairs]

    def put(self, entry: CatalogEntry) -> None:
        place = bisect_left(self._paths, entry.path)
        if self._paths[place : place + 1] == [entry.path]:
            self._notes[place] = entry.note
        else:
            self._paths.insert(place, entry.path)
            self._notes.insert(place, entry.note)

    def remove(self, path: str) -> None:
        place = bisect_left(self._paths, path)
        del self._paths[place], self._notes[place]

    def first(self, notes: AbstractSet[int], limit: int) -> list[str]:
        pairs = zip(self._paths, self._notes, strict=True)
        return list(islice((path for path, note in pairs if note in notes), limit))


class Catalog:
    """All notes by path and by number, with the newest-first order kept ready."""

    def __init__(self) -> None:
        self._by_path: dict[str, CatalogEntry] = {}
        self._by_note: dict[int, str] = {}
        self._newest: list[CatalogEntry] | None = None
        self._former: dict[str, CatalogEntry | None] = {}
        self._in_order: _ByPath | None = None

    def __len__(self) -> int:
        return len(self._by_path)

    def __contains__(self, path: object) -> bool:
        return path in self._by_path

    def load(self, entries: Iterable[CatalogEntry]) -> None:
        """Replace everything."""
        self._by_path = {entry.path: entry for entry in entries}
        self._by_note = {entry.note: entry.path for entry in self._by_path.values()}
        self._newest = self._in_order = None
        self._former = {}

    def put(self, entry: CatalogEntry) -> None:
        """Add a note, or take its new age."""
        if self._newest is not None:
            self._former.setdefault(entry.path, self._by_path.get(entry.path))
        self._by_path[entry.path] = entry
        self._by_note[entry.note] = entry.path
        if self._in_order is not None:
            self._in_order.put(entry)

    def remove(self, path: str) -> None:
        """Take a note out."""
        if (entry := self._by_path.pop(path, None)) is not None:
            if self._newest is not None:
                self._former.setdefault(path, entry)
            del self._by_note[entry.note]
            if self._in_order is not None:
                self._in_order.remove(path)

    def get(self, path: str) -> CatalogEntry | None:
        """Look a note up by path."""
        return self._by_path.get(path)

    def path(self, note: int) -> str | None:
        """Look a path up by the note's number."""
        return self._by_note.get(note)

    def paths_of(self, notes: Iterable[int]) -> list[str]:
        """Look up the paths of many notes; those that are gone are left out."""
        return list(filter(None, map(self._by_note.get, notes)))

    def first_of(self, notes: AbstractSet[int], limit: int) -> list[str]:
        """Return the first of some notes by path: of many, they are soon met on the way."""
        if len(notes) * _FEW_OF < len(self._by_note):
            return nsmallest(limit, self.paths_of(notes))
        if self._in_order is None:
            self._in_order = _ByPath(self._by_path.values())
        return self._in_order.first(notes, limit)

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
        return [entry.note for entry in self.entries_of(notes)[:limit]]

    def entries_of(self, notes: Iterable[int]) -> list[CatalogEntry]:
        """Return the entries of a few notes, newest first; any thread may ask."""
        known = map(self._by_path.get, self.paths_of(notes))
        return sorted((entry for entry in known if entry is not None), key=_by_age)

    def newest(self) -> list[CatalogEntry]:
        """Return all notes, newest first, ties by name; not to be changed by the caller."""
        if self._newest is None or len(self._former) * _FEW_OF > len(self._by_path):
            self._newest = sorted(self._by_path.values(), key=_by_age)
        elif self._former:
            self._newest = self._newest.copy()  # somebody may be going through the former one
            for path, former in self._former.items():
                if former is not None:
                    del self._newest[bisect_left(self._newest, _by_age(former), key=_by_age)]
                if (entry := self._by_path.get(path)) is not None:
                    insort(self._newest, entry, key=_by_age)
        self._former = {}
        return self._newest


def _by_age(entry: CatalogEntry) -> tuple[int, str]:
    return -entry.mtime_ns, entry.path
