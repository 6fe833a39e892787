"""Killed at random points, nothing that was acknowledged is lost and no file is torn."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.vault.faults.edit_process import KILLED
from tests.wait import empties

pytestmark = pytest.mark.slow

CYCLES = 40

Kill = Callable[[int, str, float], list[str]]


@contextmanager
def writers_to_kill(folder: Path, state: Path) -> Generator[Kill]:
    """Let writers start, kill them after some seconds, and return what they said was saved."""
    command = [sys.executable, "-m", "tests.vault.faults.edit_process", str(folder), str(state)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as processes:
        asked, told = processes.stdin, processes.stdout
        assert asked is not None
        assert told is not None

        def kill(first: int, kind: str, seconds: float) -> list[str]:
            asked.write(f"{first} {kind}\n")
            asked.flush()
            writers = int(told.readline())
            heard = [told.readline().strip()]
            assert heard[0] != KILLED, "the writers did not start"
            time.sleep(seconds)
            os.kill(writers, signal.SIGKILL)
            return heard + [line.strip() for line in iter(told.readline, f"{KILLED}\n")]

        yield kill


@pytest.fixture
def kill_writers(tmp_path: Path) -> Generator[Kill]:
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in ("0.md", "1.md"):
        (folder / name).write_text("start\n")
    with writers_to_kill(folder, tmp_path / "state") as kill:
        yield kill


async def mended(folder: Path, state: Path) -> dict[str, str]:
    """Open the vault again, let it mend, and return the notes."""
    settings = Settings((Root("vault", folder),), state)
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await empties(vault.notes.unmended)
        return {name: await vault.texts.accepted(name) for name in ("0.md", "1.md")}


def test_no_acknowledged_edit_is_lost_when_the_process_is_killed(
    tmp_path: Path, kill_writers: Kill
) -> None:
    folder, state = tmp_path / "vault", tmp_path / "state"
    rng = random.Random(4)
    acknowledged: list[str] = []
    for cycle in range(CYCLES):
        acknowledged += kill_writers(cycle * 1_000_000, "honest", rng.uniform(0.0, 0.7))
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


def test_an_early_acknowledgement_would_be_caught(tmp_path: Path, kill_writers: Kill) -> None:
    """The control: the same harness, with writers that speak too soon."""
    folder, state = tmp_path / "vault", tmp_path / "state"
    acknowledged: list[str] = []
    for cycle in range(10):
        acknowledged += kill_writers(cycle * 1_000_000, "early", 0.1 + cycle * 0.03)
    notes = anyio.run(mended, folder, state)
    words = {line.split(" ")[0] for text in notes.values() for line in text.splitlines()}
    assert set(acknowledged) - words
