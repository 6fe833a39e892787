"""An assistant takes back what it has waiting, and nobody else's words with it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.edits import diff
from commonplace.vault.open import open_vault
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import CLAUDE, create, edit, settings

pytestmark = pytest.mark.anyio
BO = Suggester("process:2", "Bo")
NOTES = {"a.md": "A red house and a blue barn.\n", "b.md": "Red.\n", "hand.md": "{++mine++}\n"}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", dict(NOTES))
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def marked(vault: Vault) -> list[str]:
    await vault.notes.queue.catch_up_index()
    return [await vault.texts.marked(path) for path in NOTES]


async def test_all_that_waits_of_it_goes_and_nothing_of_others(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "a.md", "blue", "black", by=BO)
    await edit(vault, "b.md", "Red", "Green")
    await create(vault, "New.md", "new\n")
    await vault.notes.queue.catch_up_index()
    done = await vault.withdrawal.withdraw(CLAUDE)
    assert done["suggestions"] == {"a.md": 1, "b.md": 1}
    assert done["left"] == {}
    assert len(str(done["writes"])) > 2
    assert await vault.permissions.waiting() == []
    assert await marked(vault) == [
        "A red house and a {--blue--}{++black++} barn.\n",
        "Red.\n",
        "{++mine++}\n",
    ]
    assert {(one.path, one.decision, one.by) for one in vault.ledger.decisions(9)} == {
        ("a.md", "withdrawn", CLAUDE.id),
        ("b.md", "withdrawn", CLAUDE.id),
    }


async def test_one_note_or_one_set_alone_if_it_is_asked_so(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "b.md", "Red", "Green")
    await vault.notes.queue.catch_up_index()
    assert (await vault.withdrawal.withdraw(CLAUDE, "b.md"))["suggestions"] == {"b.md": 1}
    assert (await vault.withdrawal.withdraw(CLAUDE, set=1))["suggestions"] == {"a.md": 1}
    assert (await vault.withdrawal.withdraw(CLAUDE))["suggestions"] == {}


async def test_a_suggestion_in_which_a_person_wrote_is_left_to_people(vault: Vault) -> None:
    await edit(vault, "b.md", "Red", "Green")
    now = await vault.texts.marked("b.md")
    wanted = now.replace("Green", "Light green")
    await vault.notes.edit("b.md", lambda text: diff(text, wanted), "person:Ann")
    await vault.notes.queue.catch_up_index()
    done = await vault.withdrawal.withdraw(CLAUDE)
    assert done["suggestions"] == {}
    assert await vault.texts.marked("b.md") == wanted
