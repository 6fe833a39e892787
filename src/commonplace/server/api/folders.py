"""JSON for the page's tree: folders that hold no note yet, made, and renamed with their notes."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument
from commonplace.server.access.identity import person
from commonplace.server.api.answers import answering, guarded
from commonplace.server.body import Body, body_of
from commonplace.vault.vault import Vault


def routes(vault: Vault, *, read_only: bool) -> list[Route]:
    """Make the routes over one vault."""

    async def empty(_: Request) -> Response:
        return JSONResponse({"folders": await vault.folder_changes.empty()})

    async def create(request: Request) -> Response:
        path = await vault.folder_changes.make(_text(await body_of(request), "path"))
        return JSONResponse({"path": path})

    async def rename(request: Request) -> Response:
        body = await body_of(request)
        actor = person(request.scope, body)
        done = await vault.folder_changes.rename(_text(body, "path"), _text(body, "to"), actor)
        return JSONResponse(asdict(done))

    reading = [Route("/api/folders/empty", answering(empty))]
    writing = [
        Route("/api/folders/create", guarded(create), methods=["POST"]),
        Route("/api/folders/rename", guarded(rename), methods=["POST"]),
    ]
    return reading if read_only else [*reading, *writing]


def _text(body: Body, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadArgument(f"{name} is missing.")
    return value
