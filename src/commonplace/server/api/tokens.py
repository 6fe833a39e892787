"""JSON for access tokens: only on the command line's own socket, which no stranger reaches."""

from dataclasses import asdict
from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.core.scopes import Scope
from commonplace.errors import BadArgument
from commonplace.server.api.answers import answering
from commonplace.server.body import body_of
from commonplace.vault.permissions.tokens import Token, Tokens


def routes(tokens: Tokens) -> list[Route]:
    """Make the routes over one vault's tokens."""

    async def listed(_: Request) -> Response:
        return JSONResponse({"tokens": [row(token) for token in tokens.listed()]})

    async def create(request: Request) -> Response:
        body = await body_of(request)
        expires = body.get("expires")
        if not isinstance(expires, int | float | None):
            raise BadArgument("expires must be a number of seconds since 1970.")
        scope = cast("Scope", str(body.get("scope")))
        name, folders = str(body.get("name") or ""), _folders(body.get("folders"))
        token, secret = await tokens.create(name, scope, expires, folders)
        return JSONResponse({"token": row(token), "secret": secret})

    async def revoke(request: Request) -> Response:
        body = await body_of(request)
        return JSONResponse({"token": row(await tokens.revoke(str(body.get("id") or "")))})

    return [
        Route("/api/tokens", answering(listed)),
        Route("/api/tokens", answering(create), methods=["POST"]),
        Route("/api/tokens/revoke", answering(revoke), methods=["POST"]),
    ]


def _folders(given: object) -> list[str]:
    if given is None:
        return []
    if not isinstance(given, list):
        raise BadArgument("folders must be a list of paths.")
    return [str(each) for each in cast("list[object]", given)]


def row(token: Token) -> dict[str, object]:
    """Put a token as plain values, its digest left out."""
    values = asdict(token)
    del values["digest"]
    return values
