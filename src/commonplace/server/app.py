"""The HTTP application: our own routes, then MCP at `/mcp`, all behind one guard and one door."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from commonplace.server.access.door import Door, DoorApp
from commonplace.server.access.guard import BODY_MAX, Guard, GuardApp
from commonplace.server.mcp.direct.answers import DirectAnswers
from commonplace.server.mcp.direct.http import DirectHttp
from commonplace.server.mcp.sessions import McpSessions
from commonplace.server.metrics.counts import Counts
from commonplace.server.metrics.requests import RequestCounter
from commonplace.server.parts import PartApp, Parts

SESSIONS_MAX = 1_000
_OPENING_MAX = 100  # sessions that begin at the same moment

Ready = Callable[[], Awaitable[Sequence[str]]]
Lifespan = Callable[[], AbstractAsyncContextManager[object]]


def create_app(
    server: Server[Any],
    routes: Iterable[BaseRoute] = (),
    *,
    direct: DirectAnswers | None = None,
    guard: Guard | None = None,
    door: Door | None = None,
    ready: Ready | None = None,
    parts: Parts | None = None,
    counts: Counts | None = None,
) -> Starlette:
    """Put the application together; it can be started once.

    `direct` answers what needs nothing of the server. `guard` says which hosts and origins are
    known; `door`, who is let in by which access token. `ready` says what is missing or fails;
    `parts` serve those whose token is limited to folders; `counts` hears of each answer.
    """
    guard = guard or Guard()

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncGenerator[None]:
        async with server.session_manager.run(), parts.running() if parts else nullcontext():
            yield

    session = door.routes() if door else []
    health = [Route("/healthz", _healthy), Route("/readyz", _readiness(ready))]
    return Starlette(
        routes=[*health, *session, *routes, _mcp(server, guard)],
        middleware=[
            *([Middleware(RequestCounter, counts=counts)] if counts else []),
            Middleware(GuardApp, guard=guard),
            *([Middleware(DoorApp, door=door)] if door else []),
            *([Middleware(PartApp, parts=parts)] if parts else []),
            *([Middleware(DirectHttp, direct=direct)] if direct else []),
        ],
        lifespan=running,
    )


@asynccontextmanager
async def part_app(
    server: Server[Any], routes: Iterable[BaseRoute], guard: Guard
) -> AsyncGenerator[ASGIApp]:
    """Give an application over a part of the vault, behind the guard and door of the whole."""
    app = Starlette(routes=[*routes, _mcp(server, guard)])
    async with server.session_manager.run():
        yield app


def _mcp(server: Server[Any], guard: Guard) -> Mount:
    app = server.streamable_http_app(
        transport_security=transport_security(guard),
        max_request_body_size=BODY_MAX,
        max_sessions=SESSIONS_MAX + _OPENING_MAX,
    )
    return Mount("/", McpSessions(app, SESSIONS_MAX))


def transport_security(guard: Guard) -> TransportSecuritySettings:
    """Tell the SDK to let in, at the least, whatever the guard lets in."""
    hosts = [name + port for name in guard.hosts for port in ("", ":*")]
    ours = [scheme + host for scheme in ("http://", "https://") for host in hosts]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[*ours, *guard.origins],
    )


async def _healthy(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


def _readiness(ready: Ready | None) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def readiness(_: Request) -> JSONResponse:
        missing = await ready() if ready else ()
        if not missing:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "missing": "; ".join(missing)}, 503)

    return readiness
