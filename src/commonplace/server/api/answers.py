"""JSON for the page and the command line, under `/api`.

An error is `{"error": {"code", "message"}}` with a fitting status. `POST /api/index` answers with
a JSON line for each step, since a caller that waits for minutes wants to see that it moves.

Whatever changes something must carry the header `X-Commonplace`, which a page of another site
cannot send: `guarded` asks for it.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from typing import cast

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from commonplace.core.scopes import allows
from commonplace.core.search.query import RESULTS_MAX
from commonplace.errors import (
    CODES,
    BadArgument,
    CommonplaceError,
    Forbidden,
)
from commonplace.server.access.guard import NO_PAGE_HEADER, PAGE_HEADER
from commonplace.server.access.identity import token_of
from commonplace.server.access.required_scopes import is_offered_for_part, needed
from commonplace.server.body import whole_number
from commonplace.vault.permissions.tokens import Token
from commonplace.vault.vault import Vault

_QUERY_CHARS_MAX = 2_000
_LIMIT = 10
_STEPS_MAX = 64
# What the page shows in views of their own, and leaves out where a token does not open it.
_VIEWS = (
    *("approvals", "remembered", "assistants", "connect"),
    *("folders/empty", "history", "sets", "trash"),
)

_STATUS = {
    "BAD_ARGUMENT": 400,
    "NOT_FOUND": 404,
    "FORBIDDEN": 403,
    "CONFLICT": 409,
    "UNREADABLE": 422,
    "UNAVAILABLE": 503,
}

logger = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]
StatusBody = dict[str, object]


def routes(vault: Vault, *, read_only: bool = False) -> list[Route]:
    """Make the routes over one vault."""

    async def status(request: Request) -> Response:
        found = {**vault.health.status(), "read_only": read_only}
        token = token_of(request.scope)
        return JSONResponse(_abroad(found, token) if token else found)

    async def search(request: Request) -> Response:
        query, limit = query_of(request), limit_of(request)
        hits = await vault.search.search(query, limit)
        return JSONResponse({"query": query, "hits": [asdict(hit) for hit in hits]})

    async def diagnose(_: Request) -> Response:
        return JSONResponse({"checks": [asdict(check) for check in await vault.health.diagnose()]})

    async def index(request: Request) -> Response:
        rebuild = request.query_params.get("rebuild") in ("1", "true")
        return _Refreshing(vault, rebuild=rebuild)

    return [
        Route("/api/status", answering(status)),
        Route("/api/search", answering(search)),
        Route("/api/doctor", answering(diagnose)),
        Route("/api/index", guarded(index), methods=["POST"]),
    ]


def refusal(error: CommonplaceError) -> tuple[int, StatusBody]:
    """Put an error as an HTTP status and a body."""
    for code, kind in CODES.items():
        if isinstance(error, kind):
            return _STATUS[code], {"error": {"code": code, "message": str(error)}}
    return 500, {"error": {"code": "INTERNAL", "message": str(error)}}


def answering(endpoint: Endpoint) -> Endpoint:
    """Put whatever an endpoint raises as an answer."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except CommonplaceError as error:
            status, body = refusal(error)
            return JSONResponse(body, status)
        except Exception:
            logger.exception("%s failed", request.url.path)
            error = CommonplaceError("Internal error; the server's log has the details.")
            return JSONResponse(refusal(error)[1], 500)

    return answer


def guarded(endpoint: Endpoint) -> Endpoint:
    """Let only requests through that a page of another site cannot make."""

    async def check(request: Request) -> Response:
        if PAGE_HEADER not in request.headers:
            raise Forbidden(NO_PAGE_HEADER)
        return await endpoint(request)

    return answering(check)


_HERE = ("state", "withheld")


def _abroad(status: StatusBody, token: Token) -> StatusBody:
    """Leave out where things are on this machine, and say what the token is good for."""
    roots = cast("list[dict[str, str]]", status["roots"])
    names = [{"name": root["name"], "path": root["path"].rpartition("/")[2]} for root in roots]
    closed = status["read_only"] or not allows(token.scope, "write")
    shown = {key: value for key, value in status.items() if key not in _HERE}
    return shown | {
        "roots": names,
        "scope": token.scope,
        "read_only": closed,
        "closed": [name for name in _VIEWS if not _opens(token, f"/api/{name}")],
    }


def _opens(token: Token, path: str) -> bool:
    """Tell whether a token may look at this at all."""
    return allows(token.scope, needed("GET", path)) and (
        not token.folders or is_offered_for_part(path)
    )


def query_of(request: Request) -> str:
    """Return what a request searches for."""
    query = request.query_params.get("q", "").strip()
    if not query:
        raise BadArgument("q is missing: say what to search for.")
    if len(query) > _QUERY_CHARS_MAX:
        raise BadArgument(f"q is over {_QUERY_CHARS_MAX} characters. Search for less.")
    return query


def limit_of(request: Request) -> int:
    """Return how much a request wants at most."""
    given = request.query_params.get("limit", str(_LIMIT))
    return whole_number(given, "limit", least=1, most=RESULTS_MAX)


class _Refreshing(Response):
    """Refreshes the index and says how it goes; it goes on when the caller has left."""

    def __init__(self, vault: Vault, *, rebuild: bool) -> None:
        super().__init__(media_type="application/x-ndjson")
        del self.headers["content-length"]
        self._vault, self._rebuild = vault, rebuild

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(head)
        steps, taken = anyio.create_memory_object_stream[StatusBody](_STEPS_MAX)
        async with anyio.create_task_group() as tasks, taken:
            tasks.start_soon(self._refresh, steps)
            async for step in taken:
                body = json.dumps(step).encode() + b"\n"
                await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _refresh(self, steps: MemoryObjectSendStream[StatusBody]) -> None:
        def progress(done: int, total: int) -> None:
            # A step that nobody takes in time is dropped: the next one says more.
            with suppress(anyio.WouldBlock):
                steps.send_nowait({"done": done, "total": total})

        async with steps:
            try:
                await self._vault.indexer.refresh(rebuild=self._rebuild, progress=progress)
                await steps.send({"status": self._vault.health.status()})
            except CommonplaceError as error:
                await steps.send(refusal(error)[1])
