"""The application over real HTTP: both eras, who is who, notices, and an end in time."""

import json
from collections.abc import Generator
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
import httpx
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated

from commonplace.server.access.identity import TokenHolder
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions.tokens import Tokens
from tests.server.http_server import serving
from tests.server.mcp.test_resources import Ear, subscribe
from tests.server.mcp.test_server import raw
from tests.server.mcp.test_stream import HELLO, call
from tests.server.small_vault import NOTES, Shelf, app_on, server_on, service_on, text_of, toolbox
from tests.wait import PATIENCE, eventually

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")
ACCEPT = {"accept": "application/json, text/event-stream"}
MODERN = {
    **ACCEPT,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "read",
}


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture(scope="module")
def url(shelf: Shelf) -> Generator[str]:
    direct = service_on(shelf).direct
    with serving(app_on(server_on(shelf), direct=direct)) as url:
        yield url + "/mcp"


def named(url: str, name: str, era: str, **more: Any) -> Client:
    return Client(url, mode=era, client_info=types.Implementation(name=name, version="1"), **more)


async def who(client: Client) -> list[str]:
    return text_of(await client.call_tool("read", {"file_path": "who"})).split("|")


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_lists_and_calls(url: str, era: str) -> None:
    async with Client(url, mode=era) as client:
        published = [dict(d.published) for d in toolbox(Shelf()).definitions()]
        assert json.dumps((await raw(client, "tools/list"))["tools"]) == json.dumps(published)
        answer = await client.call_tool("read", {"file_path": "日記/あ 😀.md"})
        assert text_of(answer) == NOTES["日記/あ 😀.md"]
        assert client.server_capabilities.resources is not None
        assert client.server_capabilities.resources.list_changed


async def test_in_2025_a_session_is_who_calls(url: str) -> None:
    async with named(url, "ada", "legacy") as ada, named(url, "ada", "legacy") as other:
        first, second = await who(ada), await who(other)
        assert await who(ada) == first
    assert first[0] != second[0]
    assert first[0].startswith("session:")
    assert first[1] == "ada"


async def test_in_2026_a_name_and_an_address_are_who_calls(url: str) -> None:
    async with named(url, "ada", "auto") as ada, named(url, "bob", "auto") as bob:
        assert await who(ada) == ["client:ada@127.0.0.1", "ada"]
        assert await who(bob) == ["client:bob@127.0.0.1", "bob"]


async def test_in_2026_a_session_header_counts_for_nothing(url: str) -> None:
    async with httpx.AsyncClient(headers=MODERN | {"mcp-session-id": "stolen"}) as http:
        answer = (await http.post(url, json=call(1, "who"))).json()
    assert answer["result"]["content"][0]["text"] == "client:assistant@127.0.0.1|assistant"


@pytest.mark.parametrize("era", ERAS)
async def test_the_token_is_who_calls_whatever_the_client_calls_itself(
    era: str, tmp_path: Path
) -> None:
    async with SqliteLog(tmp_path / "live.db") as log:
        token, _ = await (tokens := Tokens(log)).create("Ada", "read")
        app = app_on(server_on(Shelf()))

        async def authenticated(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "holder": TokenHolder(token, tokens)}, receive, send)

        with serving(authenticated) as url:
            async with named(url + "/mcp", "any", era) as client:
                assert (await who(client))[:2] == [f"token:{token.id}", "Ada"]


async def test_a_2025_session_hears_news_on_its_own_stream(url: str, shelf: Shelf) -> None:
    ear = Ear()
    async with named(url, "ear", "legacy", message_handler=ear) as client:
        await subscribe(client, "note:///Garden/Bees.md")

        def heard() -> bool:
            shelf.put("Garden/Bees.md", "changed")
            return bool(ear.heard)

        await eventually(heard)
        shelf.put("fresh.md", "")
        with anyio.fail_after(PATIENCE):
            while "list" not in ear.heard:
                await ear.wait_for(len(ear.heard) + 1)
    assert set(ear.heard) == {"note:///Garden/Bees.md", "list"}


async def test_a_2026_client_hears_news_on_the_stream_it_opened(url: str, shelf: Shelf) -> None:
    uri = "note:///Garden/Clover.md"
    async with (
        Client(url) as client,
        client.listen(resource_subscriptions=[uri], resources_list_changed=True) as news,
    ):
        shelf.put("Garden/Clover.md", "changed")
        shelf.put("another.md", "")
        with anyio.fail_after(PATIENCE):
            heard = {await anext(news), await anext(news)}
    assert heard == {ResourceUpdated(uri), ResourcesListChanged()}


async def test_a_2025_session_that_ends_leaves_nothing_behind() -> None:
    server = server_on(Shelf())
    feeds: list[Any] = []

    async def spy(ctx: Any, call_next: Any) -> Any:
        feeds.append(ctx.lifespan_context)
        return await call_next(ctx)

    server.middleware.append(spy)
    with serving(app_on(server)) as url:
        async with Client(url + "/mcp", mode="legacy") as client:
            await subscribe(client, "note:///a.md")
            assert len(feeds[0]._subscribers) == 1
        # The server clears up in a thread of its own.
        await eventually(lambda: not feeds[0]._subscribers)
        assert feeds[0]._listeners == {}


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_with_open_streams_stops_in_time(era: str) -> None:
    shelf = Shelf()
    running = serving(app_on(server_on(shelf)))
    url = running.__enter__() + "/mcp"
    headers = MODERN if era == "auto" else ACCEPT
    params: dict[str, Any] = {"notifications": {"resourcesListChanged": True}}
    async with httpx.AsyncClient(headers=headers) as http:
        if era == "legacy":
            opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
            session = (await http.post(url, json=opening)).headers["mcp-session-id"]
            stream = http.stream("GET", url, headers={"mcp-session-id": session})
        else:
            params["_meta"] = call(1, "")["params"]["_meta"]
            listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
            named = {"mcp-method": "subscriptions/listen"}
            http.headers.pop("mcp-name")
            stream = http.stream("POST", url, json=listen, headers=named)
        async with stream as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            left = perf_counter()
            await anyio.to_thread.run_sync(running.__exit__, None, None, None)
    assert perf_counter() - left < 8
    assert shelf.listeners == []


async def test_a_big_body_and_a_strange_host_are_refused(url: str) -> None:
    async with httpx.AsyncClient(headers=MODERN) as http:
        assert (await http.post(url, content=b"x" * (4 * 1024 * 1024 + 1))).status_code == 413
        strange = await http.post(url, json={}, headers={"host": "evil.com"})
        assert strange.status_code == 421
        assert strange.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("era", ERAS)
async def test_many_clients_at_once_are_all_answered(url: str, era: str) -> None:
    answers: list[str] = []

    async def talk() -> None:
        async with Client(streamable_http_client(url), mode=era) as client:
            results = [await client.call_tool("read", {"file_path": path}) for path in NOTES]
        answers.extend(text_of(result) for result in results)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(talk)
    assert len(answers) == 8 * len(NOTES)
