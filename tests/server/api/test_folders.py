"""Folders that people make and rename in the page's tree."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from starlette.applications import Starlette

from commonplace.server.api.folders import routes
from commonplace.vault.attachments import folder_moves
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.server.api.test_graph import ask
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio

NOTES = {
    "Plans/Garden.md": "See [[Plans/Deep/Pond]] and ![[Plans/plan.png]].\n",
    "Plans/Deep/Pond.md": "Back to [the garden](../Garden.md).\n",
    "Home.md": "[[Plans/Garden|garden]], [[Pond]]\n",
    "Other/Taken.md": "x\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "notes", {**NOTES})
    (tmp_path / "notes" / "Plans" / "plan.png").write_bytes(b"\x89PNG")
    (tmp_path / "notes" / "Plans" / "Empty").mkdir()
    (tmp_path / "notes" / ".hidden").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "notes" / "linked").symlink_to(tmp_path / "elsewhere")
    return tmp_path / "notes"


@pytest.fixture
async def app(tmp_path: Path, folder: Path) -> AsyncGenerator[Starlette]:
    settings = Settings((Root("notes", folder),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield Starlette(routes=routes(vault, read_only=False))


async def test_a_folder_is_made_and_listed_while_it_is_empty(app: Starlette, folder: Path) -> None:
    assert (await ask(app, "/api/folders/empty"))[1] == {"folders": ["Plans/Empty"]}
    wish = {"path": "New/Inner"}
    assert await ask(app, "/api/folders/create", wish) == (200, {"path": "New/Inner"})
    assert (folder / "New" / "Inner").is_dir()
    listed = ["New", "New/Inner", "Plans/Empty"]
    assert (await ask(app, "/api/folders/empty"))[1] == {"folders": listed}
    for bad in ("../out", ".hidden/x", "linked/x", "con/x", "a.md", ""):
        status, _ = await ask(app, "/api/folders/create", {"path": bad})
        assert status >= 400, bad
    assert not list((folder.parent / "elsewhere").iterdir())


async def test_a_folder_is_renamed_with_all_that_is_in_it(app: Starlette, folder: Path) -> None:
    wish = {"path": "Plans", "to": "Archive/Old plans"}
    status, done = await ask(app, "/api/folders/rename", wish)
    assert status == 200, done
    assert done == {"path": "Archive/Old plans", "notes": 2, "files": 1, "left": []}
    new = folder / "Archive" / "Old plans"
    assert not (folder / "Plans").exists()
    assert (new / "Empty").is_dir()
    assert (new / "plan.png").read_bytes() == b"\x89PNG"
    assert "[[Archive/Old plans/Deep/Pond]]" in (new / "Garden.md").read_text()
    assert "plan.png]]" in (new / "Garden.md").read_text()
    assert "[[Plans/" not in (folder / "Home.md").read_text()
    assert (new / "Deep" / "Pond.md").read_text() == NOTES["Plans/Deep/Pond.md"]
    back = {"path": "Archive/Old plans", "to": "Plans"}
    assert (await ask(app, "/api/folders/rename", back))[0] == 200
    assert "[[Plans/Garden|garden]]" in (folder / "Home.md").read_text()


async def test_what_cannot_be_renamed_stays_whole(
    app: Starlette, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, to, expected in (
        ("Plans", "Other", 409),
        ("Plans", "Plans/Deep/Plans", 400),
        ("Nowhere", "There", 404),
        ("Plans", "../out", 400),
    ):
        status, answer = await ask(app, "/api/folders/rename", {"path": path, "to": to})
        assert status == expected, answer
    monkeypatch.setattr(folder_moves, "MOVED_MAX", 2)
    status, answer = await ask(app, "/api/folders/rename", {"path": "Plans", "to": "New"})
    assert status == 400
    assert "at most 2" in answer["error"]["message"]
    assert {path: (folder / path).read_text() for path in NOTES} == NOTES
