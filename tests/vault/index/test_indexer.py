"""The one feed of file changes: each is told once, whoever made it and whoever tells of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.wait import eventually, holds

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]


async def hear_all(vault: Vault, folder: Path, told: list[NoteChange]) -> list[NoteChange]:
    """Wait until the watcher told of a file that is written now; return what was told before."""
    marker = f"marker {len(told)}.md"
    write(folder, {marker: "x\n"})
    await eventually(lambda: NoteChange(marker, "appeared") in told)
    await vault.indexer.update(["a.md", "b.md", "c.md"])  # asked for again: nothing is new
    await vault.indexer.refresh()  # and a rescan finds nothing that was not told
    return [change for change in told if not change.path.startswith("marker")]


async def test_our_own_write_is_told_once_though_the_watcher_sees_it_too(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "old\n"})
    folder = settings.roots[0].path
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        told: list[NoteChange] = []
        vault.contents.follow(told.append)
        await vault.notes.edit(
            "a.md", lambda text: [Edit(len(text), len(text), "new\n")], "person:x"
        )
        await holds(folder / "a.md", "old\nnew\n")
        await eventually(lambda: NoteChange("a.md", "changed") in told)
        assert await hear_all(vault, folder, told) == [NoteChange("a.md", "changed")]


async def test_what_other_programs_do_is_told_once(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "old\n", "b.md": "to be renamed\n"})
    folder = settings.roots[0].path
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        told: list[NoteChange] = []
        vault.contents.follow(told.append)
        write(folder, {".a.tmp": "saved by another program\n"})  # whole at once: one change
        (folder / ".a.tmp").rename(folder / "a.md")
        (folder / "b.md").rename(folder / "c.md")
        heard = await hear_all(vault, folder, told)
        assert sorted(heard, key=lambda change: change.path) == [
            NoteChange("a.md", "changed"),
            NoteChange("b.md", "gone"),
            NoteChange("c.md", "appeared", "b.md"),
        ]
