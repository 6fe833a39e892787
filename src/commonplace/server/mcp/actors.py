"""Who is calling: one `Actor` worked out for each request.

A connection that we run ourselves (stdio, the owner's socket) has an identity from the start,
carried in a context variable, since neither protocol era tells a handler which connection it
serves. Over HTTP an access token says who it is, by its own name and not by what the client calls
itself. Without one, the 2025 era has a session header; the 2026 era has no sessions, so the
client's name and address stand in for one: an interlock against accidents (read before you edit),
not a proof of identity.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import Request
from starlette.types import Scope

from commonplace.server.access.identity import token_of
from commonplace.server.mcp.direct.requests import MODERN_VERSION, client_name
from commonplace.tools.table import Actor

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

UNNAMED = "assistant"

HttpRequest = Request[Any]

_connection: ContextVar[Actor | None] = ContextVar("connection", default=None)


@contextmanager
def acting(actor: Actor) -> Generator[None]:
    """Let every request handled inside come from this actor."""
    token = _connection.set(actor)
    try:
        yield
    finally:
        _connection.reset(token)


def actor_of(ctx: "ServerRequestContext[Any, Any]") -> Actor:
    """Work out who sent a request."""
    name = _client_name(ctx)
    if (known := _connection.get()) is not None:
        return replace(known, name=name or known.name)
    request: object = ctx.request
    if not isinstance(request, Request):
        return Actor("process", name or UNNAMED)
    request = cast("HttpRequest", request)
    return actor_over_http(request.scope, name, _session(ctx, request))


def actor_over_http(scope: Scope, name: str, session: str | None = None) -> Actor:
    """Work out who sent a request over HTTP, in a 2025-era session or without one."""
    page = _page(scope)
    if token := token_of(scope):
        return Actor(token.actor, token.name, token.scope, page)
    identity = f"session:{session}" if session else _address(scope, name)
    return Actor(identity, name or UNNAMED, page=page)


def _session(ctx: "ServerRequestContext[Any, Any]", request: HttpRequest) -> str | None:
    """Find the 2025-era session; a 2026-era client could put anything into that header."""
    if ctx.protocol_version == MODERN_VERSION:
        return None
    return request.headers.get("mcp-session-id")


def _page(scope: Scope) -> str:
    """Return where the page is served: where this call came in, by a name that we go by."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1:
        return ""
    return f"{scope['scheme']}://{hosts[0].decode('latin-1')}/"


def _address(scope: Scope, name: str) -> str:
    client = cast("tuple[str, int] | None", scope.get("client"))
    address = client[0] if client else "local"
    return f"client:{name or UNNAMED}@{address}"


def _client_name(ctx: "ServerRequestContext[Any, Any]") -> str:
    params = ctx.session.client_params
    return client_name(params.client_info.name) if params else ""
