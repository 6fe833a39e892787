"""The vault's link graph in memory: read from the index when first asked for, then kept current.

Each change of the index brings, for every note whose links may lead elsewhere, all that it links
to now. Such changes are absolute, so those that arrive while the graph is being read are simply
made once more afterwards. Belongs to the event loop.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from commonplace.core.graph import Graph


Relinked = Mapping[int, Sequence[int]]
"""What each of some notes links to now."""


GraphListener = Callable[[Collection[int] | None], None]
"""Hears which notes' links may lead elsewhere now; None: all of them."""


class LinkGraph:
    """The graph, or the promise of one."""

    def __init__(self, read: "Callable[[], Graph]") -> None:
        self._read = read
        self._graph: Graph | None = None
        self._reading = anyio.Lock()
        self._since: list[tuple[Relinked, frozenset[int]]] | None = None
        self._listeners: list[GraphListener] = []

    def follow(self, listener: GraphListener) -> Callable[[], None]:
        """Call `listener` at each change of links; call what is returned to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def get(self) -> "Graph":
        """Return the graph; the first time, read it in a thread."""
        while self._graph is None:
            async with self._reading:
                if self._graph is None:
                    await self._load()
        return self._graph

    async def _load(self) -> None:
        since = self._since = []
        graph = await anyio.to_thread.run_sync(self._read)
        if self._since is not since:
            return  # the index was replaced meanwhile: what was read is of no use
        for relinked, gone in since:
            _apply(graph, relinked, gone)
        self._graph, self._since = graph, None

    def take(self, relinked: Relinked, gone: Iterable[int]) -> None:
        """Make a change of the index in the graph as well."""
        gone = frozenset(gone)
        if self._graph is not None:
            _apply(self._graph, relinked, gone)
        elif self._since is not None:
            self._since.append((relinked, gone))
        self._tell(relinked.keys())

    def forget(self) -> None:
        """Let go of a graph whose index was replaced; the next question reads the new one."""
        self._graph = self._since = None
        self._tell(None)

    def _tell(self, notes: Collection[int] | None) -> None:
        for listener in list(self._listeners):
            listener(notes)


class SeenGraph(LinkGraph):
    """The graph of the notes that a reader of the index sees, read anew when links change."""

    def __init__(self, whole: LinkGraph, read: "Callable[[], Graph]") -> None:
        super().__init__(read)
        self.close = whole.follow(lambda _: self.forget())


def gathered(sources: Iterable[int], edges: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Gather what each source links to; one that links nowhere has an empty list."""
    found: dict[int, list[int]] = {source: [] for source in sources}
    for source, target in edges:
        found[source].append(target)
    return found


def _apply(graph: "Graph", relinked: Relinked, gone: frozenset[int]) -> None:
    for node in gone:
        graph.remove(node)
    for source, targets in relinked.items():
        graph.put(source, targets)
