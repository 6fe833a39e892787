"""Notes that went to the trash, marks and all, and come back where nothing has their name."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import Conflict, NotFound
from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import edit, settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"f/a.md": "A red house.\n", "b.md": "[[a]]\n"})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


def folder(vault: Vault) -> Path:
    return vault.settings.roots[0].path


async def test_a_note_goes_to_the_trash_with_what_waits_in_it(vault: Vault) -> None:
    await edit(vault, "f/a.md", "red", "green")
    lies = await vault.trash.put("f/a.md", "person:Ann")
    assert lies == ".trash/f/a.md"
    assert not (folder(vault) / "f/a.md").exists()
    assert (folder(vault) / lies).read_text() == "A {--red--}{++green++} house.\n"
    with pytest.raises(NotFound):
        await vault.trash.put("f/a.md", "person:Ann")
    assert [(each.trash, each.path) for each in await vault.trash.listed()] == [(lies, "f/a.md")]


async def test_a_note_comes_back_where_it_was(vault: Vault) -> None:
    lies = await vault.trash.put("f/a.md", "person:Ann")
    assert await vault.trash.newest("f/a.md") == lies
    back = await vault.trash.restore(lies, "person:Ann")
    assert back == "f/a.md"
    assert (folder(vault) / "f/a.md").read_text() == "A red house.\n"
    assert await vault.trash.listed() == []
    assert await vault.trash.newest("f/a.md") is None


async def test_the_newest_of_one_name_is_found(vault: Vault) -> None:
    await vault.trash.put("f/a.md", "person:Ann")
    await vault.write.create("f/a.md", "again\n", "person:Ann")
    second = await vault.trash.put("f/a.md", "person:Ann")
    assert second == ".trash/f/a 2.md"
    assert await vault.trash.newest("f/a.md") == second


async def test_a_name_that_is_taken_is_not_written_over(vault: Vault) -> None:
    lies = await vault.trash.put("f/a.md", "person:Ann")
    await vault.write.create("f/a.md", "another\n", "person:Ann")
    with pytest.raises(Conflict):
        await vault.trash.restore(lies, "person:Ann")
    assert await vault.texts.marked("f/a.md") == "another\n"
    assert (folder(vault) / lies).exists()
