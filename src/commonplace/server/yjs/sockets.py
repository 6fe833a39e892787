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
from commonplace.server.connection import Connection
from commonplace.server.holders import may, token_of, watching
from commonplace.server.rooms import Rooms
from commonplace.server.ysweet_tokens import Unauthorized

CLOSING_SECONDS_MAX = 1.0
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

ActorOf = Callable[[Scope], str]


@dataclass(frozen=True, slots=True)
class Entry:
    """What a socket is let into, as whom."""

    document: str
    actor: str
    read_only: bool = False


def routes(
    rooms: Rooms, *, actor_of: ActorOf | None = None, read_only: bool = False
) -> list[WebSocketRoute]:
    """Make the y-websocket route; `actor_of` says whose a connection's edits are."""

    def admit(scope: Scope) -> Entry:
        actor = actor_of(scope) if actor_of else actor_on(scope, rooms)
        reader = read_only or not may(scope, "write")
        return Entry(scope["path_params"]["document"], actor, reader)

    return [WebSocketRoute("/sync/{document}", Socket(rooms, admit))]


class Socket:
    """An ASGI application: one connection to a room, if `admit` lets it in."""

    def __init__(self, rooms: Rooms, admit: Callable[[Scope], Entry]) -> None:
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

    async def _serve(self, entry: Entry, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._rooms.visit(entry.document, read_only=entry.read_only) as (room, outbox):
            connection = Connection(room, outbox, entry.actor, read_only=entry.read_only)
            with watching(scope, lambda: outbox.stop(Unauthorized(_OVER))):
                await connection.run(scope, receive, send)


def actor_on(scope: Scope, rooms: Rooms) -> str:
    """Say whose the edits of a connection are."""
    token = token_of(scope)
    return token.actor if token else rooms.somebody()


def _first(errors: ExceptionGroup[CommonplaceError]) -> CommonplaceError:
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, ExceptionGroup) else error


async def _close(send: Send, error: CommonplaceError) -> None:
    code = next(code for kind, code in _CODES if isinstance(error, kind))
    reason = str(error).encode()[:REASON_BYTES_MAX].decode(errors="ignore")
    with suppress(OSError, RuntimeError, TimeoutError):  # gone, closed, or not reading
        async with asyncio.timeout(CLOSING_SECONDS_MAX):
            await send({"type": "websocket.close", "code": code, "reason": reason})
