"""y-sweet's HTTP and socket endpoints (0.9), so that its client and its SDK work unchanged.

Documents here are the notes of a vault: they are opened by id and never made up on request.
"""

import re
import time
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Scope

from commonplace.errors import BadArgument, CommonplaceError, Forbidden
from commonplace.server.access.identity import Unauthorized, may, token_of
from commonplace.server.access.ysweet_grants import Authorization, DocumentGrant, Grants
from commonplace.server.api.answers import Endpoint, refusal
from commonplace.server.body import body_of
from commonplace.server.yjs.rooms import Rooms
from commonplace.server.yjs.sockets import Admission, Socket, actor_on
from commonplace.vault.documents.engine.replica import NOTHING_KNOWN

VALID_SECONDS = 3_600.0
VALID_SECONDS_MAX = 86_400.0
USER_MAX = 64

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_NO_NEW = (
    "Documents are the notes of a vault: make a note in the vault, then open it by its id. "
    "No document was made."
)


def routes(
    rooms: Rooms,
    *,
    key: bytes | None = None,
    read_only: bool = False,
    prefix: str = "",
    clock: Callable[[], float] = time.time,
) -> list[BaseRoute]:
    """Make y-sweet's routes.

    `key` signs the tokens that clients get; without one they hold until the process ends. `prefix`
    is where clients find the vault, on a server with several.
    """
    sweet = _Sweet(rooms, Grants(key, clock), read_only=read_only, prefix=prefix)
    return [
        Route("/ready", _fine),
        Route("/check_store", _fine, methods=["GET", "POST"]),
        Route("/doc/new", _answering(sweet.new), methods=["POST"]),
        Route("/doc/{document}/auth", _answering(sweet.authorize), methods=["POST"]),
        Route("/d/{document}/as-update", _answering(sweet.as_update)),
        Route("/d/{document}/update", _answering(sweet.update), methods=["POST"]),
        WebSocketRoute("/d/{document}/ws/{again}", Socket(rooms, sweet.admit)),
    ]


class _Sweet:
    def __init__(self, rooms: Rooms, tokens: Grants, *, read_only: bool, prefix: str) -> None:
        self._prefix = prefix
        self._rooms = rooms
        self._tokens = tokens
        self._read_only = read_only

    async def new(self, request: Request) -> Response:
        wanted = (await body_of(request, b"{}")).get("docId")
        if wanted is None:
            raise Forbidden(_NO_NEW)
        document = _checked(wanted)
        async with self._rooms.open(document):
            return JSONResponse({"docId": document})

    async def authorize(self, request: Request) -> Response:
        document = _checked(request.path_params["document"])
        asked = await body_of(request, b"{}")
        authorization = self._authorization(asked.get("authorization"), request.scope)
        holder = token_of(request.scope)
        user, seconds = _user(asked.get("userId")), _seconds(asked.get("validForSeconds"))
        async with self._rooms.open(document):
            id = holder.id if holder else ""
            token = self._tokens.issue(document, authorization, user, seconds, id)
        http = request.url.replace(path=f"{self._prefix}/d/{document}", query="")
        socket = http.replace(
            scheme="wss" if http.scheme == "https" else "ws", path=f"{http.path}/ws"
        )
        return JSONResponse(
            {
                "url": str(socket),
                "baseUrl": str(http),
                "docId": document,
                "token": token,
                "authorization": authorization,
            }
        )

    async def as_update(self, request: Request) -> Response:
        document = self._granted(request).document
        async with self._rooms.open(document):
            update = await self._rooms.notes.documents.answer(document, NOTHING_KNOWN)
        return Response(update, media_type="application/octet-stream")

    async def update(self, request: Request) -> Response:
        grant = self._granted(request)
        if not self._writes(grant, request.scope):
            raise Forbidden("This token is for reading only. Nothing was saved.")
        update = await request.body()
        async with self._rooms.open(grant.document):
            actor = self._actor(grant, request.scope) or self._rooms.somebody()
            await self._rooms.notes.documents.apply(grant.document, update, actor)
        return JSONResponse({})

    def admit(self, scope: Scope) -> Admission:
        """Let a socket in by the token in its address."""
        document = scope["path_params"]["document"]
        if scope["path_params"]["again"] != document:
            raise BadArgument("The address names two documents; it must name one twice.")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        grant = _own_grant(self._tokens.read(given[0], document), scope)
        reader = not self._writes(grant, scope)
        return Admission(document, self._actor(grant, scope), reader)

    def _writes(self, grant: DocumentGrant, scope: Scope) -> bool:
        return not self._read_only and grant.authorization == "full" and may(scope, "write")

    def _actor(self, grant: DocumentGrant, scope: Scope) -> str | None:
        if grant.user and token_of(scope) is None:
            return f"person:{grant.user}"
        return actor_on(scope)

    def _authorization(self, asked: object, scope: Scope) -> Authorization:
        if asked not in (None, "full", "read-only"):
            raise BadArgument('authorization must be "full" or "read-only".')
        closed = self._read_only or not may(scope, "write")
        return "read-only" if closed or asked == "read-only" else "full"

    def _granted(self, request: Request) -> DocumentGrant:
        grant = self._tokens.read(_bearer(request), request.path_params["document"])
        return _own_grant(grant, request.scope)


async def _fine(_: Request) -> Response:
    return JSONResponse({"ok": True})


def _answering(endpoint: Endpoint) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except CommonplaceError as error:
            status, body = refusal(error)
            return JSONResponse(body, 401 if isinstance(error, Unauthorized) else status)

    return answer


def _own_grant(grant: DocumentGrant, scope: Scope) -> DocumentGrant:
    """Return a grant of the access token that a request was let in by; no other counts."""
    token = token_of(scope)
    if grant.holder != (token.id if token else ""):
        raise Unauthorized("The token was given to somebody else. Ask for a new one.")
    return grant


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("A token is missing: send it as `Authorization: Bearer …`.")
    return token.strip()


def _checked(document: object) -> str:
    if not isinstance(document, str) or not _ID.fullmatch(document):
        raise BadArgument("A document's id has only letters, digits, `-` and `_`.")
    return document


def _user(given: object) -> str:
    if given is None:
        return ""
    if not isinstance(given, str) or len(given) > USER_MAX or not given.isprintable():
        raise BadArgument(f"userId must be text of at most {USER_MAX} characters.")
    return given


def _seconds(given: object) -> float:
    if given is None:
        return VALID_SECONDS
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        raise BadArgument("validForSeconds must be a number above 0.")
    return float(min(given, VALID_SECONDS_MAX))
