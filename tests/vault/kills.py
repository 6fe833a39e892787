"""Kills of processes that change many notes, spread over all that such a change does.

A few of a few notes in each run; `COMMONPLACE_KILLS=1000 COMMONPLACE_KILL_NOTES=200` for a thousand
over two hundred, best in memory (`--basetemp /dev/shm/kills`). They are spread evenly however many
they are: `COMMONPLACE_KILL_FIRST=1000` goes on from there, at other acts.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonplace.vault.history.intents import Intents

NOTES = int(os.environ.get("COMMONPLACE_KILL_NOTES", "4"))
KILLS = int(os.environ.get("COMMONPLACE_KILLS", "5"))
FIRST = int(os.environ.get("COMMONPLACE_KILL_FIRST", "0"))
_GOLDEN = 0.6180339887498949
"""The parts after the point of its multiples lie evenly between 0 and 1, however many they are."""
MORE = 2**40  # than there are acts

Kill = Callable[[Path, str, int], str]


@contextmanager
def processes() -> Generator[Kill]:
    """Give a function that lets a process work in a vault and die on the way, and tells how."""
    command = [sys.executable, "-m", "tests.vault.kill_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        asked, told = server.stdin, server.stdout
        assert asked is not None
        assert told is not None

        def one(folder: Path, what: str, at: int = MORE) -> str:
            asked.write(f"{folder} {what} {at}\n".encode())
            asked.flush()
            return told.readline().decode().strip()

        yield one
        asked.close()


@pytest.fixture
def kill() -> Generator[Kill]:
    with processes() as one:
        yield one


def copied(first: Path, folder: Path) -> Path:
    """Copy a vault with its state; give the notes other names of the same files.

    So the copy is as current as the vault is, and nothing has to be read anew. Notes are put into
    the place of others and never written where they lie, so that the first vault stays as it is.
    """
    shutil.copytree(first / "state", folder / "state")
    shutil.copytree(first / "vault", folder / "vault", copy_function=os.link)
    return folder


def held(folder: Path) -> dict[str, bytes]:
    """Return what the files of a vault hold."""
    return {str(each): each.read_bytes() for each in (folder / "vault").rglob("*.md")}


def spread(kill: Kill, first: Path, top: Path, what: str) -> Iterator[tuple[int, Path, str]]:
    """Kill as often as is wanted, each time in a copy, which is removed afterwards.

    Give the act, the copy and what came of it: how many acts there are depends on the moment, so
    that a few of the last ones are not reached.
    """
    before = held(first)
    acts = int(kill(copied(first, top / "whole"), what, MORE).split()[1])
    killed, number = 0, FIRST
    while killed < KILLS:
        at = int(number * _GOLDEN % 1 * acts)
        folder = copied(first, top / str(number))
        ended = kill(folder, what, at).split()[0]
        yield at, folder, ended
        shutil.rmtree(folder)
        killed += ended == "killed"
        number += 1
        assert number <= FIRST + 2 * KILLS, f"only {killed} were killed"
    assert held(first) == before


async def forget_recovery(_: Intents, *, late: bool = False) -> None:
    """Do nothing: the control."""
