"""Notes made, renamed, deleted and restored, as the page asks for it."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.server.api import notes
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.server.api.test_graph import ask
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Site:
    vault: Vault
    folder: Path
    app: Starlette

    async def post(self, where: str, /, **body: Any) -> tuple[int, Any]:
        return await ask(self.app, f"/api/notes{where}", body)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    folder = tmp_path / "notes"
    write(folder, {"a.md": "[[b]]", "b.md": "# Bee"})
    async with open_vault(Settings((Root("notes", folder),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        yield Site(vault, folder, Starlette(routes=notes.routes(vault)))


async def test_a_note_is_made_deleted_and_restored_and_each_is_recorded(site: Site) -> None:
    assert await site.post("", path="Neu/é.md", content="x 😀", who="Ada") == (
        200,
        {"path": "Neu/é.md"},
    )
    status, gone = await site.post("/delete", path="Neu/é.md", who="Ada")
    assert (status, (site.folder / "Neu/é.md").exists()) == (200, False)
    (row,) = (await ask(site.app, "/api/trash"))[1]["trash"]
    assert (row["trash"], row["path"], row["who"]) == (gone["trash"], "Neu/é.md", "Ada")
    assert (await site.post("/restore", trash=gone["trash"]))[1] == {"path": "Neu/é.md"}
    assert (site.folder / "Neu/é.md").read_text() == "x 😀"
    writes = site.vault.permissions.audit.latest(5)
    assert {(one.operation, one.who) for one in writes} == {
        ("create", "Ada"),
        ("delete", "Ada"),
        ("create", "someone"),
    }


async def test_a_rename_takes_links_along_and_is_taken_back(site: Site) -> None:
    status, done = await site.post("/rename", path="b.md", to="Sub/bee.md")
    assert (status, done["path"], done["links"]) == (200, "Sub/bee.md", 1)
    assert await site.post("/rename/undo", undo=done["undo"]) == (200, {"path": "b.md"})
    assert (await site.post("/rename/undo", undo=done["undo"]))[0] in (404, 409)


@pytest.mark.parametrize(
    ("where", "body", "status"),
    [
        ("", {}, 400),
        ("", {"path": 5}, 400),
        ("", {"path": "x.md", "content": 5}, 400),
        ("", {"path": "../x.md"}, 400),
        ("", {"path": "a.md"}, 409),
        ("/delete", {"path": "none.md"}, 404),
        ("/delete", {"path": ""}, 400),
        ("/restore", {"trash": ".trash/none.md"}, 404),
        ("/restore", {"trash": "../../etc/passwd"}, 400),
        ("/rename", {"path": "a.md"}, 400),
        ("/rename", {"path": "none.md", "to": "x.md"}, 404),
        ("/rename", {"path": "a.md", "to": "b.md"}, 409),
        ("/rename/undo", {}, 404),
    ],
)
async def test_what_cannot_be_done_is_refused_and_changes_nothing(
    site: Site, where: str, body: dict[str, Any], status: int
) -> None:
    found, answer = await site.post(where, **body)
    assert (found, bool(answer["error"]["message"])) == (status, True)
    assert sorted(file.name for file in site.folder.rglob("*.md")) == ["a.md", "b.md"]


async def test_another_page_in_the_browser_can_change_nothing(site: Site) -> None:
    status, _ = await ask(site.app, "/api/notes", {"path": "x.md"}, header=b"x-other")
    assert status == 403
    assert not (site.folder / "x.md").exists()
