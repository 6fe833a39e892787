"""A store in plain memory, written to be obviously right: the yardstick for the real ones.

Nothing is kept but the texts. Each question looks at all of them anew, with the plainest algorithm
that answers it.
"""

import random
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager

from commonplace.core import digest, links, paths
from commonplace.core.frontmatter import body
from commonplace.core.links import Candidate
from commonplace.errors import BadArgument, Conflict, NotFound
from commonplace.vault.nodes import link_names
from commonplace.vault.nodes.link_names import LinkPicture
from commonplace.vault.nodes.requests import NodeWishes, exists
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
from commonplace.vault.nodes.write import NodeWriter
from commonplace.vault.notes.write import wanted
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker, Json


class MemoryTexts:
    """Texts by id, and what follows from them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self._graph: dict[str, list[str]] | None = None
        self._digests: dict[str, digest.Digest] | None = None

    # -- what follows

    def digests(self) -> dict[str, digest.Digest]:
        if self._digests is None:
            self._digests = {id: digest.digest(id, text) for id, text in self.texts.items()}
        return self._digests

    def named(self) -> dict[str, list[Candidate]]:
        found: dict[str, list[Candidate]] = {}
        for id, each in self.digests().items():
            for key, kind, name in each.names:
                found.setdefault(key, []).append(Candidate(id, kind, name))
        return found

    def graph(self) -> dict[str, list[str]]:
        """Return what every node links to, in order, itself left out."""
        if self._graph is None:
            named = self.named()
            self._graph = {}
            for id, each in self.digests().items():
                meant = [
                    links.resolve(link.target, id, named.get(link.key, ())) for link in each.links
                ]
                self._graph[id] = list(
                    dict.fromkeys(one.path for one in meant if one and one.path != id)
                )
        return self._graph

    # -- the `Base` of wishes

    async def found(self, id: str) -> str | None:
        return self.texts.get(id)

    async def taken(self, key: str) -> str | None:
        return next((id for id in self.texts if paths.collision_key(id) == key), None)

    async def near(self, id: str) -> Sequence[str]:
        return list(self.texts)

    async def linking(self, id: str) -> Sequence[str]:
        return sorted(source for source, targets in self.graph().items() if id in targets)

    async def create(self, id: str, text: str) -> None:
        with self._changing():
            if (taken := await self.taken(paths.collision_key(id))) is not None:
                raise Conflict(exists(taken))
            self.texts[id] = text

    async def change(self, id: str, change: Json) -> tuple[str, str]:
        with self._changing():
            before = self.texts[id]
            self.texts[id] = wanted(before, change)
            return before, self.texts[id]

    async def delete(self, id: str) -> None:
        with self._changing():
            if id not in self.texts:
                raise NotFound(f"Document not found: {id}")
            del self.texts[id]

    async def rename(self, id: str, to: str, title: str) -> list[str]:
        with self._changing():
            written = {each: link_names.mentions(found) for each, found in self.digests().items()}
            picture = LinkPicture(written, self.named())
            text = self.texts[id]
            intent, left = link_names.plan_rename(picture, id, to, text, title)
            del self.texts[id]
            self.texts[to] = text
            self.texts |= link_names.renamed_texts(intent, self.texts)
            return left

    @contextmanager
    def _changing(self) -> Generator[None]:
        try:
            yield
        finally:
            self._graph = self._digests = None


class MemoryStore:
    """The store over them."""

    def __init__(self, texts: Mapping[str, str], permissions: Permissions) -> None:
        self.texts = MemoryTexts(texts)
        self._wishes = NodeWishes(self.texts, "memory")
        self._wishes.teach(permissions)
        self._writing = NodeWriter(self._wishes, permissions)

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(["write"])

    async def ready(self) -> None:
        return None

    async def node(self, id: str, reader: Asker | None = None) -> Node | None:
        found = self._find(id)
        if found is None:
            return None
        if reader is not None:
            self._wishes.show(found, self.texts.texts[found], reader)
        return self._node(found)

    async def nodes(self, ids: Sequence[str], content_max: int) -> list[Node]:
        return [self._node(id) for id in ids if id in self.texts.texts]

    async def titles(self, ids: Collection[str]) -> dict[str, str]:
        return {id: self._node(id).title for id in ids if id in self.texts.texts}

    async def named(self, name: str) -> list[str]:
        carriers = self.texts.named().get(links.name_key(name), [])
        return sorted({each.path for each in carriers if links.resolve(name, "", [each])})

    async def warnings(self, ids: Collection[str]) -> list[str]:
        return []

    async def neighbours(self, id: str, direction: Direction, limit: int) -> Neighbours:
        found = self._find(id)
        if found is None:
            return Neighbours((), 0)
        graph = self.texts.graph()
        into = sorted(source for source in graph if found in graph[source])
        side = graph[found] if direction == "out" else into
        return Neighbours(tuple(side[:limit]), len(side))

    async def path(self, source: str, target: str) -> list[str] | None:
        first, last = self._find(source), self._find(target)
        if first is None or last is None:
            return None
        graph = self.texts.graph()
        # The first by ids of all ways of a length is the one whose prefix is: grow the best way to
        # each node, layer by layer.
        ways = {first: [first]}
        layer = {first: [first]}
        while layer:
            if last in ways:
                return ways[last]
            grown: dict[str, list[str]] = {}
            for node, way in layer.items():
                for to in graph[node]:
                    longer = [*way, to]
                    if to not in ways and (to not in grown or longer < grown[to]):
                        grown[to] = longer
            ways |= grown
            layer = grown
        return None

    async def hubs(self, metric: Metric, limit: int) -> list[tuple[str, int]]:
        graph = self.texts.graph()
        out = {id: len(targets) for id, targets in graph.items()}
        into = {id: sum(id in targets for targets in graph.values()) for id in graph}
        degrees = into if metric == "in_degree" else out
        ranked = sorted((-degree, id) for id, degree in degrees.items() if degree)
        return [(id, -degree) for degree, id in ranked[:limit]]

    async def around(self, id: str | None, steps: int, limit: int) -> Surroundings:
        graph = self.texts.graph()
        both = {one: {*graph[one]} | {s for s in graph if one in graph[s]} for one in graph}
        if id is None:
            hubs = [one for one, _ in await self.hubs("in_degree", limit)]
            chosen = list(dict.fromkeys([*hubs, *sorted(graph)]))[:limit]
        elif (start := self._find(id)) is None:
            chosen = []
        else:
            chosen, edge = [start], [start]
            for _ in range(steps):
                near = {to for one in edge for to in both[one]} - {*chosen}
                edge = sorted(near)[: limit - len(chosen)]
                chosen += edge
        degrees = [len(graph[one]) + len([s for s in graph if one in graph[s]]) for one in chosen]
        edges = [
            (chosen.index(one), chosen.index(to))
            for one in chosen
            for to in graph[one]
            if to in chosen
        ]
        return Surroundings(tuple(zip(chosen, degrees, strict=True)), tuple(edges))

    async def tagged(self, tags: Sequence[str], limit: int, *, every: bool) -> Carriers:
        wanted_keys = [links.fold(tag.strip().lstrip("#").strip("/")) for tag in tags]
        test = all if every else any
        found = [
            id
            for id, each in self.texts.digests().items()
            if test(
                any(f"{links.fold(tag)}/".startswith(f"{key}/") for tag in each.tags)
                for key in wanted_keys
            )
        ]
        return Carriers(tuple(sorted(found)[:limit]), len(found))

    async def random(self, tags: Sequence[str] = ()) -> str | None:
        ids = tuple(self.texts.texts)
        chosen = (await self.tagged(tags, len(ids), every=False)).ids if tags else ids
        return random.choice(chosen) if chosen else None

    async def search(self, query: str, limit: int) -> SearchResult:
        raise NotImplementedError

    async def create(self, draft: NewNode, by: Asker) -> str:
        return await self._writing.create(draft, by)

    async def update(self, id: str, revision: NodeUpdate, by: Asker) -> Updated:
        return await self._writing.update(id, revision, by)

    async def delete(self, id: str, by: Asker) -> bool:
        return await self._writing.delete(id, by)

    def _node(self, id: str) -> Node:
        text = self.texts.texts[id]
        found = self.texts.digests()[id]
        return Node(id, found.title, body(text), found.tags, tuple(self.texts.graph()[id]))

    def _find(self, id: str) -> str | None:
        try:
            path = paths.note_path(id)
        except BadArgument:
            return None
        both = (path, f"{path}.md")
        return next((each for each in both if each in self.texts.texts), None)
