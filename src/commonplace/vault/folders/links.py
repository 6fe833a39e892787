"""What links to each note, by the ids of documents, and whose lists a change has changed.

The graph (`vault.graph`) says what is so now. To know which lists must be written anew, this keeps
what every note linked to when they were last right. A note that came, went or changed can have
caught links of others, or lost them: those are looked at too, and no others.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

import anyio.lowlevel

from commonplace.vault.index.catalog import Catalog

if TYPE_CHECKING:
    from commonplace.core.graph import Graph

# Up to so many notes that link to a changed one are all looked at; of more, those that began or
# ceased to.
_ALL_MAX = 500
_SLICE = 1_000

Item = TypeVar("Item")


async def slices(items: Sequence[Item]) -> AsyncIterator[Sequence[Item]]:
    """Yield many things some at a time; between them others have their turn."""
    for start in range(0, len(items), _SLICE):
        yield items[start : start + _SLICE]
        await anyio.lowlevel.checkpoint()


class DocumentIds(Protocol):
    """Who knows which document is where."""

    def known_id(self, path: str) -> str | None: ...  # noqa: D102
    def known_path(self, id: str) -> str | None: ...  # noqa: D102


class LinkedIds:
    """The links of all notes, by id."""

    def __init__(self, ids: DocumentIds) -> None:
        self._known = ids
        self._graph: Graph | None = None
        self._catalog = Catalog()
        self._targets: dict[str, tuple[str, ...]] = {}

    def renew(self, graph: "Graph", catalog: Catalog) -> None:
        """Ask these from now on."""
        self._graph, self._catalog = graph, catalog

    async def read_all(self) -> set[str]:
        """Look at every note; returns the ids of those whose list has changed."""
        found: set[str] = set()
        ids = {self._known.known_id(path) for path in self._catalog.paths()} - {None}
        async for some in slices([*ids.union(self._targets)]):
            for id in some:
                found |= self._look(id) if id is not None else set()
        return found

    def sources(self, id: str) -> list[str]:
        """Return the ids of the notes that link to one, in order."""
        note = self._note(id)
        if note is None or self._graph is None:
            return []
        return sorted(self._ids(self._graph.incoming(note)))

    def affected(
        self, changed: Mapping[str, Collection[str]], gone: Mapping[str, Collection[str]]
    ) -> set[str]:
        """Return whose list must be looked at when notes changed or went.

        Each comes with the ids that its list holds so far.
        """
        found = {*changed, *gone}
        looked = {*changed}
        for id, before in changed.items():
            now = set(self.sources(id))
            every = now.union(before)
            looked |= every if len(every) <= _ALL_MAX else now.symmetric_difference(before)
        for id, before in gone.items():
            found.update(self._targets.pop(id, ()))
            looked.update(before)
        for source in looked:
            found |= self._look(source)
        return found

    def _look(self, source: str) -> set[str]:
        before, now = self._targets.pop(source, ()), self._outgoing(source)
        if now:
            self._targets[source] = now
        return set() if before == now else set(before) ^ set(now)

    def _outgoing(self, id: str) -> tuple[str, ...]:
        note = self._note(id)
        if note is None or self._graph is None:
            return ()
        return self._ids(self._graph.outgoing(note))

    def _note(self, id: str) -> int | None:
        path = self._known.known_path(id)
        entry = None if path is None else self._catalog.get(path)
        return None if entry is None else entry.note

    def _ids(self, notes: Iterable[int]) -> tuple[str, ...]:
        paths = (self._catalog.path(note) for note in notes)
        return tuple(id for path in paths if path and (id := self._known.known_id(path)))
