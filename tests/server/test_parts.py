"""Tokens that are limited to folders: every route and every tool, with notes inside and outside.

Each is asked for both. What lies outside has words of its own (`OUTSIDE`), in paths, titles, texts,
tags, aliases and authors; no answer may hold any of them, but for what the asker wrote itself. And
what is said of a path outside is the same whether there is a note or none.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import MCPError
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.types import ASGIApp
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from commonplace.core.view import View
from commonplace.core.yjs.frames import SyncStep1, SyncStep2, decode, encode
from commonplace.errors import BadArgument, Unavailable
from commonplace.server.access.required_scopes import is_offered_for_part
from commonplace.server.parts import Parts
from commonplace.tools.families import FOR_PARTS
from tests.server.site import Site, site_in
from tests.wait import PATIENCE, eventually

pytestmark = pytest.mark.anyio

OUTSIDE = ("zebra", "quagga", "okapi", "tapir")
INSIDE = "Projects/Plan.md"
HIDDEN = "Zebra/Quagga.md"
ABSENT = "Yonder/Nothing.md"
FILES = {
    INSIDE: "---\nkind: plan\n---\nSee [[Notes]], [[Quagga]] and [[gone]]. grass #green\n",
    "Projects/Deep/Notes.md": "# Notes\n\nBack to [[Plan]]. grass {++more++}\n",
    HIDDEN: "---\nkind: plan\naliases: [Okapi]\n---\n# Tapir\n[[Plan]] grass #zebra {++quagga++}\n",
    "Zebra/Okapi tapir.md": "[[Plan]] and [[Quagga]] ![[tapir.png]]\n",
    "Projects 2/zebra.md": "grass beside the folder\n",
}
NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Site]:
    """Serve a vault that the tests do not change."""
    async with served(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
async def own(tmp_path: Path) -> AsyncGenerator[Site]:
    """Serve a vault to one test alone."""
    async with served(tmp_path) as site:
        yield site


@asynccontextmanager
async def served(place: Path) -> AsyncGenerator[Site]:
    """Serve notes inside and outside, with tokens for the inside."""
    for path, text in FILES.items():
        file = place / "notes" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (place / "notes/Zebra/tapir.png").write_bytes(b"\x89PNG zebra")
    (place / "notes/Projects/grass.png").write_bytes(b"\x89PNG grass")
    async with site_in(place, {"*": "allow"}) as site:
        for scope in ("read", "suggest", "write"):
            made, secret = await site.vault.tokens.create(
                f"{scope} part", scope, None, ["Projects/"]
            )
            site.secrets[f"{scope} part"], site.ids[f"{scope} part"] = secret, made.id
        # what others do must not show: a write on record, one that waits, a decision
        await site.vault.permissions.audit.write(
            "okapi", "create", HIDDEN, answer="allow", by="tapir", outcome="done"
        )
        yield site


def leaks(text: str, *given: str) -> list[str]:
    """Name the words of the outside in an answer; what the asker wrote itself is no leak."""
    told = text.lower()
    for each in given:
        told = told.replace(each.lower(), "")
    # a link that stands in a note inside is that note's text
    told = told.replace("[[quagga]]", "").replace('"quagga"', "")
    return [word for word in OUTSIDE if word in told]


def paths(routes: list[BaseRoute]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for route in routes:
        if isinstance(route, Route):
            found += [(method, route.path) for method in route.methods or () if method != "HEAD"]
        else:
            assert isinstance(route, Mount | WebSocketRoute)
    return found


QUERIES = ("path", "note", "id", "q", "tag", "link", "from", "trash", "undo")


async def ask(http: httpx.AsyncClient, method: str, path: str, about: str, id: str) -> str:
    """Ask for something with every parameter that a route may know set to a path."""
    place = path.replace("{document}", id).replace("{id}", "1").replace("{name}", "x")
    query = dict.fromkeys(QUERIES, about) | {"id": id, "tag": "zebra", "q": "grass", "author": ""}
    body: Mapping[str, object] = {
        "path": about,
        "to": "Projects/other.md",
        "content": "text",
        "suggestions": [{"path": about, "id": "x"}],
        "decision": "accept",
    }
    if path == "/api/events":
        return ""
    if method == "GET":
        answer = await http.get(place, params=query)
        bare = await http.get(place)
        return f"{answer.status_code} {answer.text} {bare.status_code} {bare.text}"
    answer = await http.request(method, place, json=body, headers={"x-commonplace": "1"})
    return f"{answer.status_code} {answer.text}"


async def test_no_route_tells_of_what_lies_outside(site: Site) -> None:
    hidden = (await site.vault.notes.ids.identify(HIDDEN)).id
    asked = 0
    async with site.http("write part") as http:
        for method, path in paths(site.app.routes):
            if path.startswith(("/assets", "/diagrams")) or path == "/":
                continue  # the page's own code, which is no secret
            there = await ask(http, method, path, HIDDEN, hidden)
            absent = await ask(http, method, path, ABSENT, NOBODY)
            assert leaks(there, HIDDEN) == [], (method, path, there)
            alike = there.replace(HIDDEN, ABSENT).replace(hidden, NOBODY)
            assert alike == absent, (method, path)
            asked += 1
    assert asked > 40
    assert (site.folder / HIDDEN).read_text() == FILES[HIDDEN]


async def test_who_sees_all_is_told_of_it(site: Site) -> None:
    """The control: without the limit nearly every route that reads tells of the outside."""
    hidden = (await site.vault.notes.ids.identify(HIDDEN)).id
    telling: set[str] = set()
    async with site.http("read") as http:
        for method, path in paths(site.app.routes):
            if method == "GET" and leaks(await ask(http, method, path, HIDDEN, hidden), HIDDEN):
                telling.add(path)
    assert telling >= {
        "/api/tree",
        "/api/search",
        "/api/find",
        "/api/note",
        "/api/links",
        "/api/tags",
        "/api/tagged",
        "/api/graph",
        "/api/status",
        "/api/suggestions",
        "/api/attachments",
    }


async def test_what_lies_inside_is_served(site: Site) -> None:
    async with site.http("read part") as http:

        async def get(place: str, **query: str) -> Any:
            answer = await http.get(place, params=query)
            assert answer.status_code == 200, answer.text
            return answer.json()

        tree = await get("/api/tree")
        assert [row[0] for row in tree["notes"]] == ["Projects/Deep/Notes.md", INSIDE]
        assert (await get("/api/note", path=INSIDE))["text"] == FILES[INSIDE]
        links = await get("/api/links", path=INSIDE)
        assert [each["path"] for each in links["backlinks"]] == ["Projects/Deep/Notes.md"]
        assert links["hidden"] == 2
        assert links["unresolved"] == ["Quagga", "gone"]
        hits = (await get("/api/search", q="grass"))["hits"]
        assert {hit["path"] for hit in hits} == {INSIDE, "Projects/Deep/Notes.md"}
        assert [node["id"] for node in (await get("/api/graph"))["nodes"]].count(HIDDEN) == 0
        assert len((await get("/api/graph"))["nodes"]) == 2
        assert (await get("/api/suggestions"))["total"] == 1
        assert [each["path"] for each in (await get("/api/attachments"))["files"]] == [
            "Projects/grass.png"
        ]
        assert (await http.get("/api/file", params={"path": "Projects/grass.png"})).content


async def test_what_is_not_named_is_closed(site: Site) -> None:
    async with site.http("write part") as http:
        for method, path in paths(site.app.routes):
            if is_offered_for_part(path.replace("{document}", "x")) or path in (
                *("/", "/diagrams", "/healthz", "/readyz", "/api/session"),
                "/assets/{name}",
            ):
                continue
            answer = await http.request(
                method, path.replace("{id}", "1"), headers={"x-commonplace": "1"}, json={}
            )
            assert answer.status_code == 403, (path, answer.text)


PAIRS = ((HIDDEN, ABSENT), ("Zebra", "Yonder"), ("Zebra/tapir.png", "Yonder/tapir.png"))
"""A path outside of something, and one of nothing: a note, a folder, a file."""
TOOLS: dict[str, dict[str, object]] = {
    "read": {"file_path": "PATH"},
    "glob": {"pattern": "**/*"},
    "grep": {"pattern": "grass", "output_mode": "content", "-C": 5},
    "get_links": {"file_path": "PATH"},
    "edit": {"file_path": "PATH", "old_string": "grass", "new_string": "hay"},
    "create_note": {"path": "PATH", "content": "mine"},
    "read_note": {"path": "PATH"},
    "read_metadata": {"path": "PATH"},
    "update_note": {"path": "PATH", "content": "mine"},
    "delete_note": {"path": "PATH"},
    "list_notes": {"folder": "FOLDER"},
    "text_search": {"query": "grass", "folder": "FOLDER"},
    "property_search": {"properties": {"kind": "plan"}},
    "get_kiln_info": {"detailed": True},
    "semantic_search": {"query": "grass"},
    "search": {"query": "grass"},
    "get_node": {"id": "PATH", "depth": 1},
    "get_neighbors": {"id": "PATH"},
    "find_path": {"source": INSIDE, "target": "PATH"},
    "get_hubs": {},
    "search_by_tags": {"tags": ["zebra"]},
    "random_node": {},
    "create_node": {"title": "Nothing", "content": "mine", "directory": "FOLDER"},
    "update_node": {"id": "PATH", "content": "mine", "title": "Other"},
    "delete_node": {"id": "PATH"},
}


def filled(arguments: Mapping[str, object], path: str) -> dict[str, object]:
    known = {"PATH": path, "FOLDER": path.rpartition("/")[0]}
    return {
        name: known.get(value, value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_no_tool_tells_of_what_lies_outside(site: Site, era: str) -> None:
    async with site.mcp("write part", era) as client:
        offered = [tool.name for tool in (await client.list_tools()).tools]
        assert set(offered) <= set(TOOLS) == FOR_PARTS, "a tool that nobody thought of here"
        told: dict[str, list[str]] = {}
        for name in offered:
            for path in (*PAIRS[0], *PAIRS[1], *PAIRS[2]):
                answer = await client.call_tool(name, filled(TOOLS[name], path))
                text = json.dumps([each.model_dump() for each in answer.content])
                folder = path.rpartition("/")[0] or path
                assert leaks(text, path, folder, "zebra") == [], (name, path, text)
                assert "Zebra" not in text.replace(path, "").replace(folder, ""), (name, text)
                plain = text.replace(path, "PATH").replace(folder, "FOLDER")
                told.setdefault(name, []).append(plain)
            if "PATH" in TOOLS[name].values():  # what else is told may be told once
                for place, pair in enumerate(PAIRS):
                    there, absent = told[name][2 * place : 2 * place + 2]
                    assert there == absent, (name, pair)
    assert (site.folder / HIDDEN).read_text() == FILES[HIDDEN]
    assert sorted(each.name for each in (site.folder / "Zebra").iterdir()) == [
        "Okapi tapir.md",
        "Quagga.md",
        "tapir.png",
    ]


async def test_tools_work_inside(own: Site) -> None:
    async with own.mcp("write part", "2026-07-28") as client:

        async def call(name: str, **arguments: object) -> str:
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer.content
            return "\n".join(getattr(each, "text", "") for each in answer.content)

        assert "grass" in await call("read", file_path=INSIDE)
        assert (await call("glob", pattern="**/*")).count("Projects/") == 2
        links = await call("get_links", file_path=INSIDE)
        assert "[2 more documents link here, outside the folders that you may see.]" in links
        await call("edit", file_path=INSIDE, old_string="grass", new_string="hay")
        await call("create_note", path="Projects/new.md", content="fresh")
        node = json.loads(await call("get_node", id=INSIDE, depth=1))
        assert node["incomingCount"] == 1
        assert await call("find_path", source=INSIDE, target="Projects/Deep/Notes.md") != "null"
    assert (own.folder / "Projects/new.md").exists()


async def test_resources_are_those_inside(site: Site) -> None:
    async with site.mcp("read part", "legacy") as client:
        listed = [each.uri for each in (await client.list_resources()).resources]
        assert len(listed) == 2
        assert not [uri for uri in listed if leaks(str(uri))]
        errors: list[str] = []
        for path in (HIDDEN, ABSENT):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(f"note:///{path}")
            errors.append(str(caught.value).replace(path, "PATH"))
    assert errors[0] == errors[1]


async def test_a_rename_is_refused_with_a_reason(site: Site) -> None:
    async with site.mcp("write part", "2026-07-28") as client:
        answer = await client.call_tool("update_node", {"id": INSIDE, "title": "Other"})
        assert answer.is_error
        assert "reaches Projects/ only" in json.dumps([c.model_dump() for c in answer.content])
    assert (site.folder / INSIDE).exists()


async def closed_by(site: Site, token: str, document: str) -> int | None:
    """Open a socket; the code that it is closed with, or None once it has been answered."""
    url = f"{site.url.replace('http', 'ws')}/sync/{document}"
    headers = {"authorization": f"Bearer {site.secrets[token]}"}
    async with connect(url, additional_headers=headers) as socket:
        try:
            await socket.send(encode(SyncStep1(b"\0")))
            with anyio.fail_after(PATIENCE):
                while True:
                    frame = await socket.recv()
                    assert isinstance(frame, bytes)
                    if isinstance(decode(frame), SyncStep2):
                        return None
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 0


async def test_sockets_open_what_lies_inside_alone(site: Site) -> None:
    ids = site.vault.notes.ids
    inside, hidden = (await ids.identify(INSIDE)).id, (await ids.identify(HIDDEN)).id
    root = await site.vault.folders.id_of("notes")
    assert await closed_by(site, "read part", inside) is None
    assert await closed_by(site, "read part", hidden) == 4404
    assert await closed_by(site, "read part", root) == 4404
    assert await closed_by(site, "read part", NOBODY) == 4404
    assert await closed_by(site, "read", hidden) is None


async def test_a_socket_ends_when_its_note_goes_out_of_sight(own: Site) -> None:
    inside = (await own.vault.notes.ids.identify(INSIDE)).id
    url = f"{own.url.replace('http', 'ws')}/sync/{inside}"
    headers = {"authorization": f"Bearer {own.secrets['write part']}"}
    async with connect(url, additional_headers=headers) as socket:
        await socket.recv()
        await own.vault.renames.rename(INSIDE, "Zebra/Plan.md", "person:test")
        with anyio.fail_after(PATIENCE), suppress(ConnectionClosed):
            while True:
                await socket.recv()
    assert socket.close_code == 4404
    assert leaks(socket.close_reason or "") == []


async def test_events_tell_of_what_lies_inside_alone(own: Site) -> None:
    heard: list[str] = []
    async with own.http("read part") as http, http.stream("GET", "/api/events") as stream:
        lines = stream.aiter_lines()
        assert await anext(lines) == ": here"
        (own.folder / "Zebra/quagga two.md").write_text("hush")
        await own.vault.indexer.update(["Zebra/quagga two.md"])
        await own.vault.sets.kept.describe("process:1", "Claude", "Zebra", "", ready=True)
        (own.folder / "Projects/two.md").write_text("told")
        await own.vault.indexer.update(["Projects/two.md"])
        with anyio.fail_after(PATIENCE):
            while not any("Projects/two.md" in line for line in heard):
                heard.append(await anext(lines))
    assert leaks("\n".join(heard)) == []
    assert "event: sets" not in heard


async def test_grants_of_y_sweet_are_for_what_lies_inside(site: Site) -> None:
    hidden = (await site.vault.notes.ids.identify(HIDDEN)).id
    inside = (await site.vault.notes.ids.identify(INSIDE)).id
    async with site.http("write part") as part, site.http("write") as whole:
        assert (await part.post(f"/doc/{hidden}/auth", json={})).status_code == 404
        given = (await whole.post(f"/doc/{hidden}/auth", json={})).json()["token"]
        own = (await part.post(f"/doc/{inside}/auth", json={})).json()["token"]
    async with site.http(given) as http:
        assert (await http.get(f"/d/{hidden}/as-update")).status_code == 200
    async with site.http(own) as http:
        assert (await http.get(f"/d/{inside}/as-update")).status_code == 200
        assert (await http.get(f"/d/{hidden}/as-update")).status_code == 401


async def test_a_token_for_folders_is_kept_and_cannot_approve(site: Site) -> None:
    tokens = site.vault.tokens
    with pytest.raises(BadArgument, match="cannot approve"):
        await tokens.create("boss", "approve", None, ["Projects"])
    before = {token.id: token for token in tokens.listed()}
    await tokens.load()
    after = {token.id: token for token in tokens.listed()}
    part = site.ids["read part"]
    assert after[part].folders == ("Projects",)
    assert replace(after[part], used=None) == replace(before[part], used=None)


async def test_a_part_that_fails_is_made_anew_and_others_go_on() -> None:
    made: list[View] = []
    broken = anyio.Event()

    async def app(*_: object) -> None: ...

    @asynccontextmanager
    async def make(view: View) -> AsyncGenerator[ASGIApp]:
        made.append(view)
        if view.folders == ("Never",):
            raise Unavailable("It cannot be made.")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fail_once, view)
            yield app

    async def fail_once(view: View) -> None:
        await broken.wait()
        if made.count(view) == 1:
            raise ValueError(view)

    async def made_again() -> bool:
        await parts.app(one)
        return made.count(one) == 2

    parts, one, other = Parts(make), View.of(["One"]), View.of(["Other"])
    async with parts.running():
        with pytest.raises(Unavailable):
            await parts.app(View.of(["Never"]))
        await parts.app(one)
        broken.set()
        await eventually(made_again)
        await parts.app(other)
    assert made.count(other) == 1
