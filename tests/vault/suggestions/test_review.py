"""Decisions by people: all that was asked or nothing, on record, and taken back where it can be."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Conflict, NotFound
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write

pytestmark = pytest.mark.anyio

NOTES: Notes = {"a.md": "one {++two ++}three\n", "b.md": "{--gone --}stays\n"}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield vault


async def ids(vault: Vault, path: str) -> list[str]:
    return [one.id for one in await vault.pending.listed(path)]


async def test_a_decision_is_in_the_text_and_on_record(vault: Vault) -> None:
    (one,) = await ids(vault, "a.md")
    done = await vault.review.decide("accept", {"a.md": [one]}, "Ann", "fine")
    assert done.decided == [("a.md", one)]
    assert await vault.texts.marked("a.md") == "one two three\n"
    (row,) = vault.ledger.decisions(10)
    assert (row.who, row.decision, row.new, row.reason) == ("Ann", "accept", "two ", "fine")


async def test_if_one_cannot_be_decided_none_is(vault: Vault) -> None:
    (one,) = await ids(vault, "a.md")
    chosen = {"a.md": [one], "b.md": ["unknown"]}
    with pytest.raises(Conflict, match=r"Nothing was decided\.$"):
        await vault.review.decide("accept", chosen, "Ann")
    for path, text in NOTES.items():
        assert await vault.texts.marked(path) == text
    assert list(vault.ledger.decisions(10)) == []
    with pytest.raises(NotFound):
        await vault.review.decide("accept", {}, "Ann")


async def test_a_decision_is_undone_once(vault: Vault) -> None:
    chosen = {path: await ids(vault, path) for path in NOTES}
    done = await vault.review.decide("reject", chosen, "Ann")
    assert await vault.texts.marked("a.md") == "one three\n"
    assert await vault.review.undo(done.undo) == 2
    for path, text in NOTES.items():
        assert await vault.texts.marked(path) == text
    with pytest.raises(NotFound, match="undone already"):
        await vault.review.undo(done.undo)


async def test_what_was_written_over_since_is_not_undone(vault: Vault) -> None:
    done = await vault.review.decide("accept", {"a.md": await ids(vault, "a.md")}, "Ann")
    await vault.notes.edit("a.md", lambda _: [Edit(4, 7, "2")], "person:Bo")
    with pytest.raises(Conflict, match="changed since"):
        await vault.review.undo(done.undo)
    assert await vault.texts.marked("a.md") == "one 2 three\n"


async def test_a_suggestion_is_accepted_in_other_words(vault: Vault) -> None:
    (one,) = await ids(vault, "a.md")
    await vault.review.accept_as("a.md", one, "2 ", "Ann")
    assert await vault.texts.marked("a.md") == "one 2 three\n"
    with pytest.raises(Conflict, match=r"a\.md: the suggestion is gone"):
        await vault.review.accept_as("a.md", one, "3 ", "Ann")


async def test_a_decision_can_be_undone_after_a_restart(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        chosen = {path: await ids(vault, path) for path in NOTES}
        done = await vault.review.decide("accept", chosen, "Ann")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        assert await vault.review.undo(done.undo) == 2
        for path, text in NOTES.items():
            assert await vault.texts.marked(path) == text
        assert [one.decision for one in vault.ledger.decisions(2)] == ["undone", "undone"]


async def test_an_undo_is_whole_or_not_at_all(vault: Vault) -> None:
    chosen = {path: await ids(vault, path) for path in NOTES}
    done = await vault.review.decide("accept", chosen, "Ann")
    await vault.notes.edit("b.md", lambda text: [Edit(0, len(text), "all new")], "person:Bo")
    with pytest.raises(Conflict):
        await vault.review.undo(done.undo)
    assert await vault.texts.marked("a.md") == "one two three\n"
    assert await vault.texts.marked("b.md") == "all new"
