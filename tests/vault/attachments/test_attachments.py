"""Attachments found, read, saved and moved, over real files."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace.errors import (
    BadArgument,
    CommonplaceError,
    Conflict,
    Forbidden,
    NotFound,
    Unreadable,
)
from commonplace.vault.attachments.views import Views
from commonplace.vault.notes.rename_plan import RenamePlan
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.settings.config_file import parse_config
from commonplace.vault.vault import Vault
from tests.vault.attachments.samples import bomb, jpeg, pdf, png
from tests.vault.conftest import Notes

pytestmark = pytest.mark.anyio

_NOW = datetime(2026, 11, 16, 12, 30, 5, tzinfo=UTC)
Make = Callable[..., Settings]


async def _resolved(vault: Vault, link: str, source: str = "Note.md") -> str:
    return (await vault.attachments.resolve(link, source)).path


async def test_a_file_is_found_as_soon_as_it_is_there_and_not_when_it_is_gone(
    make_settings: Make, tmp_path: Path
) -> None:
    async with open_vault(make_settings({"Note.md": "x"}), follow=False) as vault:
        with pytest.raises(NotFound):
            await _resolved(vault, "late.png")
        (tmp_path / "vault" / "late.png").write_bytes(png())
        assert await _resolved(vault, "late.png") == "late.png"
        (tmp_path / "vault" / "late.png").unlink()
        with pytest.raises(NotFound):
            await _resolved(vault, "late.png")


async def test_links_hidden_files_ignored_files_and_notes_are_no_attachments(
    make_settings: Make, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.png").write_bytes(png())
    notes: Notes = {
        "Note.md": "x",
        ".obsidian/app.json": "{}",
        ".hidden.png": png(),
        "Private/p.png": png(),
        "ok.png": png(),
    }
    settings = make_settings(notes, ignore=("Private/**",))
    folder = tmp_path / "vault"
    (folder / "link.png").symlink_to(outside / "secret.png")
    (folder / "linked").symlink_to(outside)
    os.mkfifo(folder / "pipe.png")
    async with open_vault(settings, follow=False) as vault:
        assert list((await vault.attachments.files.current()).by_path) == ["ok.png"]
        for path in ("link.png", "linked/secret.png", "pipe.png", "Private/p.png", "Note.md"):
            assert await vault.attachments.find(path) is None, path
        for path in (".hidden.png", ".obsidian/app.json", "../outside/secret.png", "/etc/passwd"):
            with pytest.raises(CommonplaceError):
                await vault.attachments.find(path)
        for link in ("link.png", "secret.png", "linked/secret.png", "../outside/secret.png"):
            with pytest.raises(CommonplaceError):
                await _resolved(vault, link)


async def test_names_in_another_form_of_unicode_are_found(make_settings: Make) -> None:
    async with open_vault(
        make_settings({"N.md": "x", "e\u0301t.png": png()}), follow=False
    ) as vault:
        assert await _resolved(vault, "\u00e9t.png", "N.md") == "\u00e9t.png"
        file = await vault.attachments.resolve("\u00e9t.png", "N.md")
        assert await vault.attachments.read(file, 1000) == png()


@pytest.mark.parametrize(
    ("obsidian", "setting", "path"),
    [
        (None, None, "shot.png"),
        ("/", None, "shot.png"),
        ("Files/in", None, "Files/in/shot.png"),
        ("./", None, "Deep/er/shot.png"),
        ("./att", None, "Deep/er/att/shot.png"),
        ("../../up", None, "shot.png"),
        (".obsidian/plugins", None, "shot.png"),
        ("Files", "Mine", "Mine/shot.png"),
        (5, None, "shot.png"),
    ],
)
async def test_a_new_file_goes_where_the_person_or_obsidian_says(
    make_settings: Make, tmp_path: Path, obsidian: object, setting: str | None, path: str
) -> None:
    notes: Notes = {"Deep/er/Note.md": "x"}
    if obsidian is not None:
        notes[".obsidian/app.json"] = json.dumps({"attachmentFolderPath": obsidian})
    async with open_vault(make_settings(notes, attachments=setting), follow=False) as vault:
        data = png()
        saved = await vault.attachments.save("Deep/er/Note.md", "shot.png", "image/png", data, _NOW)
        assert saved.path == path
        assert (tmp_path / "vault" / path).read_bytes() == data
        assert await _resolved(vault, saved.link, "Deep/er/Note.md") == path


async def test_saving_overwrites_nothing_and_takes_what_is_sent_again(make_settings: Make) -> None:
    async with open_vault(make_settings({"Note.md": "x"}), follow=False) as vault:

        async def save(name: str, data: bytes) -> str:
            return (await vault.attachments.save("Note.md", name, "image/png", data, _NOW)).path

        assert await save("a.png", png()) == "a.png"
        assert await save("a.png", png()) == "a.png"
        assert await save("a.png", jpeg()) == "a 1.png"
        assert await save("image.png", png()) == "Pasted image 20261116123005.png"
        assert await save("../../x:y|[z].png", png()) == "x-y--z-.png"
        for name in ("evil.md", "con.png"):
            with pytest.raises(CommonplaceError):
                await save(name, png())
        with pytest.raises(BadArgument):
            await save("empty.png", b"")


async def test_moving_a_file_takes_its_links_along_and_can_be_undone(
    make_settings: Make, tmp_path: Path
) -> None:
    texts = {
        "Note.md": "![[pic.png|300]] and ![x](img/pic.png) and [[pic.png]]\n",
        "sub/Other.md": "![](../img/pic.png) `![[pic.png]]` {++![[pic.png]]++}\n",
        "Plain.md": "nothing\n",
    }
    settings = make_settings({**texts, "img/pic.png": png()})
    folder = tmp_path / "vault"
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        assert await vault.attachments.linked_from("img/pic.png") == ["Note.md", "sub/Other.md"]
        moved = await vault.attachments.move("img/pic.png", "art/a bee.png", "person:test")
        assert not (folder / "img/pic.png").exists()
        assert (folder / "art/a bee.png").read_bytes() == png()
        note, other = ((folder / path).read_text() for path in ("Note.md", "sub/Other.md"))
        assert note == "![[a bee.png|300]] and ![x](art/a%20bee.png) and [[a bee.png]]\n"
        assert other == "![](../art/a%20bee.png) `![[pic.png]]` {++![[a bee.png]]++}\n"
        assert (folder / "Plain.md").read_text() == texts["Plain.md"]
        assert moved.left == []
        undone = await vault.renames.undo(moved.undo, "person:test")
        assert undone.path == "img/pic.png"
        assert {path: (folder / path).read_text() for path in texts} == texts
        with pytest.raises(NotFound):
            await vault.attachments.move("none.png", "x.png", "person:test")
        (folder / "taken.png").write_bytes(png())
        with pytest.raises(Conflict):
            await vault.attachments.move("img/pic.png", "taken.png", "person:test")
        with pytest.raises(BadArgument):
            await vault.attachments.move("img/pic.png", "x.md", "person:test")


async def test_a_move_that_a_crash_cut_short_is_finished_on_the_next_start(
    make_settings: Make, tmp_path: Path
) -> None:
    settings = make_settings({"Note.md": "![[pic.png]]\n", "pic.png": png()})
    intent = RenamePlan(
        "pic.png", "art/new.png", links={"Note.md": {(False, "pic.png"): "new.png"}}
    )
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        await vault.log.put_record("rename", "x", intent.packed())
    (tmp_path / "vault/art").mkdir()
    (tmp_path / "vault/pic.png").rename(tmp_path / "vault/art/new.png")
    async with open_vault(settings, follow=False):
        assert (tmp_path / "vault/Note.md").read_text() == "![[new.png]]\n"


async def test_each_root_of_several_has_its_own_folder_for_attachments(tmp_path: Path) -> None:
    roots: list[Root] = []
    for name in ("Home", "Work"):
        (tmp_path / name / ".obsidian").mkdir(parents=True)
        (tmp_path / name / "Note.md").write_text("![[a.png]]\n")
        roots.append(Root(name, tmp_path / name))
    setting = {"attachmentFolderPath": "files"}
    (tmp_path / "Work/.obsidian/app.json").write_text(json.dumps(setting))
    settings = Settings(tuple(roots), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        for note, path in (("Home/Note.md", "Home/a.png"), ("Work/Note.md", "Work/files/a.png")):
            saved = await vault.attachments.save(note, "a.png", "image/png", png(), _NOW)
            assert saved.path == path
            assert (tmp_path / path).exists()
            assert await _resolved(vault, saved.link, note) == path
        with pytest.raises(NotFound):
            await _resolved(vault, "../../etc/a.png", "Work/Note.md")


async def test_a_vault_that_is_only_read_is_not_written_to(make_settings: Make) -> None:
    settings = make_settings({"Note.md": "x", "a.png": png()}, read_only=True)
    async with open_vault(settings, follow=False) as vault:
        with pytest.raises(Forbidden):
            await vault.attachments.save("Note.md", "b.png", "image/png", png(), _NOW)
        with pytest.raises(Forbidden):
            await vault.attachments.move("a.png", "b.png", "person:test")


async def test_pictures_are_scaled_to_what_models_take_and_bombs_are_refused() -> None:
    views = Views()
    small = await views.picture("a.png", png())
    assert (small.type, small.data) == ("image/png", png())
    large = await views.picture("b.jpg", jpeg(4000, 1000))
    assert "scaled down to 1568 x 392" in large.text
    assert len(large.data) < 1_000_000
    for data in (bomb(), b"not a picture", png()[:40], b"", pdf("x")):
        with pytest.raises(Unreadable):
            await views.picture("c.png", data)


async def test_a_pdf_is_read_by_page() -> None:
    views = Views()
    data = pdf("First page", "Second page", "Third page")
    found = await views.pages("a.pdf", data, 2, 1)
    assert (found.pages, found.total) == ([(2, "Second page")], 3)
    assert (await views.pages("a.pdf", data, 9, 1)).pages == []
    for wrong in (b"%PDF-1.4 nonsense", b"", png(), data[:200]):
        with pytest.raises(Unreadable):
            await views.pages("a.pdf", wrong, 1, 1)


def test_the_folder_for_attachments_is_a_setting_that_is_checked() -> None:
    assert parse_config('attachments = "./files"').attachments == "./files"
    for wrong in ('attachments = "../up"', "attachments = 5", 'attachments = ".git"'):
        with pytest.raises(BadArgument, match="attachments"):
            parse_config(wrong)
