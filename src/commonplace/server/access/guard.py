"""Who may speak to us over HTTP, and how much: checked before any route, sockets included.

A page on another site can make a browser call a server on this machine, under that site's name
(its `Origin`) or, by DNS rebinding, under a name of its own (its `Host`). So the host must be one
that we go by, and an origin, when there is one, must be the very place that was called, or one
that the person allowed. Requests for images, scripts and the like carry no origin; there the
browser says itself whether another site is behind them (`Sec-Fetch-Site`), and of these only a link
to the page is followed. Names are compared as they are written; browsers write them in lower case.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.core.attachments.media import SAVED_BYTES_MAX

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
BODY_MAX = 4 * 1024 * 1024
UPLOADS = (("POST", "/api/attachments"), ("POST", "/api/files/save"))
# A page of another site cannot send it, so whatever changes something must carry it.
PAGE_HEADER = "x-commonplace"
NO_PAGE_HEADER = "The request lacks the header X-Commonplace: 1."
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
Headers = Sequence[tuple[bytes, bytes]]
_PAGE_HEADERS: Headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
# Our own sandboxed frame has no origin, so to a browser it is another site; the code may go there.
_ASSET_HEADERS: Headers = [
    (name, b"cross-origin" if name == b"cross-origin-resource-policy" else value)
    for name, value in _PAGE_HEADERS
]

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(:[0-9]{1,5})?")
_SCHEME = re.compile(r"https?://")
_POLICY_VIOLATION = 1008
_OUR_OWN = ("same-origin", "none")
_PAGE = "/"


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
        if not origins and any(
            site not in _OUR_OWN for site in _values(headers, b"sec-fetch-site")
        ):
            return _FROM_ELSEWHERE
        return None

    def _known(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        return parts is not None and (host in self.hosts or parts[1] in self.hosts)

    def _welcome(self, origin: str, host: str) -> bool:
        # Behind a proxy the scheme seen here is not the one the browser used; the name still is.
        scheme = _SCHEME.match(origin)
        return origin in self.origins or (scheme is not None and origin[scheme.end() :] == host)


_FROM_ELSEWHERE = Refusal(403, "This was fetched by a page of another site, which may not.")


class GuardApp:
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
        headers = _without_null(scope["headers"]) if _is_asset(scope) else scope["headers"]
        refusal = self._guard.refusal(headers)
        framed = refusal is _FROM_ELSEWHERE and (_follows_link(scope) or _is_asset(scope))
        if refusal and not framed:
            await _refuse(refusal, scope, receive, _with_headers(send, _PAGE_HEADERS))
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            sending = _with_headers(send, _ASSET_HEADERS if _is_asset(scope) else _PAGE_HEADERS)
            await _limited(self._app, scope, receive, sending)


def _follows_link(scope: Scope) -> bool:
    """Say whether the person came to the page by a link."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    how = [*_values(headers, b"sec-fetch-mode"), *_values(headers, b"sec-fetch-dest")]
    asked = (scope["type"], scope.get("method"), scope["path"])
    return asked == ("http", "GET", _PAGE) and how == ["navigate", "document"]


def _is_asset(scope: Scope) -> bool:
    """Tell whether a request only reads the page's own code, which holds nothing of a vault."""
    path = str(scope["path"])
    return scope["type"] == "http" and scope["method"] == "GET" and path.startswith("/assets/")


def _without_null(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Leave out the origin of our own sandboxed frame, which is nobody's."""
    return [pair for pair in headers if pair != (b"origin", b"null")]


async def _limited(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    body = _BoundedBody(receive, send, _declared(scope), _most(scope))
    if body.too_long:
        await _refuse(body.refusal, scope, receive, send)
        return
    try:
        await app(scope, body.receive, body.send)
    except* _BodyTooLong:
        pass
    if body.too_long and not body.answered:
        await _refuse(body.refusal, scope, receive, send)


def _most(scope: Scope) -> int:
    """Say how long the body of a request may be: a file that is saved may be longer."""
    return SAVED_BYTES_MAX if (scope["method"], scope["path"]) in UPLOADS else BODY_MAX


class _BodyTooLong(Exception):
    """Unwinds an app that is reading a body over the limit."""


class _BoundedBody:
    """Counts what an app reads; once it is too much, nothing the app says goes out any more."""

    def __init__(self, receive: Receive, send: Send, declared: int, most: int) -> None:
        self.too_long = declared > most
        self.refusal = Refusal(413, f"Request body too large: the limit is {most} bytes.")
        self._most = most
        self.answered = False
        self._receive = receive
        self._send = send
        self._size = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > self._most:
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


def _with_headers(send: Send, wanted: Headers) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            given: Headers = message.get("headers", ())
            names = {name.lower() for name, _ in given}
            message["headers"] = [*given, *(pair for pair in wanted if pair[0] not in names)]
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
