"""What the index holds, mirrored in memory: the list of notes and the joined texts."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from commonplace.core.view import View
from commonplace.vault.index.catalog import Catalog, CatalogEntry
from commonplace.vault.index.corpus.shards import Corpus
from commonplace.vault.index.reader import Index
from commonplace.vault.index.writer import IndexedNote


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A note came, changed or went; `was` is its former path if it came by a rename."""

    path: str
    kind: Literal["appeared", "changed", "gone"]
    was: str | None = None


NoteListener = Callable[[NoteChange], None]

logger = logging.getLogger(__name__)


class Contents:
    """The mirror, and those who listen to its changes."""

    def __init__(self, corpus: Corpus) -> None:
        self.catalog = Catalog()
        self.corpus = corpus
        self._listeners: list[NoteListener] = []
        self._replaced: list[Callable[[], None]] = []

    def follow(self, listener: NoteListener) -> Callable[[], None]:
        """Call `listener` at each change; call what is returned to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def replace(self, catalog: Catalog, corpus: Corpus) -> None:
        """Take a mirror that was loaded afresh."""
        self.catalog, self.corpus = catalog, corpus
        for listener in self._replaced:
            listener()

    def follow_replacement(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever all of it was loaded afresh."""
        self._replaced.append(listener)
        return lambda: self._replaced.remove(listener)

    def put(self, placed: Iterable[IndexedNote], moved: Mapping[str, str]) -> None:
        """Take notes that were just written to the index; `moved` says what each was before."""
        for one in placed:
            listed = one.listed
            known = listed.path in self.catalog
            self.catalog.put(
                CatalogEntry(one.note, listed.path, listed.stamp.mtime_ns, listed.on_disk)
            )
            if one.where is None:
                self.corpus.forget(one.note)
            else:
                self.corpus.place(one.note, one.where)
            kind = "changed" if known else "appeared"
            self.tell(NoteChange(listed.path, kind, moved.get(listed.path)))

    def remove(self, gone: Iterable[tuple[str, int]]) -> None:
        """Let go of notes that were just taken out of the index."""
        for path, note in gone:
            self.catalog.remove(path)
            self.corpus.forget(note)
            self.tell(NoteChange(path, "gone"))

    def tell(self, change: NoteChange) -> None:
        """Tell everybody who listens."""
        for listener in list(self._listeners):
            try:
                listener(change)
            except Exception:  # each by itself: the others hear of it, and the index goes on
                logger.exception("a change of a note could not be followed")


class SeenContents(Contents):
    """What a view shows of a mirror: kept current by what the whole one tells."""

    def __init__(self, whole: Contents, view: View) -> None:
        super().__init__(whole.corpus)
        self._whole, self._view = whole, view
        self._load()
        self._stops = (whole.follow(self._heard), whole.follow_replacement(self._load))

    def close(self) -> None:
        """Follow the whole no more."""
        for stop in self._stops:
            stop()

    def _load(self) -> None:
        catalog = Catalog()
        catalog.load([e for e in self._whole.catalog.newest() if self._view.shows(e.path)])
        self.replace(catalog, self._whole.corpus)

    def _heard(self, change: NoteChange) -> None:
        if self._view.shows(change.path):
            entry = self._whole.catalog.get(change.path)
            if entry is None:
                self.catalog.remove(change.path)
            else:
                self.catalog.put(entry)
            seen = change.was is None or self._view.shows(change.was)
            self.tell(change if seen else replace(change, was=None))
        elif change.was is not None and self._view.shows(change.was):
            self.catalog.remove(change.was)
            self.tell(NoteChange(change.was, "gone"))


def load(index: Index) -> tuple[Catalog, Corpus]:
    """Read the mirror from the index."""
    catalog = Catalog()
    catalog.load([CatalogEntry(*row) for row in index.catalog()])
    return catalog, index.corpus()
