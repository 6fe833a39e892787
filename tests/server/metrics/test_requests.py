"""Answers are counted when they begin."""

from typing import Any

import pytest

from commonplace.server.metrics.counts import Counters
from commonplace.server.metrics.requests import RequestCounter

pytestmark = pytest.mark.anyio


async def counted(kind: str, *messages: dict[str, Any]) -> list[tuple[str, int]]:
    """Let an application send messages; return what was counted."""
    found: list[tuple[str, int]] = []
    sent: list[Any] = []

    class Watched(Counters):
        def add_request(self, path: str, status: int) -> None:
            found.append((path, status))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    async def receive() -> Any:
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    await RequestCounter(app, Watched())({"type": kind, "path": "/x"}, receive, send)
    assert sent == list(messages)
    return found


async def test_an_answer_is_counted_once_however_long_it_is() -> None:
    body = {"type": "http.response.body", "body": b"x", "more_body": True}
    started = {"type": "http.response.start", "status": 404}
    assert await counted("http", started, body, body) == [("/x", 404)]


async def test_a_socket_counts_as_opened_or_refused() -> None:
    accepted, closed = {"type": "websocket.accept"}, {"type": "websocket.close"}
    assert await counted("websocket", accepted, closed) == [("/x", 101)]
    assert await counted("websocket", closed) == [("/x", 403)]
    refused = {"type": "websocket.http.response.start", "status": 401}
    assert await counted("websocket", refused) == [("/x", 401)]


async def test_what_is_no_request_is_not_counted() -> None:
    assert await counted("lifespan", {"type": "lifespan.startup.complete"}) == []
