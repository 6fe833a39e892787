"""Sessions that nobody ends: a new client is let in all the same, and whoever works goes on."""

from typing import Any

import httpx
import pytest
from mcp import Client

from commonplace.server import app as application
from commonplace.server.mcp.http.sessions import McpSessions
from tests.server.http_server import serving
from tests.server.mcp.test_stream import HELLO
from tests.server.site import Site, site_in
from tests.server.small_vault import Shelf, app_on, server_on

pytestmark = pytest.mark.anyio

SESSIONS = 10
HELLOS = 50
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture(autouse=True)
def few_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "SESSIONS_MAX", SESSIONS)
    monkeypatch.setattr(application, "_OPENING_MAX", 1)


async def greetings(url: str, **more: Any) -> list[int]:
    """Begin many sessions and end none; give the status of each answer."""
    async with httpx.AsyncClient(headers=ACCEPT, timeout=30, trust_env=False, **more) as http:
        return [(await http.post(f"{url}/mcp", json=INITIALIZE)).status_code for _ in range(HELLOS)]


async def test_sessions_that_nobody_ends_make_room_and_the_one_in_use_stays() -> None:
    with serving(app_on(server_on(Shelf()))) as url:
        async with Client(url + "/mcp", mode="legacy") as client:
            await client.list_tools()
            assert await greetings(url) == [200] * HELLOS
            await client.list_tools()


async def test_without_it_new_clients_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""

    def alone(app: Any, _: int) -> Any:
        return app

    monkeypatch.setattr(application, "McpSessions", alone)
    with serving(app_on(server_on(Shelf()))) as url:
        statuses = await greetings(url)
    assert statuses[:SESSIONS] == [200] * SESSIONS
    assert statuses[-1] == 503


async def test_the_session_that_was_used_is_ended_last_and_its_client_begins_anew() -> None:
    with serving(app_on(server_on(Shelf()))) as url:
        async with httpx.AsyncClient(headers=ACCEPT, base_url=url, trust_env=False) as http:
            opened = await http.post("/mcp", json=INITIALIZE)
            session = {"mcp-session-id": opened.headers["mcp-session-id"]}
            for _ in range(2):
                assert (await http.post("/mcp", json=PING, headers=session)).status_code == 200
            idle = (await http.post("/mcp", json=INITIALIZE)).headers["mcp-session-id"]
            await greetings(url)
            assert (await http.post("/mcp", json=PING, headers=session)).status_code == 200
            ended = await http.post("/mcp", json=PING, headers={"mcp-session-id": idle})
            assert ended.status_code == 404


async def test_sessions_with_tokens_make_room_too(tmp_path: Any) -> None:
    async with site_in(tmp_path) as site:
        assert await greetings(site.url, auth=_bearer(site, "read")) == [200] * HELLOS
        assert await greetings(site.url, auth=_bearer(site, "write")) == [200] * HELLOS


def _bearer(site: Site, scope: str) -> Any:
    def show(request: httpx.Request) -> httpx.Request:
        request.headers["authorization"] = f"Bearer {site.secrets[scope]}"
        return request

    return show


async def test_a_client_that_ends_its_session_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[McpSessions] = []

    def kept(app: Any, count_max: int) -> McpSessions:
        made.append(McpSessions(app, count_max))
        return made[0]

    monkeypatch.setattr(application, "McpSessions", kept)
    with serving(app_on(server_on(Shelf()))) as url:
        for _ in range(3):
            async with Client(url + "/mcp", mode="legacy") as client:
                await client.list_tools()
    assert len(made[0]) == 0
