"""What the index holds, mirrored in memory: the list of notes and the joined texts."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from commonplace.vault.catalog import Catalog, Entry
from commonplace.vault.corpus import Corpus
from commonplace.vault.index import Index
from commonplace.vault.writer import Placed


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A note came, changed or went; `was` is its former path if it came by a rename."""

    path: str
    kind: Literal["appeared", "changed", "gone"]
    was: str | None = None


Listener = Callable[[NoteChange], None]


class Contents:
    """The mirror, and those who listen to its changes."""

    def __init__(self, corpus: Corpus) -> None:
        self.catalog = Catalog()
        self.corpus = corpus
        self._listeners: list[Listener] = []

    def follow(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at each change; call what is returned to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def replace(self, catalog: Catalog, corpus: Corpus) -> None:
        """Take a mirror that was loaded afresh."""
        self.catalog, self.corpus = catalog, corpus

    def put(self, placed: Iterable[Placed], moved: Mapping[str, str]) -> None:
        """Take notes that were just written to the index; `moved` says what each was before."""
        for one in placed:
            listed = one.listed
            known = listed.path in self.catalog
            self.catalog.put(Entry(one.note, listed.path, listed.stamp.mtime_ns, listed.on_disk))
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
            listener(change)


def load(index: Index) -> tuple[Catalog, Corpus]:
    """Read the mirror from the index."""
    catalog = Catalog()
    catalog.load([Entry(*row) for row in index.catalog()])
    return catalog, index.corpus()
