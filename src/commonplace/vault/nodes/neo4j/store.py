"""The store of the `graph` tools over nodes that live in a Neo4j database.

Each answer takes one round trip, but for those of a path that has many of its length and of tags
that very many nodes carry. A node's id is spelled as a path, and its text is Markdown: titles, tags
and links mean what they mean in a vault.
"""

import secrets
from collections import OrderedDict
from collections.abc import Collection, Sequence

from commonplace.core import links, paths
from commonplace.core.links import Candidate, NameKind, fold
from commonplace.errors import BadArgument
from commonplace.vault.nodes import link_names
from commonplace.vault.nodes.neo4j.connection import Database, Row
from commonplace.vault.nodes.neo4j.cypher import Statement, reads
from commonplace.vault.nodes.neo4j.search import NodeSearch
from commonplace.vault.nodes.requests import NodeWishes
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
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.search.readiness import Incomplete

WAYS_MAX = 1_000
TAGGED_MANY = 2_000
_TOLD_MAX = 20_000


class ReportedProblems:
    """What was said to be amiss in nodes, so that it is said once."""

    def __init__(self) -> None:
        self._told: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def fresh(self, id: str, facts: tuple[str, ...]) -> bool:
        """Tell whether these facts are news, and remember them."""
        known = self._told.pop(id, ())
        self._told[id] = facts
        while len(self._told) > _TOLD_MAX:
            self._told.popitem(last=False)
        return bool(facts) and facts != known


class Neo4jStore:
    """Nodes in a database, under the permissions of one front end."""

    def __init__(
        self,
        database: Database,
        wishes: NodeWishes,
        search: NodeSearch,
        permissions: Permissions,
        told: ReportedProblems,
        *,
        read_only: bool = False,
    ) -> None:
        self._database = database
        self._wishes = wishes
        self._search = search
        self._writing = NodeWriter(wishes, permissions)
        self._told = told
        self._read_only = read_only

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this store can do: search if a provider of embeddings works."""
        can: list[Capability] = [] if self._read_only else ["write"]
        if self._search.works:
            can.append("search")
        return frozenset(can)

    # -- reading

    async def ready(self) -> Incomplete | None:
        """Say that all nodes are known: nothing is indexed first."""
        return None

    async def node(self, id: str, reader: Asker | None = None) -> Node | None:
        """Return a node whole."""
        found = await self._database.run(reads.NODE, ids=_spellings(id))
        if not found:
            return None
        (row,) = found
        if reader is not None:
            self._wishes.show(row["id"], row["frontmatter"] + row["content"], reader)
        return _node(row, row["content"])

    async def nodes(self, ids: Sequence[str], content_max: int) -> list[Node]:
        """Return nodes in order, in one round trip."""
        if not ids:
            return []
        # The database counts in UTF-16: twice as many surely hold so many characters.
        found = await self._database.run(reads.NODES, ids=list(ids), units=2 * (content_max + 1))
        return [_node(row, row["content"][: content_max + 1]) for row in found[0]["nodes"]]

    async def titles(self, ids: Collection[str]) -> dict[str, str]:
        """Return the titles of nodes, in one round trip."""
        if not ids:
            return {}
        found = await self._database.run(reads.TITLES, ids=list(ids))
        return dict(found[0]["titles"])

    async def named(self, name: str) -> list[str]:
        """Return the nodes that a link by this name could mean."""
        found = await self._database.run(reads.CARRIERS, keys=[links.name_key(name)])
        carriers = [Candidate(row["id"], NameKind(row["kind"]), row["name"]) for row in found]
        return link_names.meant_by(name, carriers)

    async def warnings(self, ids: Collection[str]) -> list[str]:
        """Tell what is amiss in nodes, once."""
        some = list(dict.fromkeys(ids))
        if not some:
            return []
        (row,) = await self._database.run(reads.WARNINGS, ids=some)
        found: dict[str, Row] = {each["id"]: each for each in row["nodes"]}
        warnings: list[str] = []
        for id in some:
            facts = _facts(found[id]) if id in found else ()
            if self._told.fresh(id, facts):
                warnings += [f"{id}: {fact}" if len(some) > 1 else fact for fact in facts]
        return warnings

    # -- walking

    async def neighbours(self, id: str, direction: Direction, limit: int) -> Neighbours:
        """Return the nodes on one side of a node."""
        statement = reads.OUT if direction == "out" else reads.INTO
        found = await self._database.run(statement, ids=_spellings(id), limit=limit)
        return Neighbours(tuple(found[0]["ids"]), found[0]["total"]) if found else Neighbours((), 0)

    async def path(self, source: str, target: str) -> list[str] | None:
        """Find a shortest way along links; of several the first by ids."""
        first, last = await self._find(source), await self._find(target)
        if first is None or last is None:
            return None
        if first == last:
            return [first]
        found = await self._database.run(reads.SHORTEST, source=first, target=last)
        if not found:
            return None
        way: list[str] = found[0]["way"]
        return way if len(way) == 2 else await self._first_way(way)

    async def _first_way(self, one: list[str]) -> list[str]:
        """Choose among all ways of a length; of too many, go to the first that leads on."""
        source, target = one[0], one[-1]
        found = await self._database.run(
            reads.ALL_SHORTEST, source=source, target=target, limit=WAYS_MAX + 1
        )
        if len(found) <= WAYS_MAX:
            return min((row["way"] for row in found), default=one)
        way = [source]
        for left in range(len(one) - 2, 0, -1):
            (row,) = await self._database.run(
                reads.NEXT_STEP, source=way[-1], target=target, left=left
            )
            way.append(row["id"])
        return [*way, target]

    async def hubs(self, metric: Metric, limit: int) -> list[tuple[str, int]]:
        """Return the most linked nodes."""
        statement = reads.IN_DEGREES if metric == "in_degree" else reads.OUT_DEGREES
        found = await self._database.run(statement, limit=limit)
        return [(row["id"], row["degree"]) for row in found]

    async def around(self, id: str | None, steps: int, limit: int) -> Surroundings:
        """Return the nodes around one, or the most linked of all, then the newest."""
        chosen = (
            await self._most_linked(limit) if id is None else await self._near(id, steps, limit)
        )
        found = await self._database.run(reads.AMONG, ids=chosen) if chosen else []
        places = {row["id"]: place for place, row in enumerate(found)}
        edges = [(places[row["id"]], places[to]) for row in found for to in row["links"]]
        return Surroundings(tuple((row["id"], row["degree"]) for row in found), tuple(edges))

    async def _most_linked(self, limit: int) -> list[str]:
        hubs = [id for id, _ in await self.hubs("in_degree", limit)]
        newest = await self._database.run(reads.NEWEST, limit=limit)
        return list(dict.fromkeys([*hubs, *(row["id"] for row in newest)]))[:limit]

    async def _near(self, id: str, steps: int, limit: int) -> list[str]:
        start = await self._find(id)
        if start is None:
            return []
        found, edge = {start: None}, [start]
        for _ in range(steps):
            near = await self._database.run(
                reads.NEAR, edge=edge, found=list(found), limit=limit - len(found)
            )
            edge = [row["id"] for row in near]
            found |= dict.fromkeys(edge)
        return list(found)

    async def tagged(self, tags: Sequence[str], limit: int, *, every: bool) -> Carriers:
        """Return nodes that carry tags, or tags beneath them."""
        keys = list(dict.fromkeys(fold(tag.strip().lstrip("#").strip("/")) for tag in tags))
        rows = await self._database.run(reads.COUNT_TAGGED, keys=keys)
        rows.sort(key=lambda row: row["notes"])
        if not rows or (every and not rows[0]["notes"]):
            return Carriers((), 0)
        groups: list[list[str]] = [row["beneath"] for row in rows]
        if every and len(groups) > 1:
            many = rows[0]["notes"] > TAGGED_MANY
            statement = reads.MANY_TAGGED_EVERY if many else reads.TAGGED_EVERY
            return await self._carriers(statement, first=groups[0], groups=groups, limit=limit)
        first = list(dict.fromkeys(key for group in groups for key in group))
        if sum(row["notes"] for row in rows) <= TAGGED_MANY:
            return await self._carriers(reads.TAGGED_ANY, first=first, limit=limit)
        found = await self._database.run(reads.WALK_TAGGED_ANY, first=first, limit=limit)
        total = len(found)
        if total == limit:
            (row,) = await self._database.run(reads.COUNT_TAGGED_ANY, first=first)
            total = row["total"]
        return Carriers(tuple(row["id"] for row in found), total)

    async def _carriers(self, statement: Statement, **parameters: object) -> Carriers:
        (row,) = await self._database.run(statement, **parameters)
        return Carriers(tuple(row["ids"]), row["total"])

    async def random(self, tags: Sequence[str] = ()) -> str | None:
        """Choose a node at random."""
        if tags:
            total = await self._count()
            chosen = (await self.tagged(tags, max(1, total), every=False)).ids
            return secrets.choice(chosen) if chosen else None
        while total := await self._count():
            place = secrets.randbelow(total)
            if found := await self._database.run(reads.NOTE_AT, place=place):
                return found[0]["id"]
        return None

    async def search(self, query: str, limit: int) -> SearchResult:
        """Find nodes by words and meaning."""
        return await self._search.search(query, limit)

    # -- writing

    async def create(self, draft: NewNode, by: Asker) -> str:
        """Make a node."""
        return await self._writing.create(draft, by)

    async def update(self, id: str, revision: NodeUpdate, by: Asker) -> Updated:
        """Change a node, rename it, or both."""
        return await self._writing.update(id, revision, by)

    async def delete(self, id: str, by: Asker) -> bool:
        """Take a node out of the graph."""
        return await self._writing.delete(id, by)

    # -- parts

    async def _find(self, id: str) -> str | None:
        found = await self._database.run(reads.FIND, ids=_spellings(id))
        return found[0]["id"] if found else None

    async def _count(self) -> int:
        return (await self._database.run(reads.COUNT_NOTES))[0]["notes"]


def _spellings(id: str) -> list[str]:
    """Return what an id can mean: itself, or with `.md` added; nothing if no node can have it."""
    try:
        path = paths.note_path(id)
    except BadArgument:
        return []
    return [each for each in (path, f"{path}.md") if paths.has_note_suffix(each)]


def _node(row: Row, content: str) -> Node:
    links: dict[str, str] = dict(row["links"])
    return Node(row["id"], row["title"], content, tuple(row["tags"]), tuple(links), links)


def _facts(row: Row) -> tuple[str, ...]:
    broken = [f"Broken link: {link}" for link in row["broken"] or ()]
    return (*broken, *(row["faults"] or ()))
