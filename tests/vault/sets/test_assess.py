"""The risks of a set, note by note."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write
from tests.vault.sets.deciding import create, delete, edit, rename, settings, update

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    notes: Notes = {"a.md": "See [[b]] and [[New]].\n", "b.md": "Text.\n", "c.md": "[[b]] [[c]]\n"}
    write(tmp_path / "vault", notes)
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def assessed(vault: Vault) -> dict[str, str]:
    found = await vault.sets.assessor.assess(await vault.sets.reader.get(1))
    return {path: " ".join(str(risk) for risk in risks) for path, risks in found.items()}


async def test_a_harmless_set_has_none(vault: Vault) -> None:
    await edit(vault, "b.md", "Text", "Words")
    await create(vault, "New.md", "New, see [[a]].\n")
    assert await assessed(vault) == {}


async def test_a_link_to_nothing_is_a_risk_unless_the_set_makes_its_note(vault: Vault) -> None:
    await edit(vault, "b.md", "Text", "See [[Nowhere]] and [[Soon]]")
    await create(vault, "Soon.md", "Soon.\n")
    found = await assessed(vault)
    assert list(found) == ["b.md"]
    assert "Nowhere" in found["b.md"]
    assert "Soon" not in found["b.md"]


async def test_a_deletion_is_a_risk_where_other_notes_link_there(vault: Vault) -> None:
    await delete(vault, "b.md")
    await delete(vault, "c.md")
    found = await assessed(vault)
    assert "2 notes link here" in found["b.md"]
    assert "deletes" in found["c.md"]
    assert "link here" not in found["c.md"], "a link of its own is none"


async def test_a_rewrite_is_compared_with_the_text_that_it_was_made_from(vault: Vault) -> None:
    await update(vault, "b.md", "Now [[Nowhere]].\n")
    assert list(await assessed(vault)) == ["b.md"]


async def test_a_rename_is_assessed_by_its_new_name(vault: Vault) -> None:
    await rename(vault, "b.md", "B too.md")
    found = await assessed(vault)
    assert list(found) == ["b.md"]
    assert "B too.md" in found["b.md"]
