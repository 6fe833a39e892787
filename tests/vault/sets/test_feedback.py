"""What an assistant is told of its sets: news, and each once."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import Conflict
from commonplace.vault.open import open_vault
from commonplace.vault.sets.change_set import ChangeSet, Counts
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.sets.feedback import COMMENTS_MAX, NOTES_MAX, REASONS_MAX, told
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import CLAUDE, edit, everything, settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"a.md": "A red house.\n", "b.md": "Blue.\n"})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def lines(vault: Vault) -> list[str]:
    return await vault.sets.feedback.lines(CLAUDE.id, CLAUDE.name)


async def test_a_decision_is_told_once(vault: Vault) -> None:
    assert await lines(vault) == []
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "b.md", "Blue", "Green")
    assert await lines(vault) == [], "nothing is decided yet"
    found = await everything(vault)
    chosen = Chosen({"a.md": found.changes["a.md"]}, [])
    await vault.sets.decisions.decide(1, "reject", chosen, "Ann", "it is red")
    assert await lines(vault) == ['Set 1: 1 rejected, 1 waiting ("it is red").']
    assert await lines(vault) == []
    assert await vault.sets.feedback.lines("process:9", "Bo") == []
    await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    assert await lines(vault) == ['Set 1: 1 accepted, 1 rejected ("it is red").']


async def test_what_was_told_is_known_after_a_restart(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"a.md": "A red house.\n"})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        await edit(vault, "a.md", "red", "green")
        await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
        assert await lines(vault) == ["Set 1: 1 accepted."]
    async with open_vault(chosen) as vault:
        assert await lines(vault) == []


async def test_words_about_a_set_are_refused_while_nothing_is_decided(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    with pytest.raises(Conflict, match="Nothing in set 1 is decided yet"):
        await vault.sets.feedback.verdicts(1)
    await vault.sets.decisions.decide(1, "reject", await everything(vault), "Ann", "no")
    assert await vault.sets.feedback.verdicts(1) == (
        'Set 1: 1 rejected ("no").\n- rejected in a.md: "red" to "green" (no)'
    )
    assert await lines(vault) == [], "it need not be told once more"


async def test_the_set_in_which_something_was_left_is_waiting(vault: Vault) -> None:
    feedback = vault.sets.feedback
    assert await feedback.waiting(CLAUDE.id, CLAUDE.name, 0.0) is None
    await edit(vault, "a.md", "red", "green")
    found = await feedback.waiting(CLAUDE.id, CLAUDE.name, 0.0)
    assert found is not None
    assert found.number == 1
    assert await feedback.waiting(CLAUDE.id, CLAUDE.name, float("inf")) is None


def test_lists_are_cut_and_say_so() -> None:
    one = ChangeSet(3, "k", "Claude", 1.0, title="Two\nlines")
    notes = [f"n{at}.md" for at in range(NOTES_MAX + 1)]
    said = [f"c{at}" for at in range(COMMENTS_MAX + 2)]
    reasons = [f"r{at}" for at in range(REASONS_MAX + 1)]
    counts = Counts(accepted=2, rejected=1, other=len(notes) + 1)
    text = told(one, counts, reasons, said, notes)
    assert text.startswith("Set 3 Two lines: 2 accepted, 1 rejected, 6 gone with the note (n0.md,")
    assert f"n{NOTES_MAX}.md" not in text
    assert "1 ended otherwise" in text
    assert f'"r{REASONS_MAX}"' not in text
    assert text.endswith("c4 and 2 more.")
