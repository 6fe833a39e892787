"""The history of a whole vault: every way in which a note can change."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit, diff
from commonplace.errors import NotFound
from commonplace.vault.history.history import Revision, RevisionFilter
from commonplace.vault.open import open_vault
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write

pytestmark = pytest.mark.anyio

NOTES: Notes = {"a.md": "one two three\n", "b.md": "see [[a]]\n"}
CLAUDE = Suggester("claude", "Claude")


def settings_of(folder: Path) -> Settings:
    return Settings((Root("vault", folder / "vault"),), folder / "state")


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    async with open_vault(settings_of(tmp_path)) as vault:
        await vault.indexer.settled()
        yield vault


async def told(vault: Vault, path: str) -> list[tuple[str, str, str]]:
    return [(each.actor, each.cause, each.path) for each in await revisions(vault, path)]


async def revisions(vault: Vault, path: str) -> list[Revision]:
    await vault.recorder.flush()
    document = await vault.notes.ids.id_of(path)
    return (await vault.history.revisions(RevisionFilter(document=document)))[::-1]


async def test_a_suggestion_and_its_acceptance_are_revisions(vault: Vault) -> None:
    await vault.reader.read("a.md", CLAUDE.id, CLAUDE.name)
    await vault.suggestions.suggest("a.md", "two", "2", CLAUDE)
    ids = [one.id for one in await vault.pending.listed()]
    await vault.review.decide("accept", {"a.md": ids}, "Ann")
    assert await told(vault, "a.md") == [
        ("", "before", "a.md"),
        ("assistant:Claude", "call", "a.md"),
        ("person:Ann", "accept", "a.md"),
    ]
    head = await vault.history.head(await vault.notes.ids.id_of("a.md"))
    assert head is not None
    assert head.text == "one 2 three\n"
    whose = await vault.history.actors([number for _, number in head.blame])
    found = {whose[n].actor if n in whose else "before": length for length, n in head.blame}
    assert found["assistant:Claude"] == 1
    assert "person:Ann" not in found


async def test_a_file_saved_by_another_program_is_a_revision(vault: Vault, tmp_path: Path) -> None:
    await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "zero ")], "person:Ann")
    await vault.notes.queue.flush_all()
    (tmp_path / "vault" / "a.md").write_text("zero one two three and four\n")
    await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "!")], "person:Ann")
    assert [cause for _, cause, _ in await told(vault, "a.md")] == [
        "before",
        "call",
        "file",
        "call",
    ]


async def test_the_history_follows_a_note_through_names_and_the_trash(vault: Vault) -> None:
    await vault.write.create("new.md", "text\n", "assistant:Claude")
    document = await vault.notes.ids.id_of("new.md")
    await vault.renames.rename("new.md", "Folder/name.md", "person:Ann")
    trash = await vault.write.delete("Folder/name.md", "Ann")
    await vault.trash.restore(trash, "person:Bo")
    assert await vault.notes.ids.id_of("Folder/name.md") == document
    assert await told(vault, "Folder/name.md") == [
        ("assistant:Claude", "create", "new.md"),
        ("person:Ann", "rename", "Folder/name.md"),
        ("person:Ann", "delete", trash),
        ("person:Bo", "restore", "Folder/name.md"),
    ]
    assert [each.note for each in await revisions(vault, "Folder/name.md")][1] == "new.md"
    await vault.notes.edit("Folder/name.md", lambda _: [Edit(0, 0, "my ")], "person:Ann")
    assert len(await revisions(vault, "Folder/name.md")) == 5


async def test_the_history_is_there_after_a_restart(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    async with open_vault(settings_of(tmp_path)) as vault:
        await vault.indexer.settled()
        await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "zero ")], "person:Ann")
    (tmp_path / "vault" / "a.md").write_text("zero one two three, changed while away\n")
    async with open_vault(settings_of(tmp_path)) as vault:
        await vault.indexer.settled()
        await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "!")], "person:Ann")
        causes = [cause for _, cause, _ in await told(vault, "a.md")]
        assert causes == ["before", "call", "file", "call"]


async def test_what_is_forgotten_is_in_no_file_of_ours(vault: Vault, tmp_path: Path) -> None:
    secret = "Swordfish4711"

    def holding() -> set[str]:
        files = (file for file in (tmp_path / "state").rglob("*") if file.is_file())
        return {file.name for file in files if secret.encode() in file.read_bytes()}

    for words in (f"The word is {secret}. ", "More. "):
        await vault.notes.edit("a.md", lambda _, words=words: [Edit(0, 0, words)], "person:Ann")
    for verdict in ("reject", "accept"):
        await vault.reader.read("a.md", CLAUDE.id, CLAUDE.name)
        await vault.suggestions.suggest("a.md", "three", f"three {secret} again", CLAUDE)
        (one,) = await vault.pending.listed("a.md")
        if verdict == "reject":
            await vault.review.decide("reject", {"a.md": [one.id]}, "Ann", f"no {secret}")
        else:
            parts = Chosen({"a.md": [one.id]})
            await vault.sets.decisions.decide(1, "accept", parts, "Ann")
    await vault.notes.queue.flush_all()
    assert any(name.startswith("live.db") for name in holding())
    await vault.notes.edit("a.md", lambda now: diff(now, now.replace(secret, "gone")), "person:Ann")
    await vault.notes.queue.flush_all()
    await vault.indexer.settled()
    done = await vault.timeline.forget(secret, "a.md")
    assert done["log_keeps"] == []
    assert holding() == set()
    assert secret not in str(vault.ledger.decisions(100))
    text = "More. The word is gone. one two three gone again\n"
    assert await vault.texts.marked("a.md") == text
    with pytest.raises(NotFound):
        await vault.sets.decisions.undo(1, "Ann")
    assert [hit.path for hit in await vault.search.search("again", 5)] == ["a.md"]
    await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "!")], "person:Ann")
    assert (await told(vault, "a.md"))[-1] == ("person:Ann", "call", "a.md")
