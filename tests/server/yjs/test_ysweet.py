"""y-sweet's endpoints: what its SDK and its client ask, and what they must not get."""

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from pycrdt import Doc, Text
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from commonplace.core.yjs.frames import DeniedFrame, SyncStatus, SyncStep1, SyncStep2
from commonplace.server.access.identity import Unauthorized
from commonplace.server.access.ysweet_grants import Grants
from commonplace.server.yjs import ysweet
from commonplace.server.yjs.rooms import Rooms
from tests.clock import Clock
from tests.live.notes import MIXED, NoteShelf, shelf_in
from tests.live.wire import Closed, Peer, connected

pytestmark = pytest.mark.anyio

KEY = b"k" * 32
HOSTILE: dict[str, str] = json.loads(
    (Path(__file__).parents[2] / "corpus" / "yjs_hostile.json").read_text(encoding="utf-8")
)


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[NoteShelf]:
    async with shelf_in(tmp_path, {"bees": MIXED, "clover": "Clover\n"}) as shelf:
        yield shelf


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def routes(shelf: NoteShelf, clock: Clock) -> list[BaseRoute]:
    return ysweet.routes(Rooms(shelf), key=KEY, clock=clock)


def client(routes: list[BaseRoute], **headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=Starlette(routes=routes))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8420", headers=headers)


@pytest.fixture
async def http(routes: list[BaseRoute]) -> AsyncIterator[httpx.AsyncClient]:
    async with client(routes) as http:
        yield http


async def granted(http: httpx.AsyncClient, document: str = "bees", **asked: Any) -> dict[str, Any]:
    answer = await http.post(f"/doc/{document}/auth", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def address(grant: dict[str, Any]) -> tuple[str, str]:
    return f"/d/{grant['docId']}/ws/{grant['docId']}", f"token={quote(grant['token'])}"


async def test_the_server_says_that_it_is_there(http: httpx.AsyncClient) -> None:
    asked = [http.get("/ready"), http.get("/check_store"), http.post("/check_store", json={})]
    for request in asked:
        assert (await request).json() == {"ok": True}


async def test_a_document_that_exists_is_made_by_leaving_it_as_it_is(
    http: httpx.AsyncClient, shelf: NoteShelf
) -> None:
    answer = await http.post("/doc/new", json={"docId": "bees"})
    assert answer.json() == {"docId": "bees"}
    assert await shelf.text("bees") == MIXED


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 403, "Documents are the notes of a vault"),
        (b"{}", 403, "Documents are the notes of a vault"),
        (b'{"docId": "wasps"}', 404, "no document wasps"),
        (b'{"docId": "../bees"}', 400, "letters, digits"),
        (b'{"docId": 7}', 400, "letters, digits"),
        (b"[]", 400, "JSON object"),
        (b"{", 400, "JSON"),
        (b"[" * 100_000, 400, "JSON"),
    ],
)
async def test_no_document_is_made_up(
    http: httpx.AsyncClient, body: bytes, status: int, words: str
) -> None:
    answer = await http.post("/doc/new", content=body)
    assert answer.status_code == status
    assert words in answer.json()["error"]["message"]


async def test_a_token_comes_with_where_to_use_it(http: httpx.AsyncClient) -> None:
    grant = await granted(http)
    token = grant.pop("token")
    assert grant == {
        "url": "ws://127.0.0.1:8420/d/bees/ws",
        "baseUrl": "http://127.0.0.1:8420/d/bees",
        "docId": "bees",
        "authorization": "full",
    }
    assert token.isascii()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"authorization": "admin"}, "authorization"),
        ({"validForSeconds": 0}, "validForSeconds"),
        ({"validForSeconds": "60"}, "validForSeconds"),
        ({"validForSeconds": True}, "validForSeconds"),
        ({"userId": 7}, "userId"),
        ({"userId": "x" * 65}, "userId"),
        ({"userId": "a\nb"}, "userId"),
    ],
)
async def test_a_token_is_asked_for_in_words_that_make_sense(
    http: httpx.AsyncClient, asked: dict[str, Any], words: str
) -> None:
    answer = await http.post("/doc/bees/auth", json=asked)
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]
    assert (await http.post("/doc/wasps/auth", json={})).status_code == 404


async def test_a_document_is_read_and_updated(http: httpx.AsyncClient, shelf: NoteShelf) -> None:
    token = bearer((await granted(http))["token"])
    got = await http.get("/d/bees/as-update?z=bust", headers=token)
    assert got.headers["content-type"] == "application/octet-stream"
    doc: Doc[Text] = Doc()
    doc.apply_update(got.content)
    text = doc.get("contents", type=Text)
    assert str(text) == MIXED
    before = doc.get_state()
    text.insert(0, "漢 ")
    done = await http.post("/d/bees/update", headers=token, content=doc.get_update(before))
    assert done.status_code == 200
    assert await shelf.text("bees") == "漢 " + MIXED
    assert shelf.put_away[-1] == "bees"


async def test_without_a_token_nothing_is_read_or_written(http: httpx.AsyncClient) -> None:
    for headers in ({}, {"authorization": "Basic eDp5"}, bearer("x"), bearer("x.y"), bearer("é.é")):
        encoded = {name.encode(): value.encode() for name, value in headers.items()}
        assert (await http.get("/d/bees/as-update", headers=encoded)).status_code == 401
        assert (await http.post("/d/bees/update", headers=encoded)).status_code == 401


async def test_a_token_is_for_one_document(http: httpx.AsyncClient) -> None:
    token = bearer((await granted(http))["token"])
    answer = await http.get("/d/clover/as-update", headers=token)
    assert answer.status_code == 401
    assert "another document" in answer.json()["error"]["message"]


async def test_a_token_does_not_hold_for_ever(http: httpx.AsyncClient, clock: Clock) -> None:
    brief = bearer((await granted(http, validForSeconds=60))["token"])
    usual = bearer((await granted(http))["token"])
    long = bearer((await granted(http, validForSeconds=10**400))["token"])
    for later, holding in ((59, 3), (2, 2), (3_600, 1), (86_400, 0)):
        clock.now += later
        asked = [await http.get("/d/bees/as-update", headers=t) for t in (brief, usual, long)]
        assert sum(answer.status_code == 200 for answer in asked) == holding


def test_a_token_that_was_changed_or_made_elsewhere_is_refused(clock: Clock) -> None:
    tokens = Grants(KEY, clock)
    token = tokens.issue("bees", "read-only", "", 60)
    body, signature = token.split(".")
    forged = base64.urlsafe_b64encode(json.dumps(["bees", "full", "", 9e9]).encode()).decode()
    for wrong in ("", ".", body, f"{forged}.{signature}", token[:-1], token + "x", "x" * 10_000):
        with pytest.raises(Unauthorized):
            tokens.read(wrong, "bees")
    with pytest.raises(Unauthorized):
        Grants(None, clock).read(token, "bees")
    assert tokens.read(token, "bees").authorization == "read-only"


async def test_a_token_for_reading_does_not_write(
    http: httpx.AsyncClient, routes: list[BaseRoute], shelf: NoteShelf
) -> None:
    grant = await granted(http, authorization="read-only")
    assert grant["authorization"] == "read-only"
    headers = bearer(grant["token"])
    assert (await http.get("/d/bees/as-update", headers=headers)).status_code == 200
    ana = Peer(7)
    update = ana.add("x").update
    refused = await http.post("/d/bees/update", headers=headers, content=update)
    assert refused.status_code == 403
    async with connected(routes, *address(grant)) as wire:
        await wire.read()
        assert isinstance(await wire.ask(ana.question()), SyncStep2)
        wire.write(ana.add("y"))
        assert isinstance(await wire.read(), DeniedFrame)
    assert await shelf.text("bees") == MIXED


async def test_where_all_is_read_only_every_token_is(shelf: NoteShelf) -> None:
    routes = ysweet.routes(Rooms(shelf), key=KEY, read_only=True)
    async with client(routes) as http:
        grant = await granted(http, authorization="full")
        assert grant["authorization"] == "read-only"
        headers = bearer(Grants(KEY, lambda: 9e8).issue("bees", "full", "", 9e9))
        update = Peer(7).add("x").update
        refused = await http.post("/d/bees/update", headers=headers, content=update)
        assert refused.status_code == 403


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_update_is_refused(
    http: httpx.AsyncClient, shelf: NoteShelf, name: str
) -> None:
    token = bearer((await granted(http))["token"])
    body = bytes.fromhex(HOSTILE[name])
    early = name.startswith("future delete")  # which an honest client could send
    answer = await http.post("/d/bees/update", headers=token, content=body)
    assert answer.status_code == (503 if early else 400)
    assert await shelf.replayed("bees") == await shelf.text("bees") == MIXED


async def test_a_socket_is_one_more_way_into_the_room(
    http: httpx.AsyncClient, routes: list[BaseRoute], shelf: NoteShelf
) -> None:
    ana = Peer(7)
    grant = await granted(http, userId="ana")
    async with connected(routes, *address(grant)) as wire:
        assert isinstance(await wire.read(), SyncStep1)
        wire.write(ana.question())
        ana.hear(await wire.read())
        wire.write(ana.add("x"))
        assert await wire.ask(SyncStatus(b"\1")) == SyncStatus(b"\1")
        async with shelf.documents.hold("bees") as document:
            assert document.authors[7] == "person:ana"
    assert await shelf.replayed("bees") == MIXED + "x"


async def test_a_socket_without_the_right_token_is_refused_for_good(
    http: httpx.AsyncClient, routes: list[BaseRoute]
) -> None:
    _, token = address(await granted(http))
    for path, query, code in (
        ("/d/bees/ws/bees", "", 4401),
        ("/d/bees/ws/bees", "token=x.y", 4401),
        ("/d/clover/ws/clover", token, 4401),
        ("/d/bees/ws/clover", token, 4400),
    ):
        async with connected(routes, path, query) as wire:
            closed = await wire.read()
            assert isinstance(closed, Closed)
            assert closed.code == code
