"""What to paste into an assistant's settings, and which assistants were here."""

import json
import sys

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.server.api import answering
from commonplace.server.visits import Visits
from commonplace.vault.settings import Settings

_NAME = "notes"


def routes(settings: Settings, visits: Visits) -> list[Route]:
    """Make the routes; the address shown is the one that the page was asked for by."""

    async def connect(request: Request) -> Response:
        address = f"{request.url.scheme}://{request.url.netloc}/mcp"
        return JSONResponse(_lines(settings, address))

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


def _shown(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
