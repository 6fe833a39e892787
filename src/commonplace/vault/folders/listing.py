"""One root as its document must show it, and what to change in the document so that it does."""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from commonplace.core import paths
from commonplace.vault.documents.engine.maps import Put
from commonplace.vault.documents.folder_document import CONFIG, DOCS, FILES
from commonplace.vault.folders.plan import FolderEntry, inside_of, read_entry, shown

ValueOf = Callable[[str, str], object]
"""Reads the document: a map's name and a key."""


class RootListing:
    """The notes of a root by path inside it, and the folders that they lie in.

    `gone` are the ids of those that went since somebody last emptied it.
    """

    def __init__(self, root: str, id: str, is_folder: Callable[[str], bool]) -> None:
        self.root = root
        self.id = id
        self.notes: dict[str, str] = {}
        self.gone: set[str] = set()
        self._is_folder = is_folder
        self._folders: Counter[str] = Counter()

    def put(self, inside: str, id: str) -> None:
        """Take a note in, or give it another id."""
        if inside not in self.notes:
            self._folders.update(_above(inside))
        self.notes[inside] = id
        self.gone.discard(id)

    def drop(self, inside: str) -> None:
        """Take a note out."""
        id = self.notes.pop(inside, None)
        if id is not None:
            self.gone.add(id)
            above = list(_above(inside))
            self._folders.subtract(above)
            for folder in above:
                if not self._folders[folder]:
                    del self._folders[folder]

    def every_key(self) -> list[str]:
        """Return the keys of all notes and folders."""
        return [f"/{inside}" for inside in (*self._folders, *self.notes)]

    def corrections(self, keys: Iterable[str], value: ValueOf) -> list[Put]:
        """Say what must change at these keys."""
        return [put for key in keys for put in self._correction(key, value)]

    def configured(self, keys: Iterable[str], value: ValueOf) -> list[Put]:
        """Say what must change at these keys of the folder's settings."""
        wanted = {"name": self.root}
        return [
            (CONFIG, key, wanted.get(key)) for key in keys if value(CONFIG, key) != wanted.get(key)
        ]

    def _correction(self, key: str, value: ValueOf) -> Iterator[Put]:
        there = value(FILES, key)
        wanted = self._wanted(key, read_entry(there))
        if wanted is None and there is not None:
            yield FILES, key, None
        elif wanted is not None and wanted != read_entry(there):
            yield FILES, key, shown(wanted)
        older = wanted.id if wanted and not wanted.folder else None
        if value(DOCS, key) != older:
            yield DOCS, key, older

    def _wanted(self, key: str, there: FolderEntry | None) -> FolderEntry | None:
        if key.startswith("/") and (id := self.notes.get(key[1:])) is not None:
            return FolderEntry(id)
        inside = inside_of(key)
        if inside is None or key != f"/{inside}":
            return None
        listed = there is not None and there.folder
        if inside in self._folders or (listed and self._is_folder(inside)):
            return there if there and there.folder else FolderEntry(str(uuid.uuid4()), folder=True)
        return None


def with_above(keys: Iterable[str]) -> list[str]:
    """Add the keys of the folders above these."""
    every: dict[str, None] = {}
    for key in keys:
        every[key] = None
        if (inside := inside_of(key)) is not None:
            every |= dict.fromkeys(f"/{folder}" for folder in _above(inside))
    return list(every)


def _above(inside: str) -> Iterator[str]:
    while inside := paths.parent(inside):
        yield inside
