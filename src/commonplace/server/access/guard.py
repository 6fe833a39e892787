"""Who may speak to us over HTTP, and how much: checked before any route, sockets included.

A page on another site can make a browser call a server on this machine, under that site's name
(its `Origin`) or, by DNS rebinding, under a name of its own (its `Host`). So the host must be one
that we go by, and an origin, when there is one, must be the very place that was called, or one
that the person allowed. Names are compared as they are written; browsers write them in lower case.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
BODY_MAX = 4 * 1024 * 1024
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(:[0-9]{1,5})?")
_SCHEME = re.compile(r"https?://")
_POLICY_VIOLATION = 1008


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP status, and the reason in words."""

    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Guard:
    """The hosts we go by (`name` for any port, or `name:port`) and the origins let in besides."""

    hosts: tuple[str, ...] = LOOPBACK
    origins: tuple[str, ...] = ()

    @staticmethod
    def also(hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> "Guard":
        """Make a guard that knows these beside the loopback names."""
        return Guard((*LOOPBACK, *hosts), tuple(origins))

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Say why a request may not come in, or None when it may."""
        hosts, origins = _values(headers, b"host"), _values(headers, b"origin")
        if len(hosts) != 1 or not self._known(hosts[0]):
            return Refusal(421, "Invalid Host header: this server does not go by that name.")
        if len(origins) > 1 or any(not self._welcome(o, hosts[0]) for o in origins):
            return Refusal(403, "Invalid Origin header: pages of that site may not call here.")
        return None

    def _known(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        return parts is not None and (host in self.hosts or parts[1] in self.hosts)

    def _welcome(self, origin: str, host: str) -> bool:
        # Behind a proxy the scheme seen here is not the one the browser used; the name still is.
        scheme = _SCHEME.match(origin)
        return origin in self.origins or (scheme is not None and origin[scheme.end() :] == host)


class Guarded:
    """An ASGI app behind a guard: refusals, the limit on bodies, and headers on every answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        # httptools leaves blanks after a value that are no part of it (RFC 9110, 5.5).
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        if refusal := self._guard.refusal(scope["headers"]):
            await _refuse(refusal, scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await _limited(self._app, scope, receive, _with_headers(send))


async def _limited(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    body = _Body(receive, send, _declared(scope))
    if body.too_long:
        await _refuse(_TOO_LONG, scope, receive, send)
        return
    try:
        await app(scope, body.receive, body.send)
    except* _BodyTooLong:
        pass
    if body.too_long and not body.answered:
        await _refuse(_TOO_LONG, scope, receive, send)


class _BodyTooLong(Exception):
    """Unwinds an app that is reading a body over the limit."""


_TOO_LONG = Refusal(413, f"Request body too large: the limit is {BODY_MAX} bytes.")


class _Body:
    """Counts what an app reads; once it is too much, nothing the app says goes out any more."""

    def __init__(self, receive: Receive, send: Send, declared: int) -> None:
        self.too_long = declared > BODY_MAX
        self.answered = False
        self._receive = receive
        self._send = send
        self._size = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > BODY_MAX:
            self.too_long = True
            raise _BodyTooLong
        return message

    async def send(self, message: Message) -> None:
        if self.answered or not self.too_long:
            self.answered = True
            await self._send(message)


def _declared(scope: Scope) -> int:
    lengths = _values(scope["headers"], b"content-length")
    return max((int(length) for length in lengths if length.isdecimal()), default=0)


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


async def _refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return
    response = PlainTextResponse(refusal.text, refusal.status)
    await response(scope, receive, send)
