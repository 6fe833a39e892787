"""The HTTP application: our own routes, then MCP at `/mcp`, all behind one guard and one door."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route

from commonplace.server.access import Admitted, Door
from commonplace.server.guard import BODY_MAX, Guard, Guarded

SESSIONS_MAX = 1_000

Ready = Callable[[], str | None]
Lifespan = Callable[[], AbstractAsyncContextManager[object]]


def create_app(
    server: Server[Any],
    routes: Iterable[BaseRoute] = (),
    *,
    guard: Guard | None = None,
    door: Door | None = None,
    ready: Ready = lambda: None,
    lifespan: Lifespan = nullcontext,
) -> Starlette:
    """Put the application together; it can be started once.

    `guard` says which hosts and origins are known; `door`, who is let in by which access token.
    `ready` says what is still missing, or None. `lifespan` is entered before the first request and
    left after the last MCP session has ended.
    """
    guard = guard or Guard()
    mcp = server.streamable_http_app(
        transport_security=transport_security(guard),
        max_request_body_size=BODY_MAX,
        max_sessions=SESSIONS_MAX,
    )

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncGenerator[None]:
        async with lifespan(), server.session_manager.run():
            yield

    session = door.routes() if door else []
    health = [Route("/healthz", _healthy), Route("/readyz", _readiness(ready))]
    return Starlette(
        routes=[*health, *session, *routes, Mount("/", mcp)],
        middleware=[
            Middleware(Guarded, guard=guard),
            *([Middleware(Admitted, door=door)] if door else []),
        ],
        lifespan=running,
    )


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


def _readiness(ready: Ready) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def readiness(_: Request) -> JSONResponse:
        missing = ready()
        if missing is None:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "missing": missing}, 503)

    return readiness
