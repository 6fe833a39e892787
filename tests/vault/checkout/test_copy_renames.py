"""A file renamed in a working copy: the note waits to be renamed with its links; else it is new."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.vault.checkout.moves import NewFile, paired
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.vault.checkout.test_working_copy import marked, opened
from tests.wait import eventually, holds

pytestmark = pytest.mark.anyio
Make = Callable[..., Settings]
NOTES = {"Plan.md": "# Plan\n\nSow the clover.\n", "Home.md": "See [[Plan]].\n"}


async def waiting(vault: Vault) -> list[tuple[str, str, object]]:
    parked: list[Parked] = await vault.permissions.waiting()
    return [(one.operation, one.path, one.change.get("to")) for one in parked]


async def test_a_rename_waits_and_the_links_follow_once_it_is_approved(
    make_settings: Make, tmp_path: Path
):
    async with opened(make_settings(NOTES), tmp_path / "copy") as (vault, copy):
        (copy.folder / "Garden").mkdir()
        (copy.folder / "Plan.md").rename(copy.folder / "Garden/Year.md")
        await copy.settle()
        assert await waiting(vault) == [("rename", "Plan.md", "Garden/Year.md")]
        assert await marked(vault, "Plan.md") == NOTES["Plan.md"]
        assert not (copy.folder / "Plan.md").exists()
        # What is saved under the new name, and what people write, is of the same note.
        (copy.folder / "Garden/Year.md").write_text("# Plan\n\nSow the oats.\n")
        await copy.settle()
        text = "# Plan\n\nSow the {--clover--}{++oats++}.\n"
        assert await marked(vault, "Plan.md") == text
        await vault.notes.edit("Plan.md", lambda _: [Edit(0, 0, "Soon\n\n")], "person:ada")
        await holds(copy.folder / "Garden/Year.md", "Soon\n\n# Plan\n\nSow the oats.\n")
        [one] = await vault.permissions.waiting()
        await vault.permissions.approve(one.id, "ada")
        await holds(copy.folder / "Home.md", "See [[Year]].\n")
        await copy.settle()
        assert await marked(vault, "Garden/Year.md") == f"Soon\n\n{text}"
        assert not vault.texts.exists("Plan.md")
        assert not (copy.folder / "Plan.md").exists()
        (copy.folder / "Garden/Year.md").write_text("Soon\n\n# Plan\n\nSow the rye.\n")
        await copy.settle()
        assert "rye" in await marked(vault, "Garden/Year.md")
        assert (copy.troubles, await waiting(vault)) == ({}, [])


async def test_a_rename_to_a_capital_ending_is_a_rename(make_settings: Make, tmp_path: Path):
    async with opened(make_settings(NOTES), tmp_path / "copy") as (vault, copy):
        (copy.folder / "Plan.md").rename(copy.folder / "Year.MD")
        await copy.settle()
        assert await waiting(vault) == [("rename", "Plan.md", "Year.MD")]


async def test_a_rename_is_noticed_by_itself(make_settings: Make, tmp_path: Path):
    async with opened(make_settings(NOTES), tmp_path / "copy") as (vault, copy):
        (copy.folder / "Plan.md").rename(copy.folder / "Year.md")
        await eventually(lambda: copy.note_of("Year.md") == "Plan.md")
        await copy.settle()
        assert await waiting(vault) == [("rename", "Plan.md", "Year.md")]


async def test_a_rename_that_is_denied_is_turned_back_with_all_that_was_saved(
    make_settings: Make, tmp_path: Path
):
    async with opened(make_settings(NOTES), tmp_path / "copy") as (vault, copy):
        told: list[str] = []
        copy.listeners.append(lambda path, text: told.append(f"{path}: {text}"))
        (copy.folder / "Plan.md").rename(copy.folder / "Year.md")
        await copy.settle()
        (copy.folder / "Year.md").write_text("# Plan\n\nSow the oats.\n")
        await copy.settle()
        [one] = await vault.permissions.waiting()
        await vault.permissions.deny(one.id, "ada")
        await holds(copy.folder / "Plan.md", "# Plan\n\nSow the oats.\n")
        assert not (copy.folder / "Year.md").exists()
        assert "denied" in (await eventually(lambda: told))[0]
        await copy.settle()
        assert not vault.texts.exists("Year.md")
        assert await waiting(vault) == []


async def test_a_rename_taken_back_or_changed_is_asked_anew_and_a_deletion_taken_back_is_not(
    make_settings: Make, tmp_path: Path
):
    async with opened(make_settings(NOTES), tmp_path / "copy") as (vault, copy):
        names = ["Plan.md", "Year.md", "Season.md", "Plan.md"]
        wanted = [[("rename", "Plan.md", name)] for name in names[1:3]]
        for old, new, asked in zip(names, names[1:], [*wanted, []], strict=False):
            (copy.folder / old).rename(copy.folder / new)
            await copy.settle()
            assert await waiting(vault) == asked
        (copy.folder / "Plan.md").unlink()
        await copy.settle()
        assert await waiting(vault) == [("delete", "Plan.md", None)]
        (copy.folder / "Plan.md").write_text(NOTES["Plan.md"])
        await copy.settle()
        assert await waiting(vault) == []
        (copy.folder / "Plan.md").rename(copy.folder / "Year.md")
        await copy.settle()
        (copy.folder / "Year.md").unlink()
        await copy.settle()
        assert await waiting(vault) == [("delete", "Plan.md", None)]


async def test_a_rename_outlives_a_restart_and_is_found_though_nobody_looked(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings(NOTES)
    folder = tmp_path / "copy"
    async with opened(settings, folder):
        pass
    (folder / "Plan.md").rename(folder / "Year.md")
    for _ in range(2):
        async with opened(settings, folder) as (vault, copy):
            assert await waiting(vault) == [("rename", "Plan.md", "Year.md")]
            assert {file.name for file in folder.iterdir()} == {"Year.md", "Home.md"}
            assert copy.note_of("Year.md") == "Plan.md"
    (folder / "Year.md").unlink()
    async with opened(settings, folder) as (vault, _):
        assert ("delete", "Plan.md", None) in await waiting(vault)


async def test_a_copy_that_was_emptied_is_filled_anew(make_settings: Make, tmp_path: Path):
    settings = make_settings(NOTES)
    async with opened(settings, tmp_path / "copy"):
        pass
    shutil.rmtree(tmp_path / "copy")
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        assert {file.name for file in copy.folder.iterdir()} == NOTES.keys()
        assert await waiting(vault) == []


async def test_a_name_that_no_note_can_have_and_an_old_name_that_is_used_again_are_told(
    make_settings: Make, tmp_path: Path
):
    async with opened(make_settings(NOTES), tmp_path / "copy") as (vault, copy):
        (copy.folder / "Plan.md").rename(copy.folder / "No # name.md")
        await copy.settle()
        await holds(copy.folder / "Plan.md", NOTES["Plan.md"])
        (copy.folder / "Plan.md").rename(copy.folder / "Year.md")
        await copy.settle()
        (copy.folder / "Plan.md").write_text("# Another\n")
        await copy.settle()
        assert "is decided" in copy.troubles["Plan.md"]
        [one] = await vault.permissions.waiting()
        await vault.permissions.approve(one.id, "ada")
        await holds(tmp_path / "vault/Plan.md", "{++# Another\n++}")
        assert await marked(vault, "Year.md") == NOTES["Plan.md"]


@pytest.mark.parametrize(
    ("gone", "fresh", "found"),
    [
        pytest.param({"a": (1, "x y")}, {"b": (1, "x y")}, {"b": "a"}, id="the same file"),
        pytest.param({"a": (1, "x y")}, {"b": (1, "x z")}, {"b": "a"}, id="edited"),
        pytest.param({"a": (1, "x y")}, {"b": (1, "p q")}, {}, id="a number used again"),
        pytest.param({"a": (1, "x y")}, {"b": (2, "x y")}, {"b": "a"}, id="the same text"),
        pytest.param({"a": (1, "x y")}, {"b": (2, "x z")}, {}, id="a like text"),
        pytest.param({"a": (1, " ")}, {"b": (2, " ")}, {}, id="nothing to tell by"),
        pytest.param({"a": (1, "x"), "c": (3, "x")}, {"b": (2, "x")}, {}, id="one of two"),
        pytest.param({"a": (1, "x")}, {"b": (2, "x"), "c": (3, "x")}, {}, id="two of one"),
        pytest.param(
            {"a": (1, "x"), "c": (3, "x")},
            {"b": (3, "x"), "d": (9, "x")},
            {"b": "c", "d": "a"},
            id="the file first, then the text",
        ),
    ],
)
def test_only_what_tells_plainly_is_a_rename(
    gone: dict[str, tuple[int, str]], fresh: dict[str, tuple[int, str]], found: dict[str, str]
):
    texts = {path: text for path, (_, text) in gone.items()}
    inodes = {path: inode for path, (inode, _) in gone.items()}
    files = [NewFile(path, inode, text) for path, (inode, text) in fresh.items()]
    assert paired(texts, inodes, files) == found
