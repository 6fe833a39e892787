"""What to paste into an assistant's settings, and which assistants were here."""

import shlex
import sys

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.server.access.identity import token_of
from commonplace.server.api import clients
from commonplace.server.api.answers import answering
from commonplace.server.api.assistants import Visits
from commonplace.server.api.clients import CLIENTS, ClientProgram, ServerEntry
from commonplace.vault.settings import FAMILIES, Settings

_BEARER = {"Authorization": "Bearer TOKEN"}
_ELSEWHERE = "Claude Desktop starts its servers itself: use it where the notes are."


def routes(settings: Settings, visits: Visits, *, shared: bool = False) -> list[Route]:
    """Make the routes; the address shown is the one that the page was asked for by.

    On the machine of the notes, clients are given the program to start, as `connect` gives it:
    that works whether or not this server runs. A `shared` vault is another machine's too.
    """

    async def connect(request: Request) -> Response:
        place = f"{request.url.scheme}://{request.url.netloc}{settings.access.prefix}"
        address = f"{place}/mcp"
        elsewhere = token_of(request.scope) is not None
        server = ServerEntry(clients.ENTRY_NAME, url=address, headers=_BEARER if elsewhere else {})
        local = None if elsewhere or shared else ServerEntry(clients.ENTRY_NAME, _program(settings))
        return JSONResponse(
            {
                "address": address,
                "line": _line(settings) if local else "",
                "clients": [_shown(client, local or server) for client in CLIENTS.values()],
            }
        )

    async def assistants(_: Request) -> Response:
        return JSONResponse({"assistants": visits.listed()})

    return [
        Route("/api/connect", answering(connect)),
        Route("/api/assistants", answering(assistants)),
    ]


def _shown(client: ClientProgram, server: ServerEntry) -> dict[str, str]:
    """Write what to paste; on another machine each assistant has a token of its own."""
    how = f"Put this into ~/{client.file(sys.platform)}."
    if client.id == "claude":
        how = "Run this in a terminal."
    text = clients.shown(client, server)
    if server.url and not client.by_address:
        how, text = "", _ELSEWHERE
    return {"id": client.id, "label": client.label, "how": how, "text": text}


def _program(settings: Settings) -> tuple[str, ...]:
    tools = ("--tools", ",".join(settings.families)) if settings.families != FAMILIES else ()
    reads = ("--read-only",) if settings.read_only else ()
    return (*clients.this_program(), "mcp", *_vault(settings), *tools, *reads)


def _line(settings: Settings) -> str:
    """Write the command that connects a client to this vault by itself."""
    return shlex.join(["commonplace", "connect", "CLIENT", "--write", *_vault(settings)])


def _vault(settings: Settings) -> tuple[str, ...]:
    named = settings.several_roots
    vault = (f"{root.name}={root.path}" if named else str(root.path) for root in settings.roots)
    state = ("--state", str(settings.state_base)) if settings.state_base else ()
    return (*vault, *state)
