"""JSON for the page: the link graph."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.server.api.answers import answering
from commonplace.server.body import whole_number
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.vault import Vault

_NODES = 300
NODES_MAX = 20_000
_STEPS_MAX = 3
_TAGS_MAX = 10


def routes(vault: Vault) -> list[Route]:
    """Make the routes over one vault."""
    store = DocStore(vault)

    async def graph(request: Request) -> Response:
        given = request.query_params
        path = vault.texts.find(given["path"]) if given.get("path") else None
        depth = whole_number(given.get("depth", "1"), "depth", least=1, most=_STEPS_MAX)
        limit = whole_number(given.get("limit", str(_NODES)), "limit", least=1, most=NODES_MAX)
        found = await store.around(path, depth, limit)
        ids = [id for id, _ in found.nodes]
        titles = await store.titles(ids)
        nodes = [{"id": id, "title": titles.get(id, id), "degree": n} for id, n in found.nodes]
        tags = await _tags(vault, ids)
        return JSONResponse({"nodes": nodes, "edges": found.edges, "tags": tags})

    return [Route("/api/graph", answering(graph))]


async def _tags(vault: Vault, ids: list[str]) -> list[tuple[str, list[int]]]:
    """Return the most used tags, each with the places of the notes that carry it."""
    places = {id: place for place, id in enumerate(ids)}
    found: list[tuple[str, list[int]]] = []
    for tag, _ in (await vault.listing.tags())[:_TAGS_MAX]:
        carriers = await vault.listing.tagged(tag)
        if members := [places[path] for path, _ in carriers if path in places]:
            found.append((tag, members))
    return found
