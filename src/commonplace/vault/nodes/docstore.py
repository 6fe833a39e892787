"""The store of the `graph` tools over a vault: a node is a note, its id the note's path.

Walks are made in the link graph, whose numbers are the index's; what a node holds comes from the
index and the corpus in one batch each. A single node is read from its live text, so that it is
right to the letter even while the index is being built.
"""

import secrets
from collections.abc import Collection, Iterable, Sequence

from commonplace.core import composing, digest, frontmatter, paths
from commonplace.core.graph import Graph
from commonplace.errors import BadArgument, NotFound
from commonplace.vault.node_writing import NodeWriting
from commonplace.vault.permissions import Permissions
from commonplace.vault.store import (
    Capability,
    Direction,
    Draft,
    Found,
    Metric,
    Neighbours,
    Node,
    Revision,
    Updated,
)
from commonplace.vault.vault import Vault
from commonplace.vault.wishes import Asker


class DocStore:
    """The notes of a vault as linked nodes."""

    def __init__(self, vault: Vault, permissions: Permissions | None = None) -> None:
        linked = vault.linked
        self._notes = vault
        self._index = linked.index
        self._contents = linked.contents
        self._links = linked.graph
        self._noticing = linked.noticing
        self._text = linked.text
        self._writing = NodeWriting(vault, permissions or vault.permissions)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this vault can do: search if a provider of embeddings works."""
        can: list[Capability] = [] if self._notes.settings.read_only else ["write"]
        if self._notes.meaning.works:
            can.append("search")
        return frozenset(can)

    # -- reading

    async def node(self, id: str, reader: str | None = None) -> Node | None:
        """Return a note whole."""
        path = self._find(id)
        if path is None:
            return None
        if reader is None:
            text = await self._notes.text(path)
        else:
            text = (await self._notes.read(path, reader)).text
        digested = digest.digest(path, text)
        links = await self._links_of(path)
        return Node(path, digested.title, _body(text), digested.tags, links)

    async def nodes(self, ids: Sequence[str], content_max: int) -> list[Node]:
        """Return notes in order, in one batch."""
        graph = await self._graph()
        numbers = [entry.note for id in ids if (entry := self._contents.catalog.get(id))]
        abouts = self._index.abouts(numbers)
        tags = self._index.tags.of(numbers)
        return [
            Node(
                about.path,
                about.title or paths.stem(about.path),
                self._beginning(note, content_max),
                tuple(tags[note]),
                self._paths(graph.outgoing(note)),
            )
            for note in numbers
            if (about := abouts.get(note)) is not None
        ]

    async def titles(self, ids: Collection[str]) -> dict[str, str]:
        """Return the titles of notes."""
        return self._index.titles(ids)

    async def warnings(self, ids: Collection[str]) -> list[str]:
        """Tell what is amiss in notes, once; while the index is built nobody can say."""
        return [] if self._notes.listing.unfinished else self._noticing.tell(ids)

    # -- walking

    async def neighbours(self, id: str, direction: Direction, limit: int) -> Neighbours:
        """Return the notes on one side of a note."""
        graph, note = await self._graph(), self._number(id)
        if note is None:
            return Neighbours((), 0)
        if direction == "out":
            found = graph.outgoing(note)
            return Neighbours(self._paths(found[:limit]), len(found))
        found = graph.incoming(note)
        first = self._contents.catalog.first_of(set(found), limit)
        return Neighbours(tuple(first), len(found))

    async def path(self, source: str, target: str) -> list[str] | None:
        """Find a shortest way along links."""
        graph = await self._graph()
        first, last = self._number(source), self._number(target)
        if first is None or last is None:
            return None
        way = graph.path(first, last, self._name)
        return None if way is None else [self._name(note) for note in way]

    async def hubs(self, metric: Metric, limit: int) -> list[tuple[str, int]]:
        """Return the most linked notes."""
        graph = await self._graph()
        degrees = graph.by_in_degree if metric == "in_degree" else graph.by_out_degree
        return [(self._name(note), degree) for note, degree in degrees.top(limit, self._name)]

    async def around(
        self, id: str | None, steps: int, limit: int
    ) -> tuple[list[tuple[str, int]], list[tuple[int, int]]]:
        """Return the notes around one, or the most linked of all: (path, degree), and edges."""
        graph = await self._graph()
        if id is None:
            chosen = [note for note, _ in graph.by_in_degree.top(limit, self._name)]
            rest = (entry.note for entry in self._contents.catalog.newest())
            chosen = list(dict.fromkeys([*chosen, *rest]))[:limit]
        else:
            note = self._number(id)
            chosen = [] if note is None else graph.around(note, steps, limit, self._name)
        places = {note: place for place, note in enumerate(chosen)}
        edges = [
            (places[note], places[target])
            for note in chosen
            for target in graph.outgoing(note)
            if target in places
        ]
        degrees = [len(graph.outgoing(note)) + len(graph.incoming(note)) for note in chosen]
        return list(zip(map(self._name, chosen), degrees, strict=True)), edges

    async def tagged(self, tags: Sequence[str], limit: int, *, every: bool) -> list[str]:
        """Return notes that carry tags."""
        await self._notes.listing.caught_up()
        notes = self._index.tags.carrying(tags, every=every)
        if notes is None:
            return self._index.tags.carrying_in_order(tags, limit, every=every)
        return self._contents.catalog.first_of(notes, limit)

    async def random(self, tags: Sequence[str] = ()) -> str | None:
        """Choose a note at random."""
        entries = await self._notes.listing.newest()
        if tags:
            chosen = await self.tagged(tags, len(entries), every=False)
            return secrets.choice(chosen) if chosen else None
        return secrets.choice(entries).path if entries else None

    async def search(self, query: str, limit: int) -> Found:
        """Find notes by words and meaning."""
        hits = await self._notes.search(query, limit)
        progress = self._notes.meaning.progress
        scores = tuple((hit.path, hit.score) for hit in hits)
        return Found(scores, progress.embedded, progress.total, progress.problem)

    # -- writing

    async def create(self, draft: Draft, by: Asker) -> str:
        """Make a note."""
        return await self._writing.create(draft, by)

    async def update(self, id: str, revision: Revision, by: Asker) -> Updated:
        """Change a note, rename it, or both."""
        return await self._writing.update(id, revision, by)

    async def delete(self, id: str, by: Asker) -> bool:
        """Move a note to the trash."""
        return await self._writing.delete(id, by)

    # -- parts

    async def _graph(self) -> Graph:
        await self._notes.listing.caught_up()
        return await self._links.get()

    async def _links_of(self, path: str) -> tuple[str, ...]:
        if self._notes.listing.unfinished is not None:
            return tuple((await self._notes.listing.links(path)).forward)
        graph, note = await self._graph(), self._number(path)
        return () if note is None else self._paths(graph.outgoing(note))

    def _find(self, id: str) -> str | None:
        """Return the path that an id means; one that no note can have means none."""
        try:
            return self._notes.find(id)
        except (NotFound, BadArgument):
            return None

    def _number(self, id: str) -> int | None:
        path = self._find(id)
        entry = None if path is None else self._contents.catalog.get(path)
        return None if entry is None else entry.note

    def _name(self, note: int) -> str:
        return self._contents.catalog.path(note) or ""

    def _paths(self, notes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._contents.catalog.paths_of(notes))

    def _beginning(self, note: int, content_max: int) -> str:
        reach = 2 * frontmatter.BLOCK_MAX + 4 * (content_max + 1)
        return _body(self._text(note)[:reach].decode("utf-8", "ignore"))[: content_max + 1]


def _body(text: str) -> str:
    """Return the text after the frontmatter; blank lines between belong to neither."""
    block, body = composing.parts(text)
    return body.lstrip("\n") if block else body
