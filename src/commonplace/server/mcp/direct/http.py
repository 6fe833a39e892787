"""Direct answers over HTTP, to requests of the 2026 era: each stands by itself, without a session.

As on a stream, only what has exactly the form that clients send is taken; everything else goes to
the SDK's application, with the body that was read.
"""

import asyncio
import json
from collections.abc import Generator, Iterable
from contextlib import contextmanager

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.server.mcp.actors import actor_over_http
from commonplace.server.mcp.direct.answers import DirectAnswers
from commonplace.server.mcp.direct.failures import INVALID_PARAMS
from commonplace.server.mcp.direct.requests import MODERN_VERSION, Request, recognize
from commonplace.tools.table import Actor

PATH = "/mcp"

_JSON, _EVENTS = "application/json", "text/event-stream"
_ONCE = ("mcp-protocol-version", "mcp-method", "mcp-name", "content-type", "accept")
_PARAMETER = "mcp-param-"
_LONG_SECONDS = 0.1


class DirectHttp:
    """An ASGI application: direct answers where they are possible, another application's else."""

    def __init__(self, app: ASGIApp, direct: DirectAnswers) -> None:
        self._app = app
        self._direct = direct

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        asked = scope["type"] == "http" and (scope["method"], scope["path"]) == ("POST", PATH)
        headers = _plain_headers(scope["headers"]) if asked else None
        if headers is None:
            await self._app(scope, receive, send)
            return
        read = await _read(receive)
        request = _recognized(read, headers, self._direct)
        if request is None:
            await self._app(scope, _again(read, receive), send)
            return
        actor = actor_over_http(scope, request.opening.client)
        with anyio.CancelScope() as call, _ended_with_client(receive, call):
            await _send(send, *await self._answered(request, actor))

    async def _answered(self, request: Request, actor: Actor) -> tuple[int, bytes]:
        if not request.needs_tools:
            return 200, self._direct.introduce(request)
        code, answer = await self._direct.answer(request, actor)
        return 400 if code == INVALID_PARAMS else 200, answer


def _plain_headers(given: Iterable[tuple[bytes, bytes]]) -> dict[str, str] | None:
    """Return the headers of a request of the 2026 era; None if it is another or not so plain."""
    found: dict[str, str] = {}
    for key, value in given:
        name = key.decode("latin-1")
        if name.startswith(_PARAMETER) or (name in found and name in _ONCE):
            return None
        found[name] = value.decode("latin-1")
    accepted = {each.strip() for each in found.get("accept", "").split(",")}
    plain = (
        found.get("mcp-protocol-version") == MODERN_VERSION
        and found.get("content-type") == _JSON
        and {_JSON, _EVENTS} <= accepted
    )
    return found if plain else None


def _recognized(
    read: list[Message], headers: dict[str, str], direct: DirectAnswers
) -> Request | None:
    try:
        message: object = json.loads(b"".join(part.get("body", b"") for part in read))
    except (ValueError, RecursionError):
        return None
    request = recognize(message, None, direct.tools)
    if request is None or not request.opening.modern or request.progress is not None:
        return None
    named = headers.get("mcp-name") == request.tool if request.tool else True
    return request if named and headers.get("mcp-method") == request.method else None


async def _read(receive: Receive) -> list[Message]:
    read = [await receive()]
    while read[-1].get("more_body"):
        read.append(await receive())
    return read


def _again(read: list[Message], receive: Receive) -> Receive:
    """Give what was read once more, and then what follows."""
    left = iter(read)

    async def given() -> Message:
        return next(left, None) or await receive()

    return given


@contextmanager
def _ended_with_client(receive: Receive, call: anyio.CancelScope) -> Generator[None]:
    """End a call whose client has gone: nobody waits for the answer.

    Most calls are over before it is worth a task to look for that.
    """
    loop = asyncio.get_running_loop()
    watch: asyncio.Task[None] | None = None

    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        call.cancel()

    def begin() -> None:
        nonlocal watch
        watch = loop.create_task(until_gone())

    timer = loop.call_later(_LONG_SECONDS, begin)
    try:
        yield
    finally:
        timer.cancel()
        if watch is not None:
            watch.cancel()


async def _send(send: Send, status: int, body: bytes) -> None:
    headers = [
        (b"content-length", b"%d" % len(body)),
        (b"content-type", b"application/json"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
