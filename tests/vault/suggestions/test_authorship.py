"""Whose suggestions a write touches, and what is put on record of them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import diff
from commonplace.vault.open import open_vault
from commonplace.vault.suggestions.authorship import NotYours, Suggester
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import CLAUDE, edit, settings

pytestmark = pytest.mark.anyio
BO = Suggester("process:2", "Bo")


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"a.md": "A red house.\n", "hand.md": "A {++big ++}house.\n"})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def names(vault: Vault, path: str) -> list[str]:
    document = await vault.authorship.ready(path)
    ids = [one.id for one in critic.suggestions(await vault.texts.marked(path))]
    found = [vault.ledger.credit(document, id) for id in ids]
    return [credit.names if credit else "" for credit in found]


async def test_who_wrote_part_of_a_suggestion_stays_its_author(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "a.md", "green", "light green", by=BO)
    assert await vault.texts.marked("a.md") == "A {--red--}{++light green++} house.\n"
    assert await names(vault, "a.md") == ["Claude, Bo"]
    (ended,) = vault.ledger.decisions(10)
    assert (ended.decision, ended.who, ended.new) == ("superseded", "Bo", "green")


async def test_nobody_takes_back_what_somebody_else_wrote(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    with pytest.raises(NotYours, match=r"suggestion \(Claude\), which waits"):
        await edit(vault, "a.md", "green", "red", by=BO)
    with pytest.raises(NotYours, match="somebody else's suggestion, which"):
        await edit(vault, "hand.md", "big ", "")
    assert await vault.texts.marked("a.md") == "A {--red--}{++green++} house.\n"
    await edit(vault, "a.md", "green", "red")
    assert await vault.texts.marked("a.md") == "A red house.\n"
    (ended,) = vault.ledger.decisions(10)
    assert (ended.decision, ended.by) == ("withdrawn", CLAUDE.id)


async def test_listeners_hear_of_calls_that_suggest_and_of_no_others(vault: Vault) -> None:
    calls: list[tuple[str, str]] = []

    async def hear(_document: str, path: str, by: Suggester, _time: float) -> None:
        calls.append((path, by.name))

    vault.authorship.listen(hear)
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "a.md", "green", "red")
    assert calls == [("a.md", "Claude")]


async def test_what_goes_with_a_note_ends_with_it(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    marked = await vault.texts.marked("a.md")
    (end,) = await vault.authorship.leaving("a.md", marked, "Ann")
    assert (end.decision, end.who, end.old, end.actor) == (
        "gone with the note",
        "Ann",
        "red",
        CLAUDE.id,
    )
    assert await vault.authorship.leaving("a.md", "no marks", "Ann") == []


async def test_a_suggestion_that_a_person_goes_on_with_keeps_its_authors(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    marked = await vault.texts.marked("a.md")
    wanted = marked.replace("green", "greenish")
    await vault.notes.edit("a.md", lambda now: diff(now, wanted), "person:Ann")
    ended = critic.ended(marked, wanted, diff(marked, wanted))
    await vault.authorship.follow("a.md", ended, "Ann")
    assert await names(vault, "a.md") == ["Claude"]
