"""What to paste into an assistant's settings, and which assistants were here."""

import json
import sys

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.server.api import answering
from commonplace.server.holders import token_of
from commonplace.server.visits import Visits
from commonplace.vault.settings import Settings

_NAME = "notes"
_BEARER = "Bearer TOKEN"
_HEADER = f"Authorization: {_BEARER}"


def routes(settings: Settings, visits: Visits) -> list[Route]:
    """Make the routes; the address shown is the one that the page was asked for by."""

    async def connect(request: Request) -> Response:
        address = f"{request.url.scheme}://{request.url.netloc}/mcp"
        abroad = token_of(request.scope) is not None
        return JSONResponse(_lines_abroad(address) if abroad else _lines(settings, address))

    async def assistants(_: Request) -> Response:
        return JSONResponse({"assistants": visits.listed()})

    return [
        Route("/api/connect", answering(connect)),
        Route("/api/assistants", answering(assistants)),
    ]


def _lines(settings: Settings, address: str) -> dict[str, str]:
    named = settings.several_roots
    vault = [f"{root.name}={root.path}" if named else str(root.path) for root in settings.roots]
    local = {"command": sys.executable, "args": ["-m", "commonplace", "mcp", *vault]}
    return {
        "claude": f"claude mcp add --transport http {_NAME} {address}",
        "desktop": _shown({"mcpServers": {_NAME: local}}),
        "cursor": _shown({"mcpServers": {_NAME: {"url": address}}}),
        "vscode": _shown({"servers": {_NAME: {"type": "http", "url": address}}}),
    }


def _lines_abroad(address: str) -> dict[str, str]:
    """Write the same for another machine, where each assistant has a token of its own."""
    url = {"url": address, "headers": {"Authorization": _BEARER}}
    return {
        "claude": f'claude mcp add --transport http {_NAME} {address} --header "{_HEADER}"',
        "desktop": "Claude Desktop starts its servers itself: use it where the notes are.",
        "cursor": _shown({"mcpServers": {_NAME: url}}),
        "vscode": _shown({"servers": {_NAME: {"type": "http", **url}}}),
    }


def _shown(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
