"""The link graph and renames, as the page asks for them."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.server.api import graph, notes
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio

NOTES = {"a.md": "[[b]]", "b.md": "# Bee\n[[c]]", "c.md": "[[a]]", "lonely.md": "x #alone"}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[Starlette]:
    write(tmp_path / "notes", {**NOTES})
    settings = Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield Starlette(routes=[*graph.routes(vault), *notes.routes(vault)])


async def ask(
    app: Starlette, path: str, body: object = None, header: bytes = b"x-commonplace"
) -> tuple[int, Any]:
    path, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET" if body is None else "POST",
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"content-type", b"application/json"), (header, b"1")],
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], json.loads(b"".join(each.get("body", b"") for each in sent))


async def test_the_graph_around_a_note_and_of_all(app: Starlette) -> None:
    status, found = await ask(app, "/api/graph?path=a.md&depth=1")
    assert status == 200
    assert found["nodes"] == [
        {"id": "a.md", "title": "a", "degree": 2},
        {"id": "b.md", "title": "Bee", "degree": 2},
        {"id": "c.md", "title": "c", "degree": 2},
    ]
    assert sorted(found["edges"]) == [[0, 1], [1, 2], [2, 0]]
    _, whole = await ask(app, "/api/graph")
    assert {node["id"] for node in whole["nodes"]} == set(NOTES)
    lonely = [node["id"] for node in whole["nodes"]].index("lonely.md")
    assert whole["tags"] == [["alone", [lonely]]]
    assert found["tags"] == []
    _, few = await ask(app, "/api/graph?limit=2")
    assert len(few["nodes"]) == 2


async def test_a_rename_answers_with_its_links_and_can_be_undone(
    app: Starlette, tmp_path: Path
) -> None:
    status, done = await ask(app, "/api/notes/rename", {"path": "b.md", "to": "sub/bee.md"})
    assert status == 200
    assert (done["path"], done["links"], done["ambiguous"]) == ("sub/bee.md", 1, [])
    assert (tmp_path / "notes/a.md").read_text() == "[[bee]]"
    status, undone = await ask(app, "/api/notes/rename/undo", {"undo": done["undo"]})
    assert (status, undone) == (200, {"path": "b.md"})
    assert (tmp_path / "notes/a.md").read_text() == "[[b]]"


async def test_a_page_of_another_site_cannot_rename(app: Starlette) -> None:
    status, _ = await ask(app, "/api/notes/rename", {"path": "a.md", "to": "z.md"}, b"x-other")
    assert status == 403


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/graph?path=nope.md", None, 404),
        ("/api/graph?depth=4", None, 400),
        ("/api/graph?limit=0", None, 400),
        ("/api/graph?limit=20001", None, 400),
        ("/api/notes/rename", {"path": "a.md"}, 400),
        ("/api/notes/rename", {"path": "a.md", "to": "b.md"}, 409),
        ("/api/notes/rename", {"path": "x.md", "to": "y.md"}, 404),
        ("/api/notes/rename", {"path": "a.md", "to": "../y.md"}, 400),
        ("/api/notes/rename/undo", {"undo": "nothing"}, 404),
    ],
)
async def test_what_cannot_be_is_refused(
    app: Starlette, path: str, body: object, status: int
) -> None:
    found, answer = await ask(app, path, body)
    assert found == status
    assert answer["error"]["message"]
