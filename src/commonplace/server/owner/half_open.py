"""Connections that have not said yet what they want: only so many, and only for so long.

Before a request is complete nobody has shown a token, so whoever can connect could hold all the
descriptors of the process by sending a byte now and then. A connection is *half open* while no
request on it is complete: before and inside the head, inside the body, and idle between requests.
It is given up after a while, and if there are too many of them, the oldest is given up at once:
a client that means it has sent its request long before.

`HalfOpenConnection` stands between the transport and uvicorn's own protocol, which it passes
everything on to. That a request began and ended is learnt from the application (`watched`), which
finds its connection in a context variable.
"""

import asyncio
import resource
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from typing import cast

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEAD_SECONDS_MAX = 10.0
BODY_SECONDS_MAX = 60.0
HALF_OPEN_MAX = 256
# All that may come before a request is taken up; much of its body may be among it.
HEAD_BYTES_MAX = 1024 * 1024
# A request may be refused before its body was read: whoever sends it still gets to see why.
UNREAD_BYTES_MAX = 64 * 1024 * 1024

_connection: ContextVar["HalfOpenConnection | None"] = ContextVar(
    "half_open_connection", default=None
)

MakeProtocol = Callable[..., asyncio.Protocol]


def count_max() -> int:
    """Return how many may be half open: a quarter of what the process may open, at most."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return HALF_OPEN_MAX if soft == resource.RLIM_INFINITY else min(HALF_OPEN_MAX, soft // 4)


class HalfOpen:
    """The half-open connections of one server, oldest first."""

    def __init__(
        self,
        *,
        count: int | None = None,
        head_seconds: float = HEAD_SECONDS_MAX,
        body_seconds: float = BODY_SECONDS_MAX,
    ) -> None:
        self._count = count_max() if count is None else count
        self.head_seconds = head_seconds
        self.body_seconds = body_seconds
        self._timers: OrderedDict[HalfOpenConnection, asyncio.TimerHandle] = OrderedDict()

    def __len__(self) -> int:
        return len(self._timers)

    def protocol(self, make: MakeProtocol) -> type[asyncio.Protocol]:
        """Return what makes a connection's protocol, in the place of `make`, which it wraps."""

        def connection(**given: object) -> HalfOpenConnection:
            return HalfOpenConnection(make(**given), self)

        return cast("type[asyncio.Protocol]", connection)

    def put(self, connection: "HalfOpenConnection", seconds: float) -> None:
        """Give a connection so long; the oldest of too many is given up."""
        self.drop(connection)
        loop = asyncio.get_running_loop()
        self._timers[connection] = loop.call_later(seconds, connection.expire)
        if len(self._timers) > self._count:
            oldest = next(iter(self._timers))
            self.drop(oldest)
            oldest.abort()

    def drop(self, connection: "HalfOpenConnection") -> None:
        """Give a connection all the time it needs."""
        if (timer := self._timers.pop(connection, None)) is not None:
            timer.cancel()


class HalfOpenConnection(asyncio.Protocol):
    """One connection, its bytes passed on to the protocol of the web server."""

    def __init__(self, inner: asyncio.Protocol, half_open: HalfOpen) -> None:
        self._inner = inner
        self._half_open = half_open
        self._transport: asyncio.Transport | None = None
        self._requests = 0
        self._bytes = 0
        self._unread = False

    # -- from the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request."""
        self._transport = cast("asyncio.Transport", transport)
        self._half_open.put(self, self._half_open.head_seconds)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on; an application that they start finds this connection."""
        self._bytes += len(data)
        bytes_max = UNREAD_BYTES_MAX if self._unread else HEAD_BYTES_MAX
        if not self._requests and self._bytes > bytes_max:
            self.abort()
            return
        token = _connection.set(self)
        try:
            self._inner.data_received(data)
        finally:
            _connection.reset(token)

    def eof_received(self) -> bool | None:
        """Pass the end of what the client says on."""
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._half_open.drop(self)
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Pass on that the client reads slowly."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client reads again."""
        self._inner.resume_writing()

    # -- from the application

    def begin(self, *, body: bool) -> None:
        """Note that the head of a request was read, and whether a body follows."""
        self._requests += 1
        self._unread = body
        if body:
            self._half_open.put(self, self._half_open.body_seconds)
        else:
            self._half_open.drop(self)

    def complete(self) -> None:
        """Note that a request was read whole."""
        self._unread = False
        self._half_open.drop(self)

    def end(self) -> None:
        """Note that a request was answered; the next one is waited for."""
        self._requests -= 1
        self._bytes = 0
        if not self._requests and self._transport and not self._transport.is_closing():
            self._half_open.put(self, self._half_open.head_seconds)

    # -- from the bounds

    def expire(self) -> None:
        """Give up, unless the client is still reading the last answer."""
        if self._transport and self._transport.get_write_buffer_size():
            self._half_open.put(self, self._half_open.head_seconds)
        else:
            self._half_open.drop(self)
            self.abort()

    def abort(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()


def watched(app: ASGIApp) -> ASGIApp:
    """Wrap an application so that its connections know when requests begin and end."""

    async def watch(scope: Scope, receive: Receive, send: Send) -> None:
        connection = _connection.get()
        if connection is None or scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        has_body = scope["type"] == "http" and _has_body(scope)

        async def receive_part() -> Message:
            message = await receive()
            if not message.get("more_body"):
                connection.complete()
            return message

        connection.begin(body=has_body)
        try:
            await app(scope, receive_part if has_body else receive, send)
        finally:
            connection.end()

    return watch


def _has_body(scope: Scope) -> bool:
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
