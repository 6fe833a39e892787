"""The comments in the notes of a set, and of no others."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.vault.open import open_vault
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write
from tests.vault.sets.deciding import delete, edit, everything, settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    notes: Notes = {
        "a.md": "A red house.{>>why?<<}\n",
        "b.md": "Blue.{>>other<<}\n",
        "c.md": "Grey.\n",
    }
    write(tmp_path / "vault", notes)
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def said(vault: Vault, *, decided: bool = False) -> dict[str, list[str]]:
    found = await vault.sets.threads(await vault.sets.reader.get(1), decided=decided)
    return {
        path: [each.text for thread in threads for each in thread.said]
        for path, threads in found.items()
    }


async def test_what_people_ask_in_the_notes_of_a_set_is_found(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "c.md", "Grey", "White")
    assert await said(vault) == {"a.md": ["why?"]}
    await vault.notes.edit("c.md", lambda now: [Edit(len(now), len(now), "{>>and?<<}")], "Ann")
    assert await said(vault) == {"a.md": ["why?"], "c.md": ["and?"]}


async def test_notes_in_which_all_is_decided_count_if_they_are_asked_for(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "c.md", "Grey", "White")
    found = await everything(vault)
    chosen = Chosen({"a.md": found.changes["a.md"]}, [])
    await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
    assert await said(vault) == {}
    assert await said(vault, decided=True) == {"a.md": ["why?"]}


async def test_a_note_that_is_gone_has_none(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "c.md", "Grey", "White")
    contents = await vault.sets.reader.get(1)
    await vault.trash.put("a.md", "Ann")
    assert await vault.sets.threads(contents) == {}


async def test_a_set_of_parked_writes_alone_has_none(vault: Vault) -> None:
    await delete(vault, "a.md")
    assert await said(vault) == {}
