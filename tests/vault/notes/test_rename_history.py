"""Links that follow a rename are revisions of whoever renamed, also where nobody has the note open.

A crash at the worst moment is a copy of the vault and its state, taken while the history has
heard of the rename and kept nothing of it.
"""

import shutil
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit, diff
from commonplace.vault.history.history import RevisionFilter
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write

pytestmark = pytest.mark.anyio

ANN, CLAUDE = "person:Ann", "assistant:Claude"
NOTES: Notes = {"a.md": "one\n", "b.md": "see [[a]]\n", "c.md": "and [[a]] too\n"}
RENAMED = [("", "before"), (ANN, "call"), (CLAUDE, "rename"), (ANN, "call")]


def settings_of(folder: Path) -> Settings:
    return Settings((Root("vault", folder / "vault"),), folder / "state")


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A vault in which a person wrote a word in two notes, and closed."""
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    async with open_vault(settings_of(tmp_path)) as vault:
        await vault.indexer.settled()
        for path in ("a.md", "b.md"):
            await begin_with(vault, path, "My ")
    return tmp_path


async def begin_with(vault: Vault, path: str, words: str) -> None:
    await vault.notes.edit(path, lambda _: [Edit(0, 0, words)], ANN)


async def told(vault: Vault, path: str) -> list[tuple[str, str]]:
    await vault.recorder.flush()
    document = await vault.notes.ids.id_of(path)
    found = await vault.history.revisions(RevisionFilter(document=document))
    return [(each.actor, each.cause) for each in reversed(found)]


async def text(vault: Vault, path: str) -> str:
    head = await vault.history.head(await vault.notes.ids.id_of(path))
    assert head is not None
    assert sum(length for length, _ in head.blame) == len(head.text)
    return head.text


async def test_links_in_notes_that_nobody_has_open_are_the_renamers(folder: Path) -> None:
    async with open_vault(settings_of(folder)) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("a.md", "z.md", CLAUDE, set="tidy")
        assert await told(vault, "b.md") == RENAMED[:3]
        assert await told(vault, "c.md") == [("", "before"), (CLAUDE, "rename")]
        assert await text(vault, "c.md") == "and [[z]] too\n"
        sets = await vault.history.revisions(RevisionFilter(set="tidy"))
        assert sorted(each.path for each in sets) == ["b.md", "c.md", "z.md"]
        for path in ("b.md", "c.md"):  # their documents learn of it as of another program's save
            await begin_with(vault, path, "!")
            assert (await told(vault, path))[-2:] == RENAMED[2:]
        assert await text(vault, "b.md") == "!My see [[z]]\n"


async def test_what_another_program_saves_after_that_is_its_own(folder: Path) -> None:
    async with open_vault(settings_of(folder)) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("a.md", "z.md", CLAUDE)
        await vault.recorder.flush()
        (folder / "vault" / "b.md").write_text("My see [[z]] and more\n")
        await begin_with(vault, "b.md", "!")
        assert await told(vault, "b.md") == [*RENAMED[:3], ("file", "file"), RENAMED[3]]
        document = await vault.notes.ids.id_of("b.md")
        saved = (await vault.history.revisions(RevisionFilter(document=document)))[1]
        assert [change.added for change in saved.delta] == [" and more"]


async def never_flush(_: Recorder, ids: Iterable[str] | None = None) -> None:
    """Keep nothing: the crash is before that."""


async def crashed(folder: Path, monkeypatch: pytest.MonkeyPatch, copy: Path) -> Path:
    """Rename, and return the vault as a crash leaves it before the history kept anything."""
    async with open_vault(settings_of(folder), follow=False) as vault:
        await vault.indexer.refresh()
        with monkeypatch.context() as crash:
            crash.setattr(Recorder, "flush", never_flush)
            crash.setattr(
                "commonplace.vault.notes.durable_renames.DurableRenames._close", never_close
            )
            await vault.renames.rename("a.md", "z.md", CLAUDE)
        shutil.copytree(folder / "vault", copy / "vault")
        shutil.copytree(folder / "state", copy / "state")
    return copy


async def never_close(*_: object) -> None:
    """Leave the record open, as a crash does."""


async def test_a_crash_does_not_change_who_renamed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = await crashed(folder, monkeypatch, tmp_path / "copy")
    async with open_vault(settings_of(copy)) as vault:
        await vault.indexer.settled()
        assert (await told(vault, "z.md"))[-1] == (CLAUDE, "rename")
        await begin_with(vault, "b.md", "!")
        assert await told(vault, "b.md") == RENAMED
        assert await vault.log.records("rename") == {}


async def test_without_the_record_nobody_knows_who_renamed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same crash, with the record of the rename thrown away."""
    copy = await crashed(folder, monkeypatch, tmp_path / "copy")
    db = sqlite3.connect(copy / "state" / "live.db")
    with db:
        db.execute("DELETE FROM records WHERE kind = 'rename'")
    db.close()
    async with open_vault(settings_of(copy)) as vault:
        await vault.indexer.settled()
        await begin_with(vault, "b.md", "!")
        assert await told(vault, "b.md") == [*RENAMED[:2], ("file", "file"), RENAMED[3]]


@pytest.mark.parametrize("has_open", [False, True])
async def test_undoing_a_rename_takes_the_links_along_and_nothing_else(
    folder: Path, has_open: bool
) -> None:
    async with open_vault(settings_of(folder)) as vault:
        await vault.indexer.settled()
        if has_open:
            await begin_with(vault, "c.md", "")
            await begin_with(vault, "b.md", "And ")
        before = {path: await vault.texts.marked(path) for path in NOTES}
        await vault.renames.rename("a.md", "Folder/z.md", CLAUDE)
        await vault.notes.edit("c.md", lambda now: diff(now, now + "more\n"), CLAUDE)
        preview = await vault.undo.preview(by="Claude")
        rows = {str(row["path"]): row["whole"] for row in preview["notes"]}  # type: ignore[union-attr]
        assert rows == {"Folder/z.md": "rename", "c.md": ""}
        done = await vault.undo.undo("Ann", by="Claude")
        assert {path: await vault.texts.marked(path) for path in NOTES} == before
        assert (await told(vault, "b.md"))[-1] == (ANN, "rename")
        await vault.undo.undo("Ann", set=str(done["undo"]))
        assert await vault.texts.marked("c.md") == "and [[z]] too\nmore\n"
