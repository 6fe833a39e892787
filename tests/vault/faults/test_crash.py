"""Killed at random points, nothing that was acknowledged is lost and no file is torn."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.slow

CYCLES = 40


def killed(folder: Path, state: Path, first: int, kind: str, seconds: float) -> list[str]:
    """Run the writers, kill them, and return the words that were acknowledged."""
    command = [
        sys.executable,
        "-m",
        "tests.vault.crashing",
        str(folder),
        str(state),
        str(first),
        kind,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    heard = [process.stdout.readline().strip()]
    assert heard[0], "the writers did not start"
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    heard += [line.strip() for line in process.stdout if line.endswith("\n")]
    process.wait()
    process.stdout.close()
    return heard


async def mended(folder: Path, state: Path) -> dict[str, str]:
    """Open the vault again, let it mend, and return the notes."""
    settings = Settings((Root("vault", folder),), state)
    async with Vault.open(settings) as vault:
        await vault.settled()
        with anyio.fail_after(20):
            while await vault.shelf.unmended():
                await anyio.sleep(0.02)
        return {name: await vault.text(name) for name in ("0.md", "1.md")}


def test_no_acknowledged_edit_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    folder, state = tmp_path / "vault", tmp_path / "state"
    folder.mkdir()
    for name in ("0.md", "1.md"):
        (folder / name).write_text("start\n")
    rng = random.Random(4)
    acknowledged: list[str] = []
    for cycle in range(CYCLES):
        acknowledged += killed(folder, state, cycle * 1_000_000, "honest", rng.uniform(0.0, 0.7))
        if cycle % 8 == 7:
            notes = anyio.run(mended, folder, state)
            for name, text in notes.items():
                assert (folder / name).read_text() == text
            words = {line.split(" ")[0] for text in notes.values() for line in text.splitlines()}
            assert not set(acknowledged) - words - {"start"}
            lines = [line for text in notes.values() for line in text.splitlines()]
            assert len(lines) == len(set(lines)) + 1  # each once, and "start" in both
            assert all(line == "start" or line.endswith(" é😀") for line in lines)
    assert len(acknowledged) > CYCLES * 10
    assert sorted(p.name for p in folder.iterdir()) == ["0.md", "1.md"]
    with sqlite3.connect(state / "live.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_early_acknowledgement_would_be_caught(tmp_path: Path) -> None:
    """The control: the same harness, with writers that speak too soon."""
    folder, state = tmp_path / "vault", tmp_path / "state"
    folder.mkdir()
    for name in ("0.md", "1.md"):
        (folder / name).write_text("start\n")
    acknowledged: list[str] = []
    for cycle in range(10):
        acknowledged += killed(folder, state, cycle * 1_000_000, "early", 0.1 + cycle * 0.03)
    notes = anyio.run(mended, folder, state)
    words = {line.split(" ")[0] for text in notes.values() for line in text.splitlines()}
    assert set(acknowledged) - words
