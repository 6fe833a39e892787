"""People's comments on changes and passages, as the page asks for them."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.server.api.decisions import comments
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.server.api.test_graph import ask
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Site:
    vault: Vault
    app: Starlette

    async def post(self, where: str, /, **body: Any) -> tuple[int, Any]:
        return await ask(self.app, f"/api/comments{where}", {"path": "a.md", **body})

    async def text(self) -> str:
        return await self.vault.texts.marked("a.md")


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    folder = tmp_path / "notes"
    write(folder, {"a.md": "The {--red--}{++blue++} folder is 日本 here.\n"})
    async with open_vault(Settings((Root("notes", folder),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        yield Site(vault, Starlette(routes=comments.routes(vault)))


async def test_a_passage_is_remarked_on_answered_and_settled(site: Site) -> None:
    assert await site.post("", passage="日本", text="Why?", who="Ada") == (200, {"path": "a.md"})
    assert "Why?" in await site.text()
    assert (await site.post("", reply="Why?", text="Because.", who="Ben"))[0] == 200
    assert "Because." in await site.text()
    assert (await site.post("/resolve", text="Why?", who="Ada"))[0] == 200
    assert "Why?" not in await site.text()
    assert "日本 here" in await site.text()


async def test_a_suggestion_is_remarked_on_and_still_waits(site: Site) -> None:
    (waiting,) = await site.vault.pending.listed()
    assert (await site.post("", id=waiting.id, text="Are you sure?"))[0] == 200
    assert "Are you sure?" in await site.text()
    assert len(await site.vault.pending.listed()) == 1


@pytest.mark.parametrize(
    ("where", "body"),
    [
        ("", {}),
        ("", {"passage": "日本"}),
        ("", {"passage": "not there", "text": "x"}),
        ("", {"id": "none", "text": "x"}),
        ("", {"reply": "none", "text": "x"}),
        ("", {"path": "none.md", "passage": "x", "text": "x"}),
        ("/resolve", {"text": "none"}),
        ("/resolve", {}),
    ],
)
async def test_what_cannot_be_meant_is_refused_and_changes_nothing(
    site: Site, where: str, body: dict[str, Any]
) -> None:
    before = await site.text()
    status, answer = await site.post(where, **body)
    assert status in (400, 404, 409)
    assert answer["error"]["message"]
    assert await site.text() == before
