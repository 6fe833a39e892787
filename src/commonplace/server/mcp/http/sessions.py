"""MCP sessions over HTTP, only so many: the one that is not used for longest makes room.

Many clients never end their session. The SDK ends one that was idle for half an hour, and refuses
new ones while there are too many; here an idle one is ended first, by the protocol's own DELETE,
so that a new client is let in. One that was opened and never used since goes before all others.
Whoever comes back to a session that was ended gets a 404 and begins anew, as the protocol says.
"""

from collections import OrderedDict
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.server.access.identity import TokenHolder, holder_of
from commonplace.server.mcp.direct.requests import MODERN_VERSION

_ID = b"mcp-session-id"
_VERSION = b"mcp-protocol-version"
# `initialize`, and the notification that it is done.
_OPENING_REQUESTS = 2


@dataclass(slots=True)
class _HttpSession:
    holder: TokenHolder | None
    requests: int = 0
    under_way: int = 0


class McpSessions:
    """An ASGI application: the SDK's, with room for one more session."""

    def __init__(self, app: ASGIApp, count_max: int) -> None:
        self._app = app
        self._count_max = count_max
        self._sessions: OrderedDict[bytes, _HttpSession] = OrderedDict()

    def __len__(self) -> int:
        """Return how many sessions are open, as far as is known."""
        return len(self._sessions)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        headers = dict(scope["headers"]) if scope["type"] == "http" else {}
        version = headers.get(_VERSION, b"").decode("latin-1")
        if scope["type"] != "http" or version == MODERN_VERSION:
            await self._app(scope, receive, send)
        elif (id := headers.get(_ID)) is None:
            await self._open(scope, receive, send)
        else:
            await self._use(id, scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST" and len(self._sessions) >= self._count_max:
            await self._end_oldest(scope)

        async def send_and_note(message: Message) -> None:
            opened = dict(message.get("headers", ())).get(_ID)
            if opened is not None:
                self._sessions[opened] = _HttpSession(holder_of(scope), requests=1)
            await send(message)

        await self._app(scope, receive, send_and_note)

    async def _use(self, id: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        session = self._sessions.get(id) or _HttpSession(None)
        session.requests += 1
        session.under_way += 1

        async def send_and_note(message: Message) -> None:
            ended = scope["method"] == "DELETE" or message.get("status") == 404
            if ended and message["type"] == "http.response.start":
                self._forget(id, scope)
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            session.under_way -= 1
            if id in self._sessions:
                self._sessions.move_to_end(id)

    async def _end_oldest(self, scope: Scope) -> None:
        idle = [(id, each) for id, each in self._sessions.items() if not each.under_way]
        if not idle:
            return  # the SDK says that there are too many
        unused = (each for each in idle if each[1].requests <= _OPENING_REQUESTS)
        id, session = next(unused, idle[0])
        del self._sessions[id]
        host = [(name, value) for name, value in scope["headers"] if name == b"host"]
        headers = [*host, (_ID, id)]
        ending = {**scope, "method": "DELETE", "headers": headers, "holder": session.holder}
        await self._app(ending, _nothing_more, _discard)

    def _forget(self, id: bytes, scope: Scope) -> None:
        """Forget a session that ended; another's credentials do not end it."""
        session = self._sessions.get(id)
        if session is not None and _token_id(session.holder) == _token_id(holder_of(scope)):
            del self._sessions[id]


def _token_id(holder: TokenHolder | None) -> str | None:
    return holder.token.id if holder else None


async def _nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _discard(_: Message) -> None:
    pass
