"""What the page reads of a vault: the tree, notes, links, tags, completions, templates."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.applications import Starlette

from commonplace.server.api import browse
from commonplace.server.api.assistants import Visits
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.server.api.test_graph import ask
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio

NOTES = {
    "a.md": "# A\n\n[[b]] [[Nowhere]] #x/y\n",
    "b.md": "# Bee\n\n{++new ++}words #x\n",
    "日記/あ 😀.md": "今日 [[b]]\n",
    "Templates/Day.md": "# {{title}}\n",
}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[Starlette]:
    write(tmp_path / "notes", {**NOTES})
    settings = Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield Starlette(routes=browse.routes(vault, Visits()))


async def found(app: Starlette, path: str) -> Any:
    status, answer = await ask(app, f"/api/{path}")
    assert status == 200, answer
    return answer


async def test_the_tree_is_sent_once_as_long_as_nothing_changes(app: Starlette) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://test"
    ) as http:
        first = await http.get("/api/tree")
        again = await http.get("/api/tree", headers={"if-none-match": first.headers["etag"]})
        other = await http.get("/api/tree", headers={"if-none-match": '"else"'})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert other.json() == first.json()
    assert len(first.json()["notes"]) == len(NOTES)


async def test_links_go_both_ways_and_what_leads_nowhere_is_told(app: Starlette) -> None:
    links = await found(app, "links?path=a.md")
    assert "Nowhere" in str(links["unresolved"])
    back = str((await found(app, "links?path=b.md"))["backlinks"])
    assert "a.md" in back
    assert "日記/あ 😀.md" in back


async def test_tags_have_their_notes(app: Starlette) -> None:
    tags = dict((await found(app, "tags"))["tags"])
    assert tags["x"] >= 1
    notes = (await found(app, "tagged?tag=x"))["notes"]
    assert {note["path"] for note in notes} == {"a.md", "b.md"}
    assert (await found(app, "tagged?tag=none"))["notes"] == []


async def test_a_note_is_read_by_its_path_whatever_it_is_called(app: Starlette) -> None:
    for path, text in NOTES.items():
        answer = await found(app, f"note?path={quote(path)}")
        assert answer["text"] == text
        id = (await found(app, f"document?path={quote(path)}"))["id"]
        assert (await found(app, f"document?id={id}"))["path"] == path


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("note?path=none.md", 404),
        ("note", 400),
        ("note?path=../a.md", 400),
        ("note?path=%00", 400),
        ("document?path=none.md", 404),
        ("document?id=none", 404),
        ("document", 400),
        ("links?path=none.md", 404),
        ("tagged", 400),
    ],
)
async def test_what_is_not_there_or_not_named_is_refused(
    app: Starlette, asked: str, status: int
) -> None:
    assert (await ask(app, f"/api/{asked}"))[0] == status
