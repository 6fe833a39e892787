"""The JSON API of the history, over a real vault."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.core.text.edits import diff
from commonplace.server.api import notes
from commonplace.server.api.decisions import history
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.server.api.decisions.test_review import ask as ask_app

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/a.md").write_text("A cat.\n")
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield vault


async def ask(vault: Vault, path: str, query: str = "", body: Any = None) -> tuple[int, Any]:
    app = Starlette(routes=history.routes(vault))

    async def with_query(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "query_string": query.encode()}, receive, send)

    return await ask_app(with_query, path, body)  # pyright: ignore[reportArgumentType]


async def rewrite(vault: Vault, text: str, actor: str) -> None:
    await vault.notes.edit("a.md", lambda now: diff(now, text), actor)


async def test_the_timeline_the_diff_and_the_restoration_of_a_note(vault: Vault) -> None:
    await rewrite(vault, "A dog.\n", "assistant:Claude")
    await rewrite(vault, "A big dog.\n", "person:Ann")
    status, page = await ask(vault, "/api/history", "path=a.md")
    assert status == 200
    newest, older, before = page["revisions"]
    assert (newest["by"], older["by"], before["cause"]) == ("Ann", "Claude", "before")
    _, found = await ask(vault, "/api/history/revision", f"id={older['revision']}")
    assert (found["old"], found["new"]) == ("A cat.\n", "A dog.\n")
    _, blame = await ask(vault, "/api/history/blame", "path=a.md&spans=1")
    assert sum(length for length, _ in blame["runs"]) == len("A big dog.\n")
    body = {"revision": older["revision"], "who": "Ann"}
    status, done = await ask(vault, "/api/history/restore", body=body)
    assert (status, done["changed"]) == (200, True)
    assert await vault.texts.marked("a.md") == "A dog.\n"
    status, _ = await ask(vault, "/api/history/revision", "id=999")
    assert status == 404


async def test_a_rename_is_whose_it_is(vault: Vault) -> None:
    await vault.write.create("b.md", "See [[a]].\n")
    await vault.indexer.settled()
    app = Starlette(routes=notes.routes(vault))
    body = {"path": "a.md", "to": "z.md", "who": "Ben"}
    status, done = await ask_app(app, "/api/notes/rename", body)
    assert (status, done["path"]) == (200, "z.md")
    status, done = await ask_app(app, "/api/notes/rename/undo", {"undo": done["undo"], "who": "Cy"})
    assert (status, done["path"]) == (200, "a.md")
    _, page = await ask(vault, "/api/history")
    who = {(row["by"], row["path"]) for row in page["revisions"] if row["cause"] == "rename"}
    assert who == {("Ben", "z.md"), ("Ben", "b.md"), ("Cy", "a.md"), ("Cy", "b.md")}


async def test_an_undo_is_previewed_and_then_made(vault: Vault) -> None:
    await rewrite(vault, "A dog.\n", "assistant:Claude")
    _, preview = await ask(vault, "/api/undo", "by=Claude")
    (row,) = preview["notes"]
    assert [(each["kind"], each["text"]) for each in row["passages"]] == [
        ("restore", "cat"),
        ("remove", "dog"),
    ]
    assert await vault.texts.marked("a.md") == "A dog.\n"
    status, done = await ask(vault, "/api/undo", body={"by": "Claude", "who": "Ann"})
    assert (status, done["notes"]) == (200, ["a.md"])
    assert await vault.texts.marked("a.md") == "A cat.\n"
    status, _ = await ask(vault, "/api/undo", body={"who": "Ann"})
    assert status == 400


async def test_a_forgotten_passage_is_refused_while_it_stands(vault: Vault) -> None:
    await rewrite(vault, "My secret.\n", "person:Ann")
    status, _ = await ask(vault, "/api/history/forget", body={"passage": "secret", "path": "a.md"})
    assert status == 400
    await rewrite(vault, "Nothing.\n", "person:Ann")
    _, done = await ask(vault, "/api/history/forget", body={"passage": "secret", "path": "a.md"})
    assert done["forgotten"] >= 2
    _, page = await ask(vault, "/api/history", "path=a.md")
    assert "secret" not in str(page)
