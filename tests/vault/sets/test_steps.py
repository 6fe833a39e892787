"""What taking a decision on a set back needs is remembered, and forgotten with a passage."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import create, edit, everything, settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"a.md": "A red house.\n"})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


@pytest.mark.parametrize(
    "passage",
    ["a secret word", "two\nlines", 'it\'s "said"', "back\\slash", "漢字 😀"],
)
@pytest.mark.parametrize("verdict", ["accept", "reject"])
async def test_any_passage_of_a_decided_write_is_forgotten(
    vault: Vault, passage: str, verdict: str
) -> None:
    await create(vault, "New.md", f"Here is {passage} and more.\n")
    decide = vault.sets.decisions.decide
    await decide(1, "accept" if verdict == "accept" else "reject", await everything(vault), "Ann")
    assert await vault.sets.decisions.forget("something else", "") == 0
    assert await vault.sets.decisions.forget(passage, "") == 1
    kept = [*await vault.log.records("set-deeds"), *await vault.log.records("set-decided")]
    assert kept == []
    assert await vault.sets.decisions.forget(passage, "") == 0


async def test_a_passage_is_forgotten_in_the_suggestions_of_the_note_that_is_meant(
    vault: Vault,
) -> None:
    await edit(vault, "a.md", "red", "green")
    found = await everything(vault)
    await vault.sets.decisions.decide(1, "accept", Chosen(found.changes, []), "Ann")
    document = await vault.notes.ids.id_of("a.md")
    assert await vault.sets.decisions.forget("red house", "another note") == 0
    assert await vault.sets.decisions.forget("red house", document) == 1
