"""Who is let in: every route with every kind of token, over real HTTP and real sockets."""

import re
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from pycrdt import Doc, Text
from starlette.routing import Mount, Route, WebSocketRoute
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from commonplace.core.scopes import SCOPES, Scope, allows
from commonplace.core.yjs.encoding import encode_state_vector
from commonplace.core.yjs.frames import (
    DeniedFrame,
    SyncStep1,
    SyncStep2,
    UpdateFrame,
    decode,
    encode,
)
from commonplace.errors import BadArgument
from commonplace.server.access import door
from commonplace.server.access.required_scopes import is_open, needed
from commonplace.server.access.ysweet_grants import Grants as Grants
from commonplace.server.composition import compose
from commonplace.vault.settings import Access, Root, Settings
from tests.server.mcp.test_stream import HELLO
from tests.server.site import Site, site_in
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

DEAD = ("wrong", "foreign", "revoked", "expired")
OPEN = {"/", "/diagrams", "/assets/x", "/healthz", "/readyz", "/api/session"}
WRITE = {
    "/api/folders/create",
    "/api/folders/rename",
    "/api/notes",
    "/api/notes/delete",
    "/api/notes/restore",
    "/api/notes/rename",
    "/api/notes/rename/undo",
    "/api/attachments",
    "/api/attachments/rename",
    "/api/files/delete",
    "/api/files/rename",
    "/api/comments",
    "/api/comments/resolve",
    "/api/history/restore",
}
APPROVE = {
    ("GET", "/api/approvals"),
    ("POST", "/api/approvals"),
    ("POST", "/api/approvals/x"),
    ("GET", "/api/remembered"),
    ("POST", "/api/remembered/forget"),
    ("POST", "/api/remembered/revoke"),
    ("GET", "/api/doctor"),
    ("POST", "/api/index"),
    ("POST", "/api/review"),
    ("POST", "/api/review/undo"),
    ("POST", "/api/undo"),
    ("POST", "/api/history/forget"),
    ("POST", "/api/sets/merge"),
    ("POST", "/api/sets/1/decide"),
    ("POST", "/api/sets/1/undo"),
    ("POST", "/api/sets/1/rename"),
    ("POST", "/api/sets/1/split"),
    ("POST", "/api/sets/1/send_back"),
}
ASK = encode(SyncStep1(encode_state_vector({})))


@pytest.fixture
async def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Site]:
    monkeypatch.setattr(door, "REFUSAL_SECONDS", 0.0)
    async with site_in(tmp_path) as site:
        yield site


def routes(site: Site) -> list[tuple[str, str]]:
    """List every method and path that the app answers."""
    found = [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("POST", "/no/such/route")]
    for route in site.app.routes:
        assert isinstance(route, Route | WebSocketRoute | Mount), "a route of another kind"
        if isinstance(route, Route):
            path = re.sub(r"\{\w+:int\}", "1", route.path)
            path = re.sub(r"\{\w+\}", "x", path)
            found += [(method, path) for method in sorted(route.methods or ()) if method != "HEAD"]
    return found


async def test_no_route_answers_without_a_token_that_holds(site: Site):
    async with site.http() as http:
        for method, path in routes(site):
            answers = [await http.request(method, path, json={})]
            for dead in DEAD:
                shown = {"authorization": f"Bearer {site.secrets[dead]}"}
                answers.append(await http.request(method, path, json={}, headers=shown))
            if path in OPEN:
                assert all(each.status_code != 401 or path == "/api/session" for each in answers)
                continue
            assert [each.status_code for each in answers] == [401] * 5, (method, path)
            challenges = [each.headers["www-authenticate"] for each in answers]
            assert challenges[0] == 'Bearer realm="commonplace"'
            assert set(challenges[1:]) == {'Bearer realm="commonplace", error="invalid_token"'}
            assert len({each.content for each in answers}) == 1, "an oracle"
            assert b"commonplace token create" in answers[0].content


def wanted(method: str, path: str) -> Scope:
    if (method, path) in APPROVE or path == "/no/such/route":
        return "approve"
    if path == "/api/files/save":
        return "suggest"
    return "write" if path in WRITE and method == "POST" else "read"


async def test_each_scope_opens_its_routes_and_no_others(site: Site):
    closed = [route for route in routes(site) if route[1] not in OPEN]
    assert {("GET", "/api/tree"), ("POST", "/api/notes"), ("POST", "/api/review")} < set(closed)
    for scope in SCOPES:
        async with site.http(scope) as http:
            for method, path in closed:
                if path in ("/api/events", "/d/x/as-update", "/d/x/update") or method == "DELETE":
                    continue
                answer = await http.request(method, path, content=b"", headers={"accept": "x"})
                short = "insufficient_scope" in answer.headers.get("www-authenticate", "")
                needs = wanted(method, path)
                assert needed(method, path) == needs
                assert short is not allows(scope, needs), (scope, method, path, answer.text)
                assert not short or answer.status_code == 403


async def test_nobody_is_served_who_could_not_come_in(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    settings = Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")
    async with compose(settings, follow=False) as served:
        _, _ = await served.vault.tokens.create("over", expires=1.0)
        with pytest.raises(BadArgument, match=r"[Aa]ccess tokens are required.* token create NAME"):
            await served.app(replace(settings, access=Access(token=True)))
        await served.vault.tokens.create("holds")
        await served.app(replace(settings, access=Access(token=True)))


async def test_tokens_are_made_nowhere_but_at_the_desk(site: Site):
    async with site.http("approve", **{"x-commonplace": "1"}) as http:
        made = await http.post("/api/tokens", json={"name": "mine", "scope": "approve"})
        listed = await http.get("/api/tokens")
    assert (made.status_code, listed.status_code) == (404, 404)


async def test_a_token_in_an_address_counts_for_nothing(site: Site):
    async with site.http() as http:
        for name in ("token", "access_token"):
            answer = await http.get("/api/tree", params={name: site.secrets["approve"]})
            assert answer.status_code == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [("evil.com", 421), ("0.0.0.0", 421), ("127.0.0.2.evil.com", 421), ("localhost", 200)],
)
async def test_a_name_that_the_server_does_not_go_by_is_refused_with_a_token_too(
    site: Site, host: str, status: int
):
    async with site.http("approve") as http:
        assert (await http.get("/api/tree", headers={"host": host})).status_code == status
        evil = {"origin": "http://evil.com"}
        assert (await http.get("/api/tree", headers=evil)).status_code == 403


async def test_where_things_are_on_the_machine_is_not_told_abroad(site: Site):
    async with site.http("read") as http:
        status, lines = await http.get("/api/status"), await http.get("/api/connect")
    assert str(site.folder.parent) not in status.text + lines.text
    assert (status.json()["scope"], status.json()["read_only"]) == ("read", True)
    texts = {client["id"]: client["text"] for client in lines.json()["clients"]}
    assert "Authorization: Bearer TOKEN" in texts["claude"]
    assert '"Authorization": "Bearer TOKEN"' in texts["zed"]
    assert "use it where the notes are" in texts["desktop"]


# -- the page


async def signed_in(site: Site, http: httpx.AsyncClient, token: str) -> httpx.Response:
    body = {"token": site.secrets.get(token, token)}
    return await http.post("/api/session", json=body, headers={"x-commonplace": "1"})


async def test_the_page_signs_in_once_and_is_known_by_a_cookie(site: Site):
    async with site.http() as http:
        answer = await signed_in(site, http, "approve")
        assert answer.json() == {"name": "approve", "scope": "approve"}
        cookie = answer.headers["set-cookie"]
        for word in ("HttpOnly", "SameSite=strict", "Path=/"):
            assert word in cookie
        assert "Secure" not in cookie
        assert site.secrets["approve"] not in cookie
        assert (await http.get("/api/tree")).status_code == 200
        note = {"path": "New.md", "content": "x"}
        assert (await http.post("/api/notes", json=note)).status_code == 401
        header = {"x-commonplace": "1"}
        assert (await http.post("/api/notes", json=note, headers=header)).status_code == 200
        await http.request("DELETE", "/api/session", headers=header)
        assert (await http.get("/api/tree")).status_code == 401


async def test_behind_tls_the_cookie_stays_there(site: Site):
    async with site.http(origin=site.url.replace("http:", "https:")) as http:
        assert "Secure" in (await signed_in(site, http, "read")).headers["set-cookie"]


@pytest.mark.parametrize("token", ["", *DEAD])
async def test_nobody_signs_in_with_a_token_that_does_not_hold(site: Site, token: str):
    async with site.http() as http:
        answer = await signed_in(site, http, token)
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


async def test_signing_in_takes_the_header_and_a_body(site: Site):
    async with site.http() as http:
        body = {"token": site.secrets["read"]}
        assert (await http.post("/api/session", json=body)).status_code == 403
        header = {"x-commonplace": "1"}
        for bad in (b"", b"[]", b"{}", b"7", b"[" * 99_999):
            answer = await http.post("/api/session", content=bad, headers=header)
            assert answer.status_code == 400


async def test_a_cookie_ends_with_its_token_and_cannot_be_made_up(site: Site):
    async with site.http() as http:
        await signed_in(site, http, "write")
        ((name, value),) = http.cookies.items()
        forged = value.replace(site.ids["write"], site.ids["approve"])
        for each in (forged, value[:-2], value + "x", ".", "a.b.c", "", "~"):
            async with site.http(cookie=f"{name}={each}") as stranger:
                answer = await stranger.get("/api/tree")
            assert answer.status_code == 401, each
        assert (await http.get("/api/tree")).status_code == 200
        await site.vault.tokens.revoke(site.ids["write"])
        assert (await http.get("/api/tree")).status_code == 401


async def test_a_stream_of_events_ends_with_its_token(site: Site):
    async with site.http("read") as http, http.stream("GET", "/api/events") as events:
        assert events.status_code == 200
        lines = events.aiter_lines()
        assert await anext(lines) == ": here"
        await site.vault.tokens.revoke(site.ids["read"])
        with anyio.fail_after(PATIENCE):
            assert [line async for line in lines if line.startswith("event")] == []


# -- sockets


async def document(site: Site) -> str:
    return (await site.vault.notes.ids.identify("Bees.md")).id


async def socket(site: Site, token: str = "", cookie: str = "") -> ClientConnection:
    headers = {"authorization": f"Bearer {site.secrets[token]}"} if token else {}
    headers |= {"cookie": cookie} if cookie else {}
    address = f"{site.url.replace('http', 'ws')}/sync/{await document(site)}"
    return await connect(address, additional_headers=headers)


async def first(ws: ClientConnection) -> object:
    with anyio.fail_after(PATIENCE):
        return decode(await ws.recv(decode=False))


async def ending(ws: ClientConnection) -> tuple[int, list[Any]]:
    """Wait for the end of a socket; give its code, and all that came before."""
    heard: list[Any] = []
    with anyio.fail_after(PATIENCE):
        try:
            while True:
                heard.append(await ws.recv())
        except ConnectionClosed:
            assert ws.close_code is not None
            return ws.close_code, heard


async def test_a_socket_opens_by_the_header(site: Site):
    async with await socket(site, "write") as ws:
        assert isinstance(await first(ws), SyncStep1)


async def test_a_socket_opens_by_its_first_message(site: Site):
    async with await socket(site) as ws:
        await ws.send(f"Bearer {site.secrets['write']}")
        assert isinstance(await first(ws), SyncStep1)


async def test_a_socket_opens_by_the_cookie(site: Site):
    async with site.http() as http:
        await signed_in(site, http, "write")
        cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    async with await socket(site, cookie=cookie) as ws:
        assert isinstance(await first(ws), SyncStep1)


@pytest.mark.parametrize("dead", DEAD)
async def test_a_socket_with_a_token_that_does_not_hold_is_closed(site: Site, dead: str):
    async with await socket(site, dead) as ws:
        assert await ending(ws) == (4401, [])
    async with await socket(site) as ws:
        await ws.send(f"Bearer {site.secrets[dead]}")
        assert await ending(ws) == (4401, [])


@pytest.mark.parametrize("message", [ASK, "", "hello", "Bearer", b"Bearer x", "{}"])
async def test_a_socket_that_says_anything_else_first_gets_nothing(site: Site, message: Any):
    async with await socket(site) as ws:
        await ws.send(message)
        assert await ending(ws) == (4401, [])


async def test_a_socket_that_says_nothing_is_not_waited_for_long(
    site: Site, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(door, "FIRST_MESSAGE_SECONDS_MAX", 0.1)
    async with await socket(site) as ws:
        assert await ending(ws) == (4401, [])


async def test_only_so_many_strangers_are_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(door, "STRANGERS_MAX", 1)
    async with await socket(site) as waiting:
        async with await socket(site) as ws:
            assert await ending(ws) == (4401, [])
        await waiting.send(f"Bearer {site.secrets['read']}")
        await first(waiting)


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_socket_writes_if_its_token_does(site: Site, scope: str):
    async with await socket(site, scope) as ws:
        doc: Doc[Any] = Doc()
        text = doc.get("contents", type=Text)
        await ws.send(ASK)
        told: object = None
        while not isinstance(told, SyncStep2):
            told = await first(ws)
        doc.apply_update(told.update)
        before = doc.get_state()
        text += "Typed."
        await ws.send(encode(UpdateFrame(doc.get_update(before))))
        await ws.send(ASK)
        while not isinstance(told := await first(ws), DeniedFrame | SyncStep2):
            pass
    writes = scope in ("write", "approve")
    assert isinstance(told, SyncStep2) is writes
    assert ("Typed." in await site.vault.texts.marked("Bees.md")) is writes
    if writes:
        replay = await site.vault.notes.documents._log.replay(await document(site))
        assert f"person:{scope}" in {author.actor for author in replay.authors}


async def test_a_socket_ends_with_its_token(site: Site):
    async with await socket(site, "write") as ws, await socket(site, "read") as other:
        await first(ws)
        await first(other)
        await site.vault.tokens.revoke(site.ids["write"])
        assert (await ending(ws))[0] == 4401
        await other.send(ASK)
        await first(other)


# -- y-sweet


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_y_sweet_grant_goes_as_far_as_the_token_it_was_given_for(site: Site, scope: str):
    id = await document(site)
    async with site.http(scope) as http:
        grant = (await http.post(f"/doc/{id}/auth", json={})).json()
    assert grant["authorization"] == ("full" if scope in ("write", "approve") else "read-only")
    async with site.http(grant["token"]) as http:
        assert (await http.get(f"/d/{id}/as-update")).status_code == 200
        await site.vault.tokens.revoke(site.ids[scope])
        assert (await http.get(f"/d/{id}/as-update")).status_code == 401
    address = f"{grant['url'].replace('http', 'ws')}/{id}?token={grant['token']}"
    async with connect(address) as ws:
        assert await ending(ws) == (4401, [])


async def test_a_y_sweet_grant_that_no_token_stands_behind_opens_nothing(site: Site):
    id = await document(site)
    key = (site.state / "state.key").read_bytes()
    grant = Grants(key, time.time).issue(id, "full", "", 60)
    async with site.http(grant) as http:
        assert (await http.get(f"/d/{id}/as-update")).status_code == 401


async def test_a_y_sweet_grant_in_the_address_is_held_against_the_one_in_the_header(site: Site):
    id = await document(site)
    grants: dict[str, str] = {}
    for scope in ("write", "approve", "read"):
        async with site.http(scope) as http:
            grants[scope] = (await http.post(f"/doc/{id}/auth", json={})).json()["token"]
    await site.vault.tokens.revoke(site.ids["write"])
    address = f"{site.url.replace('http', 'ws')}/d/{id}/ws/{id}"
    for in_address, in_header in (("write", "read"), ("approve", "read"), ("read", "approve")):
        header = {"authorization": f"Bearer {grants[in_header]}"}
        url = f"{address}?token={grants[in_address]}"
        async with connect(url, additional_headers=header) as ws:
            assert await ending(ws) == (4401, [])
    # the control: alone, and with itself, a grant that holds opens the document
    for more in ({}, {"authorization": f"Bearer {grants['read']}"}):
        async with connect(f"{address}?token={grants['read']}", additional_headers=more) as ws:
            await ws.send(ASK)
            assert await first(ws)


# -- what is left behind


async def test_no_secret_is_left_in_logs_or_state(site: Site, caplog: pytest.LogCaptureFixture):
    caplog.set_level("DEBUG")
    for scope in SCOPES:
        async with site.http(scope) as http:
            await http.get("/api/tree")
            await http.post("/mcp", json={"jsonrpc": "2.0", "id": 0, "method": "initialize"})
        async with await socket(site) as ws:
            await ws.send(f"Bearer {site.secrets[scope]}")
            await first(ws)
    async with site.http() as http:
        await signed_in(site, http, "approve")
    kept = b"".join(file.read_bytes() for file in site.state.rglob("*") if file.is_file())
    logged = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith("commonplace"))
    for secret in site.secrets.values():
        assert (secret.removeprefix("cp_").partition("_")[2] or secret).encode() not in kept
        assert secret not in logged


def test_what_is_open_shows_nothing_of_the_vault():
    assert not any(map(is_open, ("/api", "/api/tree", "/mcp", "/sync/x", "/assets", "//", "/d/x")))


async def test_a_session_of_one_token_is_closed_to_another(site: Site):
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    accept = {"accept": "application/json, text/event-stream"}
    async with site.http("write", **accept) as mine, site.http("approve", **accept) as other:
        session = {
            "mcp-session-id": (await mine.post("/mcp", json=hello)).headers["mcp-session-id"]
        }
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert (await mine.post("/mcp", json=ping, headers=session)).status_code == 200
        assert (await other.post("/mcp", json=ping, headers=session)).status_code == 404
