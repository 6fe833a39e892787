"""Suggestions are kept in the log until the index has seen them, and no longer."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

ONE = Suggester("one", "One")
PATH = "a.md"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    """A vault that nobody watches, in which an assistant has just suggested something."""
    (root := tmp_path / "vault").mkdir()
    settings = Settings((Root("vault", root),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        vault.ends.begin()
        await vault.write.create(PATH, "Buy apples and tea.\n")
        await vault.reader.read(PATH, ONE.id, ONE.name)
        await vault.suggestions.suggest(PATH, "apples", "pears", ONE)
        yield vault


async def kept(vault: Vault) -> list[str]:
    """Return what each one would put in a note."""
    records = await vault.log.records("suggested-unseen")
    return [row[5] for value in records.values() for row in json.loads(value)]


async def test_what_the_index_has_seen_is_kept_no_longer(vault: Vault) -> None:
    assert await kept(vault) == ["pears"]
    await vault.notes.queue.flush_all()
    await vault.ends.look()
    assert await kept(vault) == []
    assert vault.ledger.decisions(1) == []


async def test_a_note_that_is_renamed_before_the_index_sees_it_takes_them_along(
    vault: Vault,
) -> None:
    await vault.renames.rename(PATH, "b.md", "person:Ada")
    await vault.notes.queue.flush_all()
    await vault.ends.look()
    assert [each.new for each in await vault.pending.listed("b.md")] == ["pears"]
    assert vault.ledger.decisions(1) == []
    assert await kept(vault) == []


async def test_a_passage_that_is_forgotten_is_in_none(vault: Vault) -> None:
    await vault.suggestions.suggest(PATH, "tea", "milk", ONE)
    assert sorted(await kept(vault)) == ["milk", "pears"]
    await vault.timeline.forget("milk")
    assert await kept(vault) == ["pears"]
