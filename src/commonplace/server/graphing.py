"""JSON for the page: the link graph, and renames that keep every link."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument
from commonplace.server.api import answering, guarded
from commonplace.server.holders import token_of
from commonplace.server.reviewing import body_of
from commonplace.vault.docstore import DocStore
from commonplace.vault.vault import Vault

NODES = 300
NODES_MAX = 2_000
DEPTH_MAX = 2


def routes(vault: Vault, *, read_only: bool) -> list[Route]:
    """Make the routes over one vault."""
    store = DocStore(vault)

    async def graph(request: Request) -> Response:
        given = request.query_params
        path = vault.find(given["path"]) if given.get("path") else None
        depth = _whole(given.get("depth", "1"), "depth", DEPTH_MAX)
        limit = _whole(given.get("limit", str(NODES)), "limit", NODES_MAX)
        found, edges = await store.around(path, depth, limit)
        titles = await store.titles([id for id, _ in found])
        nodes = [{"id": id, "title": titles.get(id, id), "degree": n} for id, n in found]
        return JSONResponse({"nodes": nodes, "edges": edges})

    async def rename(request: Request) -> Response:
        body = await body_of(request)
        path, to = str(body.get("path") or ""), str(body.get("to") or "")
        if not path or not to:
            raise BadArgument("path and to are needed: which note, and its new path.")
        done = await vault.rename(path, to, _actor(request))
        return JSONResponse(
            {"path": done.path, "links": done.links, "ambiguous": done.left, "undo": done.undo}
        )

    async def undo(request: Request) -> Response:
        body = await body_of(request)
        undone = await vault.undo_rename(str(body.get("undo") or ""), _actor(request))
        return JSONResponse({"path": undone})

    reading = [Route("/api/graph", answering(graph))]
    writing = [
        Route("/api/notes/rename", guarded(rename), methods=["POST"]),
        Route("/api/notes/rename/undo", guarded(undo), methods=["POST"]),
    ]
    return reading if read_only else [*reading, *writing]


def _actor(request: Request) -> str:
    token = token_of(request.scope)
    return token.actor if token else "person:page"


def _whole(given: str, name: str, most: int) -> int:
    if not given.isascii() or not given.isdigit() or not 1 <= int(given[:9]) <= most:
        raise BadArgument(f"{name} must be a whole number from 1 to {most}.")
    return int(given)
