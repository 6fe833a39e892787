"""Which note a path names, what it says, and what may have been meant by one that names none."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import BadPath, NotFound, Unreadable
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio
NOTES: dict[str, str | bytes] = {
    "a.md": "one {++two ++}three\r\n",
    "Folder/b.md": "b\n",
    "pic.png": b"1",
    "bad.md": b"\xff\xfe\x00",
}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield vault


@pytest.mark.parametrize(
    ("raw", "path"), [("a.md", "a.md"), ("a", "a.md"), ("Folder/b", "Folder/b.md")]
)
async def test_a_path_names_a_note_with_or_without_its_ending(
    vault: Vault, raw: str, path: str
) -> None:
    assert vault.texts.find(raw) == path


@pytest.mark.parametrize(
    ("raw", "hint"),
    [
        ("Folder", "is a folder"),
        ("pic.png", "is an attachment"),
        ("a.md#Head", "A heading is no part of a path"),
        ("[[a]]", "Did you mean a.md"),
        ("c.md", "not found"),
    ],
)
async def test_what_names_no_note_is_told_with_what_may_be_meant(
    vault: Vault, raw: str, hint: str
) -> None:
    with pytest.raises((NotFound, BadPath), match=hint):
        vault.texts.find(raw)


async def test_a_note_that_was_renamed_is_told_with_its_name_now(vault: Vault) -> None:
    await vault.renames.rename("a.md", "z.md", "person:Ann")
    with pytest.raises(NotFound, match=r"renamed to z\.md"):
        vault.texts.find("a")
    assert vault.texts.find_moved("a.md") == "z.md"
    assert vault.texts.find_moved("z.md") == "z.md"


async def test_a_text_is_live_before_it_is_in_its_file(vault: Vault) -> None:
    assert await vault.texts.marked("a.md") == "one {++two ++}three\n"
    assert await vault.texts.accepted("a.md") == "one two three\n"
    await vault.notes.edit("a.md", lambda _: [Edit(0, 3, "1")], "person:Ann")
    assert await vault.texts.accepted("a.md") == "1 two three\n"


async def test_what_is_no_text_says_so(vault: Vault) -> None:
    with pytest.raises(Unreadable, match=r"bad\.md"):
        await vault.texts.marked("bad.md")
    entry = vault.contents.catalog.get("bad.md")
    assert entry is not None
    assert vault.texts.of_note(entry.note) == b""
    assert vault.texts.of_note(10**6) == b""


async def test_a_folder_that_differs_by_case_is_named(vault: Vault) -> None:
    assert "Did you mean Folder?" in str(vault.texts.no_folder("folder"))
    assert "Did you mean" not in str(vault.texts.no_folder("none"))
