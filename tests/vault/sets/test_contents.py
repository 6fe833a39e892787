"""What a set holds follows the notes: decided, undone, edited by people, renamed."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import Forbidden
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write

pytestmark = pytest.mark.anyio

NOTES: Notes = {
    "a.md": "The red folder and the blue folder.\n",
    "b.md": "A red house.\n",
    "hand.md": "By {++my own ++}hand.\n",
}
CLAUDE = Suggester("process:1", "Claude")


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield vault


async def edit(vault: Vault, path: str, old: str, new: str, by: Suggester = CLAUDE) -> None:
    await vault.reader.read(path, by.id, by.name)
    await vault.suggestions.suggest(path, old, new, by)


async def delete(vault: Vault, path: str) -> None:
    asker = Asker(CLAUDE.id, CLAUDE.name)
    with pytest.raises(Forbidden):
        await vault.permissions.ask(
            "delete_note", {"path": path}, asker, lambda: vault.write.deletion(path)
        )


async def test_a_set_counts_what_waits_and_what_became_of_the_rest(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    await edit(vault, "a.md", "blue folder", "blue box")
    await edit(vault, "b.md", "red", "green")
    await delete(vault, "b.md")
    one, outside = await vault.sets.reader.listed()
    assert (one.set.number, one.set.who, one.state, one.notes) == (1, "Claude", "open", 2)
    assert (one.counts.waiting, one.parked, one.added, one.removed) == (4, 1, 3, 3)
    assert (outside.set.number, outside.counts.waiting) == (0, 1)

    found = await vault.sets.reader.get(1)
    ids = {(each.path, each.new): each.id for each in found.pending}
    await vault.review.decide("accept", {"b.md": [ids["b.md", "green"]]}, "Ann")
    done = await vault.review.decide(
        "reject", {"a.md": [ids["a.md", "green"]]}, "Ann", "folder IS red"
    )
    (box,) = await vault.pending.listed("a.md")
    modified = await vault.review.accept_as("a.md", box.id, "blue crate", "Ann")
    one = (await vault.sets.reader.listed())[0]
    assert one.state == "partly decided"
    counts = one.counts
    assert (counts.waiting, counts.accepted, counts.rejected, counts.modified) == (1, 1, 1, 1)
    await vault.review.undo(modified.undo)
    await vault.review.undo(done.undo)
    assert (await vault.sets.reader.get(1)).summary.counts.waiting == 3


async def test_a_suggestion_stays_in_its_set_while_its_id_changes(vault: Vault) -> None:
    write(Path(vault.settings.roots[0].path), {"c.md": "Tea, tea.\n"})
    await vault.indexer.update(["c.md"])
    await edit(vault, "c.md", "Tea", "Hot tea")
    await edit(vault, "c.md", ", tea", ", hot tea")
    first, second = (await vault.sets.reader.get(1)).pending
    await vault.review.decide("accept", {"c.md": [first.id]}, "Ann")
    (left,) = (await vault.sets.reader.get(1)).pending
    assert left.new == second.new
    await vault.renames.rename("c.md", "d.md", "person:Ann")
    (left,) = (await vault.sets.reader.get(1)).pending
    assert left.path == "d.md"


async def test_decided_writes_are_counted_however_they_were_decided(vault: Vault) -> None:
    await delete(vault, "b.md")
    (parked,) = (await vault.sets.reader.get(1)).parked
    await vault.permissions.approve(parked.id, "Ann")
    summary = (await vault.sets.reader.get(1)).summary
    assert (summary.state, summary.counts.accepted, summary.parked) == ("accepted", 1, 0)


async def test_what_a_policy_allows_is_in_the_set_as_done(vault: Vault) -> None:
    permissions = vault.permissions.under({"create": "allow"})
    asker = Asker(CLAUDE.id, CLAUDE.name)
    given = {"path": "new.md", "content": "Hello"}
    await permissions.ask(
        "create_note", given, asker, lambda: vault.write.creation("new.md", "Hello", None)
    )
    found = await vault.sets.reader.get(1)
    assert [(each.operation, each.path) for each in found.done] == [("create", "new.md")]
    assert found.summary.state == "accepted"


async def test_what_a_policy_turns_into_a_suggestion_is_there_once(vault: Vault) -> None:
    permissions = vault.permissions.under({"update": "suggest"})
    asker = Asker(CLAUDE.id, CLAUDE.name)
    await permissions.ask(
        "update_note",
        {"path": "b.md", "content": "A green house."},
        asker,
        lambda: vault.write.revision("b.md", "A green house.\n", None, asker),
    )
    found = await vault.sets.reader.get(1)
    assert (len(found.pending), len(found.done)) == (1, 0)
