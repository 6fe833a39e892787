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
from typing import Any, cast

from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import Request

from commonplace.server.holders import token_of
from commonplace.tools.table import Actor

NAME_MAX = 64
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


def actor_of(ctx: ServerRequestContext[Any, Any]) -> Actor:
    """Work out who sent a request."""
    name = _client_name(ctx)
    if (known := _connection.get()) is not None:
        return replace(known, name=name or known.name)
    request: object = ctx.request
    if not isinstance(request, Request):
        return Actor("process", name or UNNAMED, "assistant")
    request = cast("HttpRequest", request)
    session = _session(ctx, request)
    if token := token_of(request.scope):
        return Actor(token.actor, token.name, "assistant", session, token.scope)
    identity = f"session:{session}" if session else _address(request, name)
    return Actor(identity, name or UNNAMED, "assistant", session)


def _session(ctx: ServerRequestContext[Any, Any], request: HttpRequest) -> str | None:
    """Find the 2025-era session; a 2026-era client could put anything into that header."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return None
    return request.headers.get("mcp-session-id")


def _address(request: HttpRequest, name: str) -> str:
    address = request.client.host if request.client else "local"
    return f"client:{name or UNNAMED}@{address}"


def _client_name(ctx: ServerRequestContext[Any, Any]) -> str:
    """Read the client's own name, made fit to be shown: it may be anything at all."""
    params = ctx.session.client_params
    if params is None:
        return ""
    return "".join(c for c in params.client_info.name[:NAME_MAX] if c.isprintable()).strip()
