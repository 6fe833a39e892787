"""What to paste into an assistant's settings, and which assistants were here."""

import sys

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.server.access.identity import token_of
from commonplace.server.api import clients
from commonplace.server.api.answers import answering
from commonplace.server.api.assistants import Visits
from commonplace.server.api.clients import CLIENTS, Client, Server
from commonplace.vault.settings import FAMILIES, Settings

_BEARER = {"Authorization": "Bearer TOKEN"}
_ELSEWHERE = "Claude Desktop starts its servers itself: use it where the notes are."


def routes(settings: Settings, visits: Visits) -> list[Route]:
    """Make the routes; the address shown is the one that the page was asked for by."""

    async def connect(request: Request) -> Response:
        place = f"{request.url.scheme}://{request.url.netloc}{settings.access.prefix}"
        address = f"{place}/mcp"
        elsewhere = token_of(request.scope) is not None
        server = Server(clients.NAME, url=address, headers=_BEARER if elsewhere else {})
        local = None if elsewhere else Server(clients.NAME, _program(settings))
        return JSONResponse(
            {"clients": [_shown(client, server, local) for client in CLIENTS.values()]}
        )

    async def assistants(_: Request) -> Response:
        return JSONResponse({"assistants": visits.listed()})

    return [
        Route("/api/connect", answering(connect)),
        Route("/api/assistants", answering(assistants)),
    ]


def _shown(client: Client, server: Server, local: Server | None) -> dict[str, str]:
    """Write what to paste; on another machine each assistant has a token of its own."""
    used = server if client.by_address else local
    place = (
        "claude_desktop_config.json" if not client.by_address else f"~/{client.file(sys.platform)}"
    )
    how = "Run this in a terminal." if client.id == "claude" else f"Put this into {place}."
    text = clients.shown(client, used) if used else _ELSEWHERE
    return {"id": client.id, "label": client.label, "how": how, "text": text}


def _program(settings: Settings) -> tuple[str, ...]:
    named = settings.several_roots
    vault = (f"{root.name}={root.path}" if named else str(root.path) for root in settings.roots)
    state = ("--state", str(settings.state_base)) if settings.state_base else ()
    tools = ("--tools", ",".join(settings.families)) if settings.families != FAMILIES else ()
    reads = ("--read-only",) if settings.read_only else ()
    return (sys.executable, "-m", "commonplace", "mcp", *vault, *state, *tools, *reads)
