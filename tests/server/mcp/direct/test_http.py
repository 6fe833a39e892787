"""Direct answers over HTTP, against those of the SDK's application to the very same requests."""

import json
import os
import random
from collections.abc import Generator
from typing import Any

import anyio
import httpx
import pytest
from starlette.types import Message

from commonplace.server.mcp.direct.http import DirectHttp
from tests.server.http_server import serving
from tests.server.mcp import exchanges
from tests.server.mcp.direct.test_answers import Counting
from tests.server.small_vault import Shelf, app_on, server_on
from tests.wait import PATIENCE

REQUESTS = int(os.environ.get("LANES_MESSAGES", "600")) // 3
SHOWN = ("content-type", "allow")


@pytest.fixture(scope="module")
def direct() -> Counting:
    return Counting(Shelf())


@pytest.fixture(scope="module")
def urls(direct: Counting) -> Generator[tuple[str, str]]:
    """Where the SDK answers everything, and where what can be is answered directly."""
    with (
        serving(app_on(server_on(Shelf()))) as alone,
        serving(app_on(server_on(Shelf()), direct=direct)) as both,
    ):
        yield alone + "/mcp", both + "/mcp"


def drawn(rng: random.Random) -> tuple[dict[str, str], bytes]:
    """A request of the 2026 era, or something near it."""
    calm = rng.random() < 0.5
    method, params = (
        exchanges.call(rng, calm) if rng.random() < 0.7 else exchanges.plain(rng, calm, True)
    )
    if calm:
        params.get("_meta", {}).pop("progressToken", None)
    params = {**params, "_meta": {**exchanges.MODERN, **params.get("_meta", {})}}
    message = exchanges.request(1, method, params)
    body = exchanges.spoilt(rng, message) if rng.random() < 0.2 else exchanges.dump(message)
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": str(params.get("name", "")),
    }
    if rng.random() < 0.2:
        odd = ["", "x", "read", "*/*", "application/json", "text/plain", "2025-11-25", "tools/list"]
        headers[rng.choice([*headers, "mcp-param-x"])] = rng.choice(odd)
    if rng.random() < 0.1:
        headers.pop(rng.choice(list(headers)))
    return headers, body


def seen(response: httpx.Response) -> Any:
    text = response.text
    shown = {name: response.headers.get(name) for name in SHOWN}
    shown["session"] = "mcp-session-id" in response.headers
    plain = "json" in response.headers.get("content-type", "")
    return response.status_code, shown, json.loads(text) if plain else text


def test_both_lanes_answer_every_request_alike(urls: tuple[str, str], direct: Counting) -> None:
    with httpx.Client() as client:
        for seed in range(REQUESTS):
            headers, body = drawn(random.Random(seed))
            one, other = (client.post(url, headers=headers, content=body) for url in urls)
            assert seen(one) == seen(other), (seed, headers, body)
    assert REQUESTS / 4 < direct.count < REQUESTS


@pytest.mark.anyio
async def test_a_call_ends_when_its_client_goes(direct: Counting) -> None:
    watching, left, ended = anyio.Event(), anyio.Event(), anyio.Event()
    params = {"name": "read", "arguments": {"file_path": "never"}, "_meta": exchanges.MODERN}
    body = [exchanges.dump(exchanges.request(1, "tools/call", params))]
    names = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "read"}
    kinds = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    headers = [(name.encode(), value.encode()) for name, value in {**names, **kinds}.items()]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "scheme": "http", "headers": headers}
    said: list[Message] = []

    async def receive() -> Message:
        if body:
            return {"type": "http.request", "body": body.pop()}
        watching.set()
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        said.append(message)

    async def serve() -> None:
        await DirectHttp(app_on(server_on(Shelf())), direct)(scope, receive, send)
        ended.set()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            await watching.wait()
            assert not ended.is_set()
            left.set()
            await ended.wait()
    assert said == []
