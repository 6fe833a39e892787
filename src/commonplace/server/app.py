"""The HTTP application: our own routes, then MCP at `/mcp`, all behind one guard and one door."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from commonplace.server.access.door import Door, DoorApp
from commonplace.server.access.guard import Guard, GuardApp
from commonplace.server.mcp.direct.answers import DirectAnswers
from commonplace.server.mcp.direct.http import DirectHttp
from commonplace.server.mcp.http.late_app import LateApp
from commonplace.server.mcp.http.sessions import McpSessions
from commonplace.server.mcp.late_server import GetServer
from commonplace.server.metrics.counts import Counters
from commonplace.server.metrics.requests import RequestCounter
from commonplace.server.parts import PartApp, Parts

SESSIONS_MAX = 1_000
_OPENING_MAX = 100  # sessions that begin at the same moment

ReadinessCheck = Callable[[], Awaitable[Sequence[str]]]
Lifespan = Callable[[], AbstractAsyncContextManager[object]]


def create_app(
    get_server: GetServer,
    routes: Iterable[BaseRoute] = (),
    *,
    direct: DirectAnswers | None = None,
    guard: Guard | None = None,
    door: Door | None = None,
    ready: ReadinessCheck | None = None,
    parts: Parts | None = None,
    counts: Counters | None = None,
) -> Starlette:
    """Put the application together; it can be started once.

    `get_server` loads the SDK's, when it is first needed; `direct` answers what needs nothing of
    it. `guard` says which hosts and origins are known; `door`, who is let in by which access
    token. `ready` says what is missing or fails; `parts` serve those whose token is limited to
    folders; `counts` hears of each answer.
    """
    guard = guard or Guard()
    mcp = _mcp(get_server, guard)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncGenerator[None]:
        async with mcp.running(), parts.running() if parts else nullcontext():
            yield

    session = door.routes() if door else []
    health = [Route("/healthz", _healthy), Route("/readyz", _readiness(ready))]
    return Starlette(
        routes=[*health, *session, *routes, _mount(mcp)],
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
    get_server: GetServer, routes: Iterable[BaseRoute], guard: Guard
) -> AsyncGenerator[ASGIApp]:
    """Give an application over a part of the vault, behind the guard and door of the whole."""
    mcp = _mcp(get_server, guard)
    async with mcp.running():
        yield Starlette(routes=[*routes, _mount(mcp)])


def _mcp(get_server: GetServer, guard: Guard) -> LateApp:
    return LateApp(get_server, guard, SESSIONS_MAX + _OPENING_MAX)


def _mount(mcp: LateApp) -> Mount:
    return Mount("/", McpSessions(mcp, SESSIONS_MAX))


async def _healthy(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


def _readiness(ready: ReadinessCheck | None) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def readiness(_: Request) -> JSONResponse:
        missing = await ready() if ready else ()
        if not missing:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "missing": "; ".join(missing)}, 503)

    return readiness
