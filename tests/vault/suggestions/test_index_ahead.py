"""The index can see a save before the document does, or the half of one: nothing ends by that."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

ONE = Suggester("one", "One")
PATH = "a.md"


@asynccontextmanager
async def suggested(folder: Path) -> AsyncGenerator[tuple[Vault, str, Path]]:
    """A vault that nobody watches, with two suggestions that are known to wait."""
    (root := folder / "vault").mkdir()
    settings = Settings((Root("vault", root),), folder / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        vault.ends.begin()
        await vault.write.create(PATH, "Buy apples and tea.\n")
        await vault.reader.read(PATH, ONE.id, ONE.name)
        id = await vault.notes.ids.id_of(PATH)
        await vault.suggestions.suggest(PATH, "apples", "pears", ONE)
        await vault.suggestions.suggest(PATH, "tea", "milk", ONE)
        await vault.notes.queue.flush(id)
        await vault.ends.look()
        assert [each.new for each in await vault.pending.listed(PATH)] == ["pears", "milk"]
        yield vault, id, root / PATH


async def test_a_file_written_again_as_it_was_is_indexed_again(tmp_path: Path) -> None:
    async with suggested(tmp_path) as (vault, id, file):
        text = file.read_text()
        file.write_text("")  # its writer has emptied it
        await vault.indexer.update([PATH])
        assert await vault.pending.listed(PATH) == [], "the control: the index saw that"
        file.write_text(text)
        await vault.notes.queue.catch_up(id)
        assert [each.new for each in await vault.pending.listed(PATH)] == ["pears", "milk"]
        await vault.ends.look()
        assert vault.ledger.ended("", PATH, 0.0) == []


async def test_a_rejection_that_the_document_has_not_seen_yet_is_on_record_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(_: str) -> None:
        pass

    async with suggested(tmp_path) as (vault, id, file):
        file.write_text("Sell pears and tea soon.\n")
        await vault.indexer.update([PATH])
        with monkeypatch.context() as patch:
            patch.setattr(vault.notes.queue, "catch_up", nothing)
            patch.setattr(vault.notes.queue, "flush", nothing)
            await vault.ends.look()
            assert vault.ledger.ended("", PATH, 0.0) == []
        await vault.notes.queue.catch_up(id)
        await vault.notes.queue.flush(id)
        await vault.ends.look()
        ended = vault.ledger.ended("", PATH, 0.0)
        assert {each.new: each.decision for each in ended} == {"pears": "accept", "milk": "reject"}
