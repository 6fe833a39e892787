"""The `history` family, through a real client in both revisions of the protocol."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from mcp import Client

from commonplace.core.text.edits import Edit
from commonplace.server.mcp.server import build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools import history
from commonplace.tools.table import Toolbox
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.tools.conftest import ERAS, Desk, every_tool

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=ERAS)
async def at(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Desk]:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/a.md").write_text("The folder is red.\nSecond line.\n")
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        box = Toolbox([*every_tool(vault), *history.tools(vault)])
        async with Client(
            build(box, VaultResources(vault), version="0"), mode=request.param
        ) as client:
            yield Desk(client, tmp_path / "vault", vault)


async def test_an_assistant_sees_what_changed_since_it_last_looked(at: Desk) -> None:
    nothing = await at.call("history")
    assert nothing.startswith("Nothing has changed.")
    await at.vault.notes.edit("a.md", lambda _: [Edit(0, 3, "This")], "person:Ann")
    told = await at.call("history", path="a.md")
    first, *_ = told.splitlines()
    assert "Ann (person), call: a.md  +4 -3 characters" in first
    assert "    - The\n    + This\n" in told
    cursor = int(told.rpartition("cursor ")[2].rstrip("."))
    assert "Nothing has changed." in await at.call("history", cursor=cursor)
    await at.vault.notes.edit("a.md", lambda _: [Edit(0, 0, "So: ")], "person:Bo")
    later = await at.call("history", cursor=cursor)
    assert "Bo (person)" in later
    assert "Ann" not in later
    assert "Bo" not in await at.call("history", by="ann")
    assert "Nobody called Eve is in the history" in await at.error("history", by="Eve")
    assert "is no time" in await at.error("history", since="soon")


async def test_blame_shows_who_wrote_each_line_as_read_numbers_them(at: Desk) -> None:
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="red", new_string="blue")
    await at.vault.notes.edit(
        "a.md", lambda text: [Edit(len(text), len(text), "Mine\n")], "person:Ann"
    )
    lines = (await at.call("blame", path="a.md")).splitlines()
    assert lines[0].split("\t")[1] == "before, mcp"
    assert lines[0].endswith("The folder is blue.")
    assert lines[1].split("\t")[1:3] == ["before", "before"]
    assert lines[2].split("\t")[1] == "Ann"
    assert "Document not found" in await at.error("blame", path="none.md")


async def test_an_assistant_takes_back_its_own_and_nothing_else(at: Desk) -> None:
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="red", new_string="blue")
    await at.vault.notes.edit(
        "a.md", lambda text: [Edit(len(text), len(text), "{++by hand++}\n")], "person:Ann"
    )
    assert await at.call("withdraw_changes") == "a.md: 1 withdrawn"
    assert await at.vault.texts.marked("a.md") == (
        "The folder is red.\nSecond line.\n{++by hand++}\n"
    )
    assert "Nothing of yours waits" in await at.call("withdraw_changes", path="a.md")


async def test_what_a_person_wrote_in_a_suggestion_is_left_to_people(at: Desk) -> None:
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="red", new_string="blue")
    marked = await at.vault.texts.marked("a.md")
    place = marked.index("blue") + 2
    await at.vault.notes.edit("a.md", lambda _: [Edit(place, place, "XX")], "person:Ann")
    told = await at.call("withdraw_changes")
    assert "withdrawn" not in told
    assert "XX" in await at.vault.texts.marked("a.md")
