"""A full disk: nothing is acknowledged that is not saved, and all goes on when there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Unavailable
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.wait import eventually

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk"),
]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], check=True)
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Take all the room that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


async def add(vault: Vault, line: str) -> None:
    await vault.notes.edit(
        "a.md", lambda text: [Edit(len(text), len(text), line + "\n")], "person:x"
    )


async def _added(vault: Vault, line: str) -> bool:
    """Tell whether a line could be added now."""
    try:
        await add(vault, line)
    except Unavailable:
        return False
    return True


async def test_no_edit_is_acknowledged_that_the_log_could_not_save(
    tmp_path: Path, small_disk: Path
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("start\n")
    settings = Settings((Root("vault", tmp_path / "vault"),), small_disk / "state")
    saved = ["start"]
    refused = 0
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await add(vault, "before")
        saved.append("before")
        ballast = fill(small_disk)
        for n in range(200):
            line = f"{n} " + "y" * 500
            try:
                await add(vault, line)
                saved.append(line)
            except Unavailable:
                refused += 1
        assert refused
        ballast.unlink()
        await eventually(lambda: _added(vault, "after"))
        saved.append("after")
        assert (await vault.texts.accepted("a.md")).splitlines() == saved
    async with open_vault(settings) as vault:
        assert (await vault.texts.accepted("a.md")).splitlines() == saved


async def test_edits_are_kept_while_the_notes_disk_is_full_and_written_later(
    tmp_path: Path, small_disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (small_disk / "a.md").write_text("start\n")
    settings = Settings((Root("vault", small_disk),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        ballast = fill(small_disk)
        await add(vault, "typed while full")
        await vault.notes.queue.flush_all()
        assert "file cannot be written" in caplog.text
        assert (small_disk / "a.md").read_text() == "start\n"
        assert await vault.texts.accepted("a.md") == "start\ntyped while full\n"
        ballast.unlink()
        await eventually(lambda: (small_disk / "a.md").read_text() == "start\ntyped while full\n")
    assert [p.name for p in small_disk.iterdir()] == ["a.md"]


async def test_the_links_of_a_rename_follow_when_there_is_room_again(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.vault.notes.durable_renames.LINKS_RETRY_SECONDS", 0.1)
    folder = small_disk / "vault"
    folder.mkdir()
    (folder / "Old.md").write_text("# Old\n")
    for number in range(5):
        (folder / f"n{number}.md").write_text("[[Old]] " + "x" * 5_000)
    settings = Settings((Root("vault", folder),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        ballast = fill(small_disk)
        renamed = await vault.renames.rename("Old.md", "New.md", "person:x")
        assert len(renamed.left) == 5
        assert all("follow" in each for each in renamed.left)
        ballast.unlink()
        await eventually(
            lambda: all("[[Old]]" not in note.read_text() for note in folder.glob("n*.md"))
        )


async def test_the_links_of_a_rename_follow_after_a_restart(
    tmp_path: Path, small_disk: Path
) -> None:
    folder = small_disk / "vault"
    folder.mkdir()
    (folder / "Old.md").write_text("# Old\n")
    (folder / "a.md").write_text("[[Old]] " + "x" * 5_000)
    settings = Settings((Root("vault", folder),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        ballast = fill(small_disk)
        await vault.renames.rename("Old.md", "New.md", "person:x")
    assert "[[Old]]" in (folder / "a.md").read_text()
    ballast.unlink()
    async with open_vault(settings) as vault:
        assert "[[New]]" in (folder / "a.md").read_text()
