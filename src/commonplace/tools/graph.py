"""The `graph` family: nodes read, walked, searched and changed, over any store of linked nodes.

Answers are JSON. What is not there is not an error: null, an empty list, `{"deleted": false}`.
What was noticed about the nodes of an answer comes with it once: as `_warnings` of an object, or
for a list in a block of its own, and in the result's `_meta`.
"""

import json
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from commonplace.core import paths
from commonplace.errors import BadArgument, CommonplaceError, Conflict, Forbidden, NotFound
from commonplace.tools.parameters import text, whole_number
from commonplace.tools.table import Answer, Call, Tool, definition
from commonplace.vault.nodes.store import (
    CONTENT_MAX,
    Direction,
    Metric,
    NewNode,
    Node,
    NodeUpdate,
    SearchResult,
    Store,
)

LISTED_CONTENT_MAX = 500
NEIGHBOUR_CONTENT_MAX = 200
NEIGHBOURS_MAX = 20
_TAGS_MAX = 100
MEANT_MAX = 3
TAGS_SHOWN_MAX = 1_000
LINKS_SHOWN_MAX = 1_000

_TRUNCATED = "... [truncated]"
_SIDES: dict[Direction, str] = {"out": "outgoing", "in": "incoming"}
_CODES: tuple[tuple[type[CommonplaceError], str], ...] = (
    (BadArgument, "INVALID_PARAMS"),
    (Conflict, "NODE_EXISTS"),
    (NotFound, "NODE_NOT_FOUND"),
    (Forbidden, "PERMISSION_DENIED"),
)

Arguments = Mapping[str, object]
Json = dict[str, object]


def tools(store: Store) -> list[Tool]:
    """Return the family's tools, those that the store is capable of."""
    family = _GraphTools(store)
    reading = [
        family.get_node,
        family.get_neighbors,
        family.find_path,
        family.get_hubs,
        family.search_by_tags,
        family.random_node,
    ]
    writing = [family.create_node, family.update_node, family.delete_node]
    searching = [family.search] if "search" in store.capabilities else []
    runs = [*searching, *reading, *(writing if "write" in store.capabilities else [])]
    return [
        Tool(
            definition(run.__name__),
            "graph",
            writes=run in writing,
            run=run,
            error_text=error_text,
            ready=None if run == family.create_node else store.ready,
        )
        for run in runs
    ]


def error_text(error: CommonplaceError) -> str:
    """Put an error as JSON with its code."""
    code = next((code for kind, code in _CODES if isinstance(error, kind)), "PROVIDER_ERROR")
    return _json({"error": {"code": code, "message": str(error)}})


class _GraphTools:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def search(self, call: Call, arguments: Arguments) -> Answer:
        query = text(arguments, "query").strip()
        if not query:
            raise BadArgument("`query` is empty. Say what to search for.")
        found = await self._store.search(query, _limit(arguments, 10, 50))
        scores = dict(found.scores)
        nodes = await self._store.nodes(list(scores), LISTED_CONTENT_MAX)
        shown = await self._shown(nodes, LISTED_CONTENT_MAX)
        indexed: Json = {"embedded": found.embedded, "total": found.total}
        if found.problem:
            indexed["problem"] = found.problem
        rows = [{**each, "score": scores[str(each["id"])]} for each in shown]
        answer = await self._listed(rows, {"indexed": indexed})
        return replace(answer, notes=(*answer.notes, *_far(found)))

    async def get_node(self, call: Call, arguments: Arguments) -> Answer:
        node = await self._store.node(text(arguments, "id"), call.asker)
        if node is None:
            return Answer("null", notes=await self._meant(text(arguments, "id")))
        (shown,) = await self._shown([node], CONTENT_MAX)
        if whole_number(arguments, "depth", 0, least=0, most=1):
            shown |= await self._context(node.id)
        return await self._single(node.id, shown)

    async def _meant(self, id: str) -> tuple[str, ...]:
        """Say which nodes an id that there is none of may mean: by another path, or its title."""
        path = paths.meant(id) or unicodedata.normalize("NFC", id)
        near = list(await self._store.titles([path, f"{path}.md"]))
        near = near or (await self._store.named(path))[:MEANT_MAX]
        if not near or {id, f"{id}.md"} & set(near):
            return ()
        return (f"[An id is a path from the top. Did you mean {' or '.join(near)}?]",)

    async def get_neighbors(self, call: Call, arguments: Arguments) -> Answer:
        id, limit = text(arguments, "id"), _limit(arguments, 20, 50)
        chosen = text(arguments, "direction", "both")
        sides: list[Direction] = ["out", "in"] if chosen == "both" else [cast("Direction", chosen)]
        found = {side: await self._store.neighbours(id, side, limit) for side in sides}
        of_side = {side: each.ids for side, each in found.items()}
        ids = _fairly(of_side.get("out", ()), of_side.get("in", ()), limit)
        nodes = await self._store.nodes(list(ids), LISTED_CONTENT_MAX)
        answer = await self._listed(await self._shown(nodes, LISTED_CONTENT_MAX))
        known = {neighbour for each in found.values() for neighbour in each.ids}
        if len(ids) == len(known) and all(e.total == len(e.ids) for e in found.values()):
            return answer
        totals = " and ".join(f"{found[side].total:,} {_SIDES[side]}" for side in sides)
        how = "Set limit (at most 50) or direction to see more; get_links names all."
        return replace(answer, notes=(f"[Showing {len(nodes)} of {totals}. {how}]", *answer.notes))

    async def find_path(self, call: Call, arguments: Arguments) -> Answer:
        source, target = text(arguments, "source"), text(arguments, "target")
        way = await self._store.path(source, target)
        if way is None:
            return Answer("null", notes=(*await self._meant(source), *await self._meant(target)))
        return Answer(_json({"path": way, "length": len(way) - 1}))

    async def get_hubs(self, call: Call, arguments: Arguments) -> Answer:
        metric = cast("Metric", text(arguments, "metric", "in_degree"))
        hubs = await self._store.hubs(metric, _limit(arguments, 10, 50))
        titles = await self._store.titles([id for id, _ in hubs])
        rows: list[Json] = [
            {"id": id, "title": titles.get(id, id), "score": degree} for id, degree in hubs
        ]
        return await self._listed(rows)

    async def search_by_tags(self, call: Call, arguments: Arguments) -> Answer:
        every = text(arguments, "mode", "any") == "all"
        tags, limit = _tags(arguments) or (), _limit(arguments, 20, 100)
        found = await self._store.tagged(tags, limit, every=every)
        nodes = await self._store.nodes(found.ids, LISTED_CONTENT_MAX)
        answer = await self._listed(await self._shown(nodes, LISTED_CONTENT_MAX))
        if found.total <= limit:
            return answer
        more = f"[Showing {limit} of {found.total:,}. Set limit (at most 100) to see more.]"
        return replace(answer, notes=(more, *answer.notes))

    async def random_node(self, call: Call, arguments: Arguments) -> Answer:
        id = await self._store.random(_tags(arguments) or ())
        node = None if id is None else await self._store.node(id, call.asker)
        if node is None:
            return Answer("null")
        (shown,) = await self._shown([node], CONTENT_MAX)
        return await self._single(node.id, shown)

    async def create_node(self, call: Call, arguments: Arguments) -> Answer:
        draft = NewNode(
            text(arguments, "title").strip(),
            text(arguments, "content"),
            _tags(arguments) or (),
            text(arguments, "directory", "").rstrip("/"),
        )
        id = await self._store.create(draft, call.asker)
        spelling = paths.spelling_notice(draft.group, paths.parent(id))
        notices = [notice for notice in (spelling, _no_folder(draft, id)) if notice]
        return await self._written(id, call, notices)

    async def update_node(self, call: Call, arguments: Arguments) -> Answer:
        title = text(arguments, "title").strip() if "title" in arguments else None
        content = text(arguments, "content") if "content" in arguments else None
        revision = NodeUpdate(title, content, _tags(arguments))
        if revision == NodeUpdate():
            raise BadArgument("Give at least one of `title`, `content` or `tags`.")
        updated = await self._store.update(text(arguments, "id"), revision, call.asker)
        return await self._written(updated.id, call, updated.notices)

    async def delete_node(self, call: Call, arguments: Arguments) -> Answer:
        deleted = await self._store.delete(text(arguments, "id"), call.asker)
        return Answer(_json({"deleted": deleted}))

    # -- shapes

    async def _shown(self, nodes: Sequence[Node], content_max: int) -> list[Json]:
        """Put nodes as the contract does, with the titles of all their links in one batch."""
        titles = {id: title for node in nodes for id, title in node.titles.items()}
        linked = dict.fromkeys(link for node in nodes for link in node.links[:LINKS_SHOWN_MAX])
        titles |= await self._store.titles([link for link in linked if link not in titles])
        return [
            {
                "id": node.id,
                "title": node.title,
                "content": truncated(node.content, content_max),
                "tags": list(node.tags[:TAGS_SHOWN_MAX]),
                "links": [
                    {"id": link, "title": titles.get(link, link)}
                    for link in node.links[:LINKS_SHOWN_MAX]
                ],
                **_cut(node),
                **node.said,
            }
            for node in nodes
        ]

    async def _context(self, id: str) -> Json:
        out = await self._store.neighbours(id, "out", NEIGHBOURS_MAX)
        into = await self._store.neighbours(id, "in", NEIGHBOURS_MAX)
        chosen = _fairly(out.ids, into.ids, NEIGHBOURS_MAX)
        nodes = await self._store.nodes(list(chosen), NEIGHBOUR_CONTENT_MAX)
        shown = await self._shown(nodes, NEIGHBOUR_CONTENT_MAX)
        return {
            "incomingCount": into.total,
            "outgoingCount": out.total,
            "neighbors": [{**each, "direction": chosen[str(each["id"])]} for each in shown],
        }

    async def _written(self, id: str, call: Call, notices: Collection[str] = ()) -> Answer:
        node = await self._store.node(id, call.asker)
        if node is None:
            raise NotFound(f"{id} was written, but has been deleted since.")
        (shown,) = await self._shown([node], CONTENT_MAX)
        return await self._single(node.id, shown, notices)

    async def _single(self, id: str, shown: Json, notices: Collection[str] = ()) -> Answer:
        if warnings := [*notices, *await self._store.warnings([id])]:
            shown["_warnings"] = warnings
        return Answer(_json(shown))

    async def _listed(self, rows: list[Json], meta: Json | None = None) -> Answer:
        meta = meta or {}
        notes: tuple[str, ...] = ()
        if warnings := await self._store.warnings([str(row["id"]) for row in rows]):
            meta["_warnings"] = warnings
            notes = (_json({"_warnings": warnings}),)
        return Answer(_json(rows), meta=meta or None, notes=notes)


def _far(found: SearchResult) -> tuple[str, ...]:
    """Say that not every node could be found by its meaning."""
    if found.problem:
        return (f"[Searched by words alone: {found.problem}]",)
    if found.embedded >= found.total:
        return ()
    far = (
        f"[{found.embedded:,} of {found.total:,} notes can be found by meaning yet, the others"
        " by their words. This answer may be incomplete.]"
    )
    return (far,)


def _no_folder(draft: NewNode, id: str) -> str | None:
    """Say that a title with a slash in it does not choose a folder."""
    if "/" not in draft.title:
        return None
    return f"A title chooses no folder: this is {id}. Use `directory` for that."


def _cut(node: Node) -> Json:
    """Say which lists of a node are not shown whole; hardly any node has such."""
    cut = [
        *(["tags"] if len(node.tags) > TAGS_SHOWN_MAX else []),
        *(["links"] if len(node.links) > LINKS_SHOWN_MAX else []),
    ]
    return {"truncated": cut} if cut else {}


def truncated(content: str, size: int) -> str:
    """Cut a text to a size, the mark of the cut included; never inside a character."""
    if len(content) <= size:
        return content
    return content[: size - len(_TRUNCATED)].rstrip() + _TRUNCATED


def _fairly(out: Sequence[str], into: Sequence[str], limit: int) -> dict[str, Direction]:
    """Choose neighbours, outgoing first, neither side crowding the other out; each once."""
    rest = [id for id in into if id not in set(out)]
    shown = max(limit - len(rest), limit - limit // 2)
    chosen: dict[str, Direction] = dict.fromkeys(out[:shown], "out")
    chosen.update(dict.fromkeys(rest[: limit - len(chosen)], "in"))
    return chosen


def _limit(arguments: Arguments, default: int, most: int) -> int:
    return whole_number(arguments, "limit", default, least=1, most=most)


def _tags(arguments: Arguments) -> tuple[str, ...] | None:
    given = arguments.get("tags")
    if given is None:
        return None
    tags = [tag.strip().removeprefix("#") for tag in cast("list[str]", given)]
    if len(tags) > _TAGS_MAX or not all(tags):
        raise BadArgument(f"`tags` must be at most {_TAGS_MAX} tags, none of them empty.")
    return tuple(dict.fromkeys(tags))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
