"""Yjs sockets: `/sync/{document}`, and how any of them begins and ends.

A socket is closed with a code that Yjs clients understand: 44xx for what would only fail again
(they stay away), others for trouble that passes (they come back and send what was not saved). A
browser shows no reason for a refused handshake, so every socket is accepted before it is closed.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from commonplace.errors import (
    BadArgument,
    CommonplaceError,
    Conflict,
    Forbidden,
    NotFound,
    Unavailable,
    Unreadable,
)
from commonplace.server.access.identity import Unauthorized, may, token_of, watching
from commonplace.server.yjs.connection import YjsConnection
from commonplace.server.yjs.rooms import Rooms

_CLOSING_SECONDS_MAX = 1.0
REASON_BYTES_MAX = 123  # what a closing frame can hold

_CODES: tuple[tuple[type[CommonplaceError], int], ...] = (
    (BadArgument, 4400),
    (Unauthorized, 4401),
    (Forbidden, 4403),
    (NotFound, 4404),
    (Conflict, 4409),
    (Unreadable, 4422),
    (Unavailable, 1013),
    (CommonplaceError, 1011),
)

_OVER = "The access token of this connection has ended. Connect again with another."


@dataclass(frozen=True, slots=True)
class Admission:
    """What a socket is let into, as whom if that is known."""

    document: str
    actor: str | None
    read_only: bool = False


def routes(rooms: Rooms, *, read_only: bool = False) -> list[WebSocketRoute]:
    """Make the y-websocket route."""

    def admit(scope: Scope) -> Admission:
        reader = read_only or not may(scope, "write")
        return Admission(scope["path_params"]["document"], actor_on(scope), reader)

    return [WebSocketRoute("/sync/{document}", Socket(rooms, admit))]


class Socket:
    """An ASGI application: one connection to a room, if `admit` lets it in."""

    def __init__(self, rooms: Rooms, admit: Callable[[Scope], Admission]) -> None:
        self._rooms = rooms
        self._admit = admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection from its first message to its last."""
        await receive()
        try:
            await send({"type": "websocket.accept"})
            await self._serve(self._admit(scope), scope, receive, send)
        except* ConnectionError:
            pass  # the client has gone
        except* CommonplaceError as errors:
            await _close(send, _first(errors))

    async def _serve(self, entry: Admission, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._rooms.visit(entry.document, read_only=entry.read_only) as (room, outbox):
            token = token_of(scope)
            connection = YjsConnection(
                room,
                outbox,
                entry.actor or self._rooms.somebody(),
                read_only=entry.read_only,
                name=token.name if token else None,
                learns=entry.actor is None,
            )
            with watching(scope, lambda: outbox.stop(Unauthorized(_OVER))):
                await connection.run(receive, send)


def actor_on(scope: Scope) -> str | None:
    """Say whose the edits of a connection are, if its access token tells."""
    token = token_of(scope)
    return f"person:{token.name}" if token else None


def _first(errors: ExceptionGroup[CommonplaceError]) -> CommonplaceError:
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, ExceptionGroup) else error


async def _close(send: Send, error: CommonplaceError) -> None:
    code = next(code for kind, code in _CODES if isinstance(error, kind))
    reason = str(error).encode()[:REASON_BYTES_MAX].decode(errors="ignore")
    with suppress(OSError, RuntimeError, TimeoutError):  # gone, closed, or not reading
        async with asyncio.timeout(_CLOSING_SECONDS_MAX):
            await send({"type": "websocket.close", "code": code, "reason": reason})
