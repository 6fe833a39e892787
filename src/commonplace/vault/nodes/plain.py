"""A store for nodes that are all in memory: the base for a provider that only has to list them.

A subclass says what there is (`listed`), and everything that reads and walks follows from it. It
cannot write or search unless the subclass adds that, and says so in `capabilities`.
"""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence

from commonplace.core.graph import Graph
from commonplace.core.links import fold
from commonplace.errors import Unavailable
from commonplace.vault.nodes.store import (
    Capability,
    Carriers,
    Direction,
    Metric,
    Neighbours,
    NewNode,
    Node,
    NodeUpdate,
    SearchResult,
    Surroundings,
    Updated,
)
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.search.readiness import Incomplete


class PlainStore(ABC):
    """Nodes in memory; `listed` is asked anew for each question."""

    @abstractmethod
    def listed(self) -> Iterable[Node]:
        """Return all nodes."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this store can do beside reading and walking: nothing."""
        return frozenset()

    async def ready(self) -> Incomplete | None:
        """Say that all nodes are known: nothing is indexed first."""
        return None

    async def node(self, id: str, reader: Asker | None = None) -> Node | None:
        """Return one node whole."""
        return self._nodes().get(id)

    async def nodes(self, ids: Sequence[str], content_max: int) -> list[Node]:
        """Return nodes in order."""
        found = self._nodes()
        return [found[id] for id in ids if id in found]

    async def titles(self, ids: Collection[str]) -> dict[str, str]:
        """Return the titles of nodes."""
        found = self._nodes()
        return {id: found[id].title for id in ids if id in found}

    async def named(self, name: str) -> list[str]:
        """Return the nodes that have this title."""
        return sorted(node.id for node in self.listed() if fold(node.title) == fold(name))

    async def neighbours(self, id: str, direction: Direction, limit: int) -> Neighbours:
        """Return what a node links to, or what links to it."""
        graph, ids, numbers = self._graph()
        if id not in numbers:
            return Neighbours((), 0)
        number = numbers[id]
        found = [ids[to] for to in graph.outgoing(number)]
        if direction == "in":
            found = sorted(ids[source] for source in graph.incoming(number))
        return Neighbours(tuple(found[:limit]), len(found))

    async def path(self, source: str, target: str) -> list[str] | None:
        """Find a shortest way along links."""
        graph, ids, numbers = self._graph()
        if source not in numbers or target not in numbers:
            return None
        way = graph.path(numbers[source], numbers[target], ids.__getitem__)
        return None if way is None else [ids[number] for number in way]

    async def hubs(self, metric: Metric, limit: int) -> list[tuple[str, int]]:
        """Return the nodes of the highest degree."""
        graph, ids, _ = self._graph()
        degrees = graph.by_in_degree if metric == "in_degree" else graph.by_out_degree
        return [(ids[number], degree) for number, degree in degrees.top(limit, ids.__getitem__)]

    async def around(self, id: str | None, steps: int, limit: int) -> Surroundings:
        """Return the nodes around one, or the most linked of all."""
        graph, ids, numbers = self._graph()
        if id is None:
            hubs = [number for number, _ in graph.by_in_degree.top(limit, ids.__getitem__)]
            chosen = list(dict.fromkeys([*hubs, *range(len(ids))]))[:limit]
        else:
            known = id in numbers
            chosen = graph.around(numbers[id], steps, limit, ids.__getitem__) if known else []
        places = {number: place for place, number in enumerate(chosen)}
        edges = [
            (places[one], places[to])
            for one in chosen
            for to in graph.outgoing(one)
            if to in places
        ]
        degrees = [len(graph.outgoing(one)) + len(graph.incoming(one)) for one in chosen]
        nodes = zip((ids[number] for number in chosen), degrees, strict=True)
        return Surroundings(tuple(nodes), tuple(edges))

    async def tagged(self, tags: Sequence[str], limit: int, *, every: bool) -> Carriers:
        """Return nodes that carry tags, or tags beneath them."""
        keys = [f"{fold(tag)}/" for tag in tags]
        test = all if every else any
        found = [
            node.id
            for node in self.listed()
            if test(any(f"{fold(tag)}/".startswith(key) for tag in node.tags) for key in keys)
        ]
        return Carriers(tuple(sorted(found)[:limit]), len(found))

    async def random(self, tags: Sequence[str] = ()) -> str | None:
        """Choose a node at random."""
        ids = list(self._nodes())
        chosen = (await self.tagged(tags, len(ids), every=False)).ids if tags else ids
        return secrets.choice(chosen) if chosen else None

    async def search(self, query: str, limit: int) -> SearchResult:
        """Find nothing: this store cannot search."""
        raise Unavailable("This store cannot search.")

    async def create(self, draft: NewNode, by: Asker) -> str:
        """Make nothing: this store cannot write."""
        raise Unavailable("This store cannot be written to.")

    async def update(self, id: str, revision: NodeUpdate, by: Asker) -> Updated:
        """Change nothing: this store cannot write."""
        raise Unavailable("This store cannot be written to.")

    async def delete(self, id: str, by: Asker) -> bool:
        """Delete nothing: this store cannot write."""
        raise Unavailable("This store cannot be written to.")

    async def warnings(self, ids: Collection[str]) -> list[str]:
        """Notice nothing."""
        return []

    def _nodes(self) -> dict[str, Node]:
        return {node.id: node for node in self.listed()}

    def _graph(self) -> tuple[Graph, list[str], dict[str, int]]:
        """Return the graph of numbers, the ids by number, and the numbers by id."""
        nodes = self._nodes()
        ids = list(nodes)
        numbers = {id: number for number, id in enumerate(ids)}
        graph = Graph()
        for id, node in nodes.items():
            graph.put(numbers[id], [numbers[to] for to in node.links if to in numbers])
        return graph, ids, numbers
