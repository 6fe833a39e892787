"""The store of the `graph` tools over a vault: a node is a note, its id the note's path.

Walks are made in the link graph, whose numbers are the index's; what a node holds comes from the
index and the corpus in one batch each. A single node is read from its live text, so that it is
right to the letter even while the index is being built.
"""

import secrets
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from commonplace.core import digest, frontmatter, links, paths
from commonplace.core.frontmatter import body
from commonplace.core.text.line_pages import NO_LINES
from commonplace.errors import BadArgument, NotFound
from commonplace.vault.index.reader import About
from commonplace.vault.nodes import link_names
from commonplace.vault.nodes.store import (
    CONTENT_MAX,
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
from commonplace.vault.nodes.vault_notes import VaultNotes
from commonplace.vault.nodes.write import NodeWriter
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker, Json
from commonplace.vault.search.readiness import Incomplete
from commonplace.vault.threads import aside_if_long
from commonplace.vault.vault import Vault

if TYPE_CHECKING:
    from commonplace.core.graph import Graph

_TAGS_MAX = 1_000


class DocStore:
    """The notes of a vault as linked nodes."""

    def __init__(self, vault: Vault, permissions: Permissions | None = None) -> None:
        self._vault = vault
        self._index = vault.index
        self._contents = vault.contents
        self._links = vault.links
        self._warnings = vault.warnings
        self._text = vault.texts.of_note
        self._writing = NodeWriter(VaultNotes(vault), permissions or vault.permissions)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this vault can do: search if a provider of embeddings works."""
        can: list[Capability] = [] if self._vault.settings.read_only else ["write"]
        if self._vault.meaning.works:
            can.append("search")
        return frozenset(can)

    async def ready(self) -> Incomplete | None:
        """Wait a little until the index knows all notes."""
        return await self._vault.readiness.indexed()

    # -- reading

    async def node(self, id: str, reader: Asker | None = None) -> Node | None:
        """Return a note whole."""
        path = self._find(id)
        if path is None:
            await self._refuse_attachment(id)
            return None
        said: Json = {}
        if reader is None:
            text = await self._vault.texts.accepted(path)
        else:
            note = await self._vault.reader.read(path, reader.id, reader.name)
            text, said = note.text, note.said
            shown = None if len(body(text)) <= CONTENT_MAX else NO_LINES
            await self._vault.reader.show(path, reader.id, reader.name, shown)
        digested = await aside_if_long(partial(digest.digest, path), text)
        linked = await self._links_of(path)
        return Node(path, digested.title, body(text), digested.tags, linked, said=said)

    async def _refuse_attachment(self, id: str) -> None:
        """Say what a file is that is there and yet no node."""
        try:
            file = await self._vault.attachments.find(id)
        except BadArgument:
            return  # no path: there is nothing of that name
        if file is not None:
            raise NotFound(
                f"{file.path} is an attachment, not a node",
                "Attachments are taken by read, glob and get_links only.",
            )

    async def nodes(self, ids: Sequence[str], content_max: int) -> list[Node]:
        """Return notes in order, in one batch."""
        graph = await self._graph()
        numbers = [entry.note for id in ids if (entry := self._contents.catalog.get(id))]
        abouts = self._index.abouts(numbers)
        tags = self._index.tags.of(numbers, _TAGS_MAX + 1)
        return [
            Node(
                about.path,
                about.title or paths.stem(about.path),
                self._beginning(about, content_max),
                tuple(tags[note]),
                self._paths(graph.outgoing(note)),
            )
            for note in numbers
            if (about := abouts.get(note)) is not None
        ]

    async def titles(self, ids: Collection[str]) -> dict[str, str]:
        """Return the titles of notes."""
        return self._index.titles(ids)

    async def named(self, name: str) -> list[str]:
        """Return the notes that a link by this name could mean."""
        await self._vault.listing.caught_up()
        lately = self._vault.renames.lately
        if (moved := lately(name) or lately(f"{name}.md")) is not None:
            return [moved]
        return link_names.meant_by(name, self._index.links.named(links.name_key(name)))

    async def warnings(self, ids: Collection[str]) -> list[str]:
        """Tell what is amiss in notes, once; while the index is built nobody can say."""
        return [] if self._vault.listing.unfinished else self._warnings.tell(ids)

    # -- walking

    async def neighbours(self, id: str, direction: Direction, limit: int) -> Neighbours:
        """Return the notes on one side of a note."""
        graph, note = await self._graph(), self._number(id)
        if note is None:
            await self._refuse_attachment(id)
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
            for id in (source, target):
                await self._refuse_attachment(id)
            return None
        way = graph.path(first, last, self._name)
        return None if way is None else [self._name(note) for note in way]

    async def hubs(self, metric: Metric, limit: int) -> list[tuple[str, int]]:
        """Return the most linked notes."""
        graph = await self._graph()
        degrees = graph.by_in_degree if metric == "in_degree" else graph.by_out_degree
        return [(self._name(note), degree) for note, degree in degrees.top(limit, self._name)]

    async def around(self, id: str | None, steps: int, limit: int) -> Surroundings:
        """Return the notes around one, or the most linked of all."""
        graph = await self._graph()
        if id is None:
            chosen = [note for note, _ in graph.by_in_degree.top(limit, self._name)]
            rest = (entry.note for entry in self._contents.catalog.newest())
            chosen = list(dict.fromkeys([*chosen, *rest]))[:limit]
        else:
            note = self._number(id)
            chosen = [] if note is None else graph.around(note, steps, limit, self._name)
        places = {note: place for place, note in enumerate(chosen)}
        edges = tuple(
            (places[note], places[target])
            for note in chosen
            for target in graph.outgoing(note)
            if target in places
        )
        degrees = [len(graph.outgoing(note)) + len(graph.incoming(note)) for note in chosen]
        return Surroundings(tuple(zip(map(self._name, chosen), degrees, strict=True)), edges)

    async def tagged(self, tags: Sequence[str], limit: int, *, every: bool) -> Carriers:
        """Return notes that carry tags."""
        await self._vault.listing.caught_up()
        notes = self._index.tags.carrying(tags, every=every)
        first = self._contents.catalog.first_of(notes, limit)
        total = len(self._paths(notes)) if len(first) == limit else len(first)
        return Carriers(tuple(first), total)

    async def random(self, tags: Sequence[str] = ()) -> str | None:
        """Choose a note at random."""
        entries = await self._vault.listing.newest()
        if tags:
            chosen = (await self.tagged(tags, len(entries), every=False)).ids
            return secrets.choice(chosen) if chosen else None
        return secrets.choice(entries).path if entries else None

    async def search(self, query: str, limit: int) -> SearchResult:
        """Find notes by words and meaning."""
        hits = await self._vault.search.search(query, limit)
        progress = self._vault.meaning.progress
        scores = tuple((hit.path, hit.score) for hit in hits)
        return SearchResult(scores, progress.embedded, progress.total, progress.problem)

    # -- writing

    async def create(self, draft: NewNode, by: Asker) -> str:
        """Make a note."""
        return await self._writing.create(draft, by)

    async def update(self, id: str, revision: NodeUpdate, by: Asker) -> Updated:
        """Change a note, rename it, or both."""
        return await self._writing.update(id, revision, by)

    async def delete(self, id: str, by: Asker) -> bool:
        """Move a note to the trash."""
        if self._find(id) is None:
            await self._refuse_attachment(id)
        return await self._writing.delete(id, by)

    # -- parts

    async def _graph(self) -> "Graph":
        await self._vault.listing.caught_up()
        return await self._links.get()

    async def _links_of(self, path: str) -> tuple[str, ...]:
        if self._vault.listing.unfinished is not None:
            return tuple((await self._vault.listing.links(path)).forward)
        graph, note = await self._graph(), self._number(path)
        return () if note is None else self._paths(graph.outgoing(note))

    def _find(self, id: str) -> str | None:
        """Return the path that an id means; one that no note can have means none."""
        try:
            return self._vault.texts.find(id)
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

    def _beginning(self, about: About, content_max: int) -> str:
        reach = 2 * frontmatter.YAML_BYTES_MAX + 4 * (content_max + 1)
        text = self._text(about.note)[:reach].decode("utf-8", "ignore")
        # The corpus ends every text with a newline, whether or not the note does.
        return body(text)[: about.chars][: content_max + 1]
