"""What the `graph` tools ask of a store of linked nodes.

Nothing here knows what a node is kept as. The contract suite (`tests/vault/nodes/contract.py`)
says what an implementation must hold: an id that does not exist is never an error but for an
update, titles are resolved in one batch, and a write is made only with the person's permission.
Which store is used, and how it is opened, is in `nodes.providers`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from commonplace.vault.permissions.requests import Asker
from commonplace.vault.search.readiness import Incomplete

CONTENT_MAX = 10_000
"""How many characters of a node's content are shown where it stands alone."""

Direction = Literal["in", "out"]
Metric = Literal["in_degree", "out_degree"]
Capability = Literal["search", "write"]


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its content without metadata, and the ids of the nodes that it links to."""

    id: str
    title: str
    content: str
    tags: tuple[str, ...]
    links: tuple[str, ...]
    titles: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    """The titles of its links, where a store has them at hand; it is asked for the others."""
    said: Mapping[str, object] = field(default_factory=dict[str, object])
    """What people said about it that its reader should know, by the names of fields."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Some of the nodes on one side of a node, and how many there are in all."""

    ids: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Carriers:
    """Some of the nodes that carry tags, by id, and how many there are in all."""

    ids: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A part of the graph: nodes with their degrees, and edges between their places."""

    nodes: tuple[tuple[str, int], ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, best first, with scores from 0 to 1.

    `embedded` of `total` nodes can be found by their meaning yet; `problem` says why the others,
    or all, cannot.
    """

    scores: tuple[tuple[str, float], ...]
    embedded: int
    total: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node to be made; `group` is where it belongs, in the store's own words."""

    title: str
    content: str
    tags: tuple[str, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class NodeUpdate:
    """What is to be different about a node; None leaves a part as it is."""

    title: str | None = None
    content: str | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Updated:
    """The id that a node has after an update, and what the caller should know about it."""

    id: str
    notices: tuple[str, ...] = ()


class Store(Protocol):
    """Linked nodes that can be read, walked, searched and changed."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this store can do beside reading and walking."""
        ...

    async def ready(self) -> Incomplete | None:
        """Wait a little until all nodes are known; tell how far that is if they are not."""
        ...

    async def node(self, id: str, reader: Asker | None = None) -> Node | None:
        """Return one node whole; `reader` is whoever has seen it then."""
        ...

    async def nodes(self, ids: Sequence[str], content_max: int) -> list[Node]:
        """Return nodes in order, in one batch; content may be cut beyond a length."""
        ...

    async def titles(self, ids: Collection[str]) -> dict[str, str]:
        """Return the titles of nodes, in one batch."""
        ...

    async def named(self, name: str) -> list[str]:
        """Return the ids of the nodes that a link by this name could mean, in order."""
        ...

    async def neighbours(self, id: str, direction: Direction, limit: int) -> Neighbours:
        """Return what a node links to, in its order, or what links to it, by id."""
        ...

    async def path(self, source: str, target: str) -> list[str] | None:
        """Find a shortest way along links; of several the first by ids."""
        ...

    async def hubs(self, metric: Metric, limit: int) -> list[tuple[str, int]]:
        """Return the nodes of the highest degree, ties by id; none of degree 0."""
        ...

    async def around(self, id: str | None, steps: int, limit: int) -> Surroundings:
        """Return the nodes within some steps either way of one, nearest first, ties by id.

        Without an id: the most linked of all, then the newest.
        """
        ...

    async def tagged(self, tags: Sequence[str], limit: int, *, every: bool) -> Carriers:
        """Return nodes that carry any, or every, of these tags, by id."""
        ...

    async def random(self, tags: Sequence[str] = ()) -> str | None:
        """Choose a node at random, among those that carry any of these tags if some are given."""
        ...

    async def search(self, query: str, limit: int) -> SearchResult:
        """Find nodes by words and meaning."""
        ...

    async def create(self, draft: NewNode, by: Asker) -> str:
        """Make a node; Conflict if there is one already."""
        ...

    async def update(self, id: str, revision: NodeUpdate, by: Asker) -> Updated:
        """Change a node; NotFound if there is none."""
        ...

    async def delete(self, id: str, by: Asker) -> bool:
        """Delete a node; False if there is none."""
        ...

    async def warnings(self, ids: Collection[str]) -> list[str]:
        """Tell what was noticed about nodes since this was last asked about them."""
        ...
