"""Who is let in by access tokens, checked behind the guard and before any route.

A token comes as `Authorization: Bearer cp_…`; on a socket also as its first message, a text of the
same words; from the page as a cookie (`sessions`); from a y-sweet client as a grant that was given
for a token. Never in an address. Whatever is wrong with a token, the answer is the same. What it
allows on a route is decided here; what it allows inside MCP and on a live document, there.
A token that ends takes its open streams and sockets with it.
"""

from contextlib import ExitStack, suppress
from dataclasses import dataclass
from urllib.parse import parse_qs

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope as Connection, Send

from commonplace.core.scopes import Scope, allows
from commonplace.errors import BadArgument
from commonplace.server.access.cookies import Sessions
from commonplace.server.access.guard import NO_PAGE_HEADER, PAGE_HEADER
from commonplace.server.access.identity import TokenHolder, Unauthorized
from commonplace.server.access.required_scopes import GRANTED, READING, is_open, needed
from commonplace.server.access.ysweet_grants import Grants as Grants
from commonplace.server.body import Body, body_of
from commonplace.vault.permissions.tokens import ACCESS_PREFIX, Token, Tokens

FIRST_MESSAGE_SECONDS_MAX = 10.0
STRANGERS_MAX = 200
REFUSAL_SECONDS = 0.5
SOCKET_UNAUTHORIZED = 4401

_BEARER = "bearer "
_INVALID_REQUEST = -32600  # of JSON-RPC
_UNAUTHORIZED = (
    "This server requires an access token, and the request has no valid one. Send it as"
    " `Authorization: Bearer cp_…`. The server's owner makes one with `commonplace token create`."
)
_NO_FIRST = "The first message must be the text `Bearer cp_…`, with a valid access token."


@dataclass(frozen=True, slots=True)
class Door:
    """What is needed to tell who somebody is; `required` if nobody comes in without a token."""

    tokens: Tokens
    sessions: Sessions
    grants: Grants
    required: bool

    def routes(self) -> list[Route]:
        """Make the route by which the page signs in and out."""
        return [Route("/api/session", self._session, methods=["POST", "DELETE"])]

    async def _session(self, request: Request) -> Response:
        path = request.url.path
        if PAGE_HEADER not in request.headers:
            return _error(path, 403, "FORBIDDEN", NO_PAGE_HEADER)
        if request.method == "DELETE":
            return self.sessions.end()
        try:
            token = await self.bearer(_secret_in(await body_of(request)))
        except BadArgument as error:
            return _error(path, 400, "BAD_ARGUMENT", str(error))
        except Unauthorized:
            return _unauthorized(path, shown=True)
        return self.sessions.begin(request, token)

    async def bearer(self, secret: str) -> Token:
        """Return the token of a secret; a wrong one is told so after a while."""
        token = await self.tokens.verify(secret)
        if token is None:
            await anyio.sleep(REFUSAL_SECONDS)
            raise Unauthorized(_NO_FIRST)
        return token

    async def token(self, connection: Connection) -> Token | None:
        """Return the token that a request or a handshake comes with, None if with none.

        Raises:
            Unauthorized: it comes with one that does not hold.

        """
        shown = _bearer(connection)
        if connection["path"].startswith(GRANTED):
            return self._granted(connection, shown)
        if shown.startswith(ACCESS_PREFIX) or (shown and self.required):
            return await self.bearer(shown)
        counts = self.required and _cookie_counts(connection)
        return self.sessions.token(connection) if counts else None

    def _granted(self, connection: Connection, shown: str) -> Token | None:
        query = parse_qs(connection["query_string"].decode("latin-1"))
        grant = shown or query.get("token", [""])[0]
        if not grant:
            return None
        try:
            holder = self.grants.read(grant, connection["path"].split("/")[2]).holder
        except Unauthorized:
            if self.required:
                raise
            return None  # its own route says what is wrong with it
        token = self.tokens.get(holder)
        if holder and token is None:
            raise Unauthorized(_UNAUTHORIZED)
        return token


class DoorApp:
    """An ASGI app whose door is watched."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door
        self._strangers = 0

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if connection["type"] == "lifespan" or is_open(connection["path"]):
            await self._app(connection, receive, send)
        elif connection["type"] == "websocket":
            await self._socket(connection, receive, send)
        else:
            await self._request(connection, receive, send)

    async def _request(self, connection: Connection, receive: Receive, send: Send) -> None:
        path = connection["path"]
        try:
            token = await self._door.token(connection)
        except Unauthorized:
            await _unauthorized(path, shown=True)(connection, receive, send)
            return
        wanted = needed(connection["method"], path)
        if token is not None and not allows(token.scope, wanted):
            await _insufficient(path, token, wanted)(connection, receive, send)
        elif token is not None:
            await self._for_holder(token, connection, receive, send)
        elif self._door.required:
            await _unauthorized(path, shown=False)(connection, receive, send)
        else:
            await self._app(connection, receive, send)

    async def _for_holder(
        self, token: Token, connection: Connection, receive: Receive, send: Send
    ) -> None:
        """Answer a request; a stream of events ends when its token does."""
        holder = connection["holder"] = TokenHolder(token, self._door.tokens)
        with ExitStack() as watched, anyio.CancelScope() as over:

            async def sending(message: Message) -> None:
                if _begins_stream(message):
                    watched.enter_context(holder.watch(over.cancel))
                await send(message)

            await self._app(connection, receive, sending)
        if over.cancelled_caught:
            with suppress(OSError, RuntimeError):
                await send({"type": "http.response.body", "body": b""})

    async def _socket(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Serve a socket; from one that shows no token before, it has to be the first message."""
        try:
            token = await self._door.token(connection)
        except Unauthorized as error:
            await _accept(receive, send)
            await _turn_away(error, send)
            return
        if token is None and self._door.required:
            await _accept(receive, send)
            try:
                token = await self._introduction(receive)
            except Unauthorized as error:
                await _turn_away(error, send)
                return
            receive, send = _accepted(receive, send)
        if token is not None:
            connection["holder"] = TokenHolder(token, self._door.tokens)
        await self._app(connection, receive, send)

    async def _introduction(self, receive: Receive) -> Token:
        """Wait for the first message, which must be the token."""
        if self._strangers >= STRANGERS_MAX:
            raise Unauthorized("Too many connections wait without a token. Try again later.")
        self._strangers += 1
        try:
            with anyio.move_on_after(FIRST_MESSAGE_SECONDS_MAX):
                text = (await receive()).get("text") or ""
                if text[: len(_BEARER)].lower() == _BEARER:
                    return await self._door.bearer(text[len(_BEARER) :].strip())
            raise Unauthorized(_NO_FIRST)
        finally:
            self._strangers -= 1


def _bearer(connection: Connection) -> str:
    shown = [value for name, value in connection["headers"] if name == b"authorization"]
    text = shown[0].decode("latin-1") if len(shown) == 1 else ""
    return text[len(_BEARER) :].strip() if text[: len(_BEARER)].lower() == _BEARER else ""


def _cookie_counts(connection: Connection) -> bool:
    """Let a cookie write only with a header that a page of another site cannot send."""
    if connection["type"] == "websocket" or connection["method"] in READING:
        return True
    return any(name == PAGE_HEADER.encode() for name, _ in connection["headers"])


def _begins_stream(message: Message) -> bool:
    return message["type"] == "http.response.start" and any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message.get("headers", ())
    )


async def _accept(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})


def _accepted(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Let an app begin with a socket that was accepted for it already."""
    opening: list[Message] = [{"type": "websocket.connect"}]

    async def receiving() -> Message:
        return opening.pop() if opening else await receive()

    async def sending(message: Message) -> None:
        if message["type"] != "websocket.accept":
            await send(message)

    return receiving, sending


async def _turn_away(error: Unauthorized, send: Send) -> None:
    with suppress(OSError, RuntimeError):
        await send(
            {"type": "websocket.close", "code": SOCKET_UNAUTHORIZED, "reason": str(error)[:120]}
        )


def _secret_in(body: Body) -> str:
    secret = body.get("token")
    if not isinstance(secret, str):
        raise BadArgument("The body must be JSON with a token.")
    return secret.strip()


def _unauthorized(path: str, *, shown: bool) -> Response:
    challenge = 'Bearer realm="commonplace"' + (', error="invalid_token"' if shown else "")
    return _error(path, 401, "UNAUTHORIZED", _UNAUTHORIZED, challenge)


def _insufficient(path: str, token: Token, wanted: Scope) -> Response:
    text = (
        f"The access token {token.name!r} has the scope {token.scope}; this needs {wanted}."
        " Ask the server's owner for another."
    )
    challenge = f'Bearer realm="commonplace", error="insufficient_scope", scope="{wanted}"'
    return _error(path, 403, "FORBIDDEN", text, challenge)


def _error(path: str, status: int, code: str, text: str, challenge: str = "") -> Response:
    """Word a refusal so that its reader shows it: MCP clients look for an error of JSON-RPC."""
    headers = {"www-authenticate": challenge} if challenge else None
    if path == "/mcp":
        error = {"code": _INVALID_REQUEST, "message": text}
        return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status, headers)
    return JSONResponse({"error": {"code": code, "message": text}}, status, headers)
