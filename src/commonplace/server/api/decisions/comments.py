"""JSON for people's comments on changes and passages."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.server.access.identity import who
from commonplace.server.api.answers import guarded
from commonplace.server.body import Body, body_of
from commonplace.vault.vault import Vault


def routes(vault: Vault) -> list[Route]:
    """Make the routes over one vault."""

    async def comment(request: Request) -> Response:
        body = await body_of(request)
        path, text, by = (
            vault.texts.find(_text(body, "path")),
            _text(body, "text"),
            who(request.scope, body),
        )
        if to := _text(body, "reply"):
            await vault.comments.reply(path, to, text, by)
        elif id := _text(body, "id"):
            await vault.comments.on_suggestion(path, id, text, by)
        else:
            await vault.comments.on_passage(path, _text(body, "passage"), text, by)
        return JSONResponse({"path": path})

    async def resolve(request: Request) -> Response:
        body = await body_of(request)
        path = vault.texts.find(_text(body, "path"))
        await vault.comments.resolve(path, _text(body, "text"), who(request.scope, body))
        return JSONResponse({"path": path})

    return [
        Route("/api/comments", guarded(comment), methods=["POST"]),
        Route("/api/comments/resolve", guarded(resolve), methods=["POST"]),
    ]


def _text(body: Body, name: str) -> str:
    return str(body.get(name) or "")
