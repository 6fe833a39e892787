import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument, Conflict, Forbidden, NotFound
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import Root, Settings

pytestmark = pytest.mark.anyio

Make = Callable[..., Settings]


async def test_what_is_typed_in_a_note_while_it_is_deleted_is_in_the_trash(
    make_settings: Make, tmp_path: Path
):
    async with open_vault(make_settings({"a.md": "one\n"})) as vault:
        await vault.indexer.settled()
        id = await vault.notes.ids.id_of("a.md")
        await vault.notes.documents.edit(id, lambda _: [Edit(0, 0, "before ")], "person:Ada")
        trash = await vault.write.delete("a.md", "Ada")
        await vault.notes.documents.edit(id, lambda _: [Edit(0, 0, "after ")], "person:Ada")
        await vault.notes.queue.flush_all()
        assert (tmp_path / "vault" / trash).read_text() == "after before one\n"
        assert await vault.listing.tree() == []
        assert await vault.trash.restore(trash) == "a.md"
        assert await vault.texts.accepted("a.md") == "after before one\n"
        assert await vault.notes.ids.id_of("a.md") == id
        assert [path for path, _, _ in await vault.listing.tree()] == ["a.md"]


async def test_restore_never_overwrites(make_settings: Make, tmp_path: Path):
    async with open_vault(make_settings({"a.md": "one\n"})) as vault:
        await vault.indexer.settled()
        trash = await vault.write.delete("a.md", "Ada")
        await vault.write.create("a.md", "two\n")
        with pytest.raises(Conflict, match="exists already"):
            await vault.trash.restore(trash)
    assert (tmp_path / "vault/a.md").read_text() == "two\n"
    assert (tmp_path / "vault/.trash/a.md").read_text() == "one\n"


async def test_notes_that_obsidian_deleted_can_be_restored_too(make_settings: Make):
    files = {".trash/Folder/old.md": "x\n", ".trash/.git/no.md": "x", ".trash/no.txt": "x"}
    async with open_vault(make_settings(files)) as vault:
        await vault.indexer.settled()
        assert [(one.trash, one.path, one.who) for one in await vault.trash.listed()] == [
            (".trash/Folder/old.md", "Folder/old.md", None)
        ]
        assert await vault.trash.restore(".trash/Folder/old.md") == "Folder/old.md"
        assert await vault.texts.accepted("Folder/old.md") == "x\n"


async def test_each_root_has_its_trash(tmp_path: Path):
    for name in ("A", "B"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.md").write_text(f"{name}\n")
    roots = tuple(Root(name, tmp_path / name) for name in ("A", "B"))
    async with open_vault(Settings(roots, tmp_path / "state")) as vault:
        await vault.indexer.settled()
        assert await vault.write.delete("B/same.md", "Ada") == "B/.trash/same.md"
        assert [one.path for one in await vault.trash.listed()] == ["B/same.md"]
        assert await vault.write.create("A/new/x.md", "") == "A/new/x.md"
        with pytest.raises(NotFound, match="names a folder of this vault: A, B"):
            await vault.write.create("C/x.md", "")
        assert await vault.trash.restore("B/same.md") == "B/same.md"
    assert (tmp_path / "B/same.md").read_text() == "B\n"


async def test_a_note_whose_name_is_decomposed_on_disk_can_be_deleted(
    make_settings: Make, tmp_path: Path
):
    name = unicodedata.normalize("NFD", "Größe.md")
    async with open_vault(make_settings({name: "x\n"})) as vault:
        await vault.indexer.settled()
        trash = await vault.write.delete("Größe.md", "Ada")
        assert await vault.trash.restore(trash) == "Größe.md"
    assert (tmp_path / "vault" / "Größe.md").read_text() == "x\n"


async def test_no_note_is_made_through_a_link_or_in_a_folder_that_is_ignored(
    make_settings: Make, tmp_path: Path
):
    (tmp_path / "elsewhere").mkdir()
    settings = make_settings({"a.md": "x\n"}, ignore=("Private/**",))
    os.symlink(tmp_path / "elsewhere", tmp_path / "vault/out")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        with pytest.raises(Exception, match="out"):
            await vault.write.create("out/x.md", "x")
        with pytest.raises(BadArgument, match="ignore"):
            await vault.write.create("Private/x.md", "x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "x" * (10 * 1024 * 1024 + 1)])
async def test_a_text_that_no_note_can_hold_is_refused(
    make_settings: Make, tmp_path: Path, text: str
):
    async with open_vault(make_settings({})) as vault:
        await vault.indexer.settled()
        with pytest.raises(BadArgument):
            await vault.write.create("a.md", text)
    assert list((tmp_path / "vault").iterdir()) == []


async def test_a_read_only_vault_is_not_changed(make_settings: Make):
    async with open_vault(make_settings({"a.md": "x"}, read_only=True)) as vault:
        await vault.indexer.settled()
        attempts: list[Any] = [
            lambda: vault.write.create("b.md", ""),
            lambda: vault.write.delete("a.md", "Ada"),
            lambda: vault.trash.restore(".trash/a.md"),
        ]
        for attempt in attempts:
            with pytest.raises(Forbidden, match="read-only"):
                await attempt()


async def test_an_update_comes_from_what_its_author_has_read(make_settings: Make):
    async with open_vault(make_settings({"a.md": "one\ntwo\n"})) as vault:
        await vault.indexer.settled()
        await vault.reader.read("a.md", "reader", "reader")
        vault.reader.readings.show_all("reader", "a.md")
        await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "zero\n")], "person:Ada")
        seen = await vault.write.revision("a.md", "one\n2\n", None, Asker("reader", "reader"))
        assert seen.diff == "@@ line 3 @@\n zero\n one\n-two\n+2"
        unseen = await vault.write.revision("a.md", "one\n2\n", None, Asker("other", "x"))
        assert unseen.diff == "@@ line 1 @@\n-zero\n one\n-two\n+2"
