"""Processes to be killed: in each, four writers edit two notes and say what was acknowledged.

Run as `python -m tests.vault.faults.edit_process FOLDER STATE`. Each line of input, `FIRST honest`
or `FIRST early`, asks for one more, forked while this process has a single thread, so that forty of
them start in little time. It first tells its number; when it was killed, that is told as well. An
*early* one says a word before it is saved: the control, which must be caught losing some.
"""

import os
import sys
from functools import partial
from pathlib import Path

import anyio

from commonplace.core.text.edits import Edit
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

KILLED = "killed"


async def write(vault: Vault, writer: int, first: int, *, early: bool) -> None:
    note = f"{writer % 2}.md"
    for number in range(first, first + 100_000):
        word = f"w{writer}-{number}"
        if early:
            say(word)
        await vault.notes.edit(
            note, lambda text, w=word: [Edit(len(text), len(text), f"{w} é😀\n")], "x"
        )
        if not early:
            say(word)


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


async def main(folder: str, state: str, first: str, kind: str) -> None:
    settings = Settings((Root("vault", Path(folder)),), Path(state))
    async with open_vault(settings) as vault, anyio.create_task_group() as tasks:
        for writer in range(4):
            tasks.start_soon(partial(write, vault, writer, int(first), early=kind == "early"))


if __name__ == "__main__":
    _, folder, state = sys.argv
    for line in sys.stdin:
        first, kind = line.split()
        child = os.fork()
        if child == 0:
            say(str(os.getpid()))
            anyio.run(main, folder, state, first, kind)
        os.waitpid(child, 0)
        say(KILLED)
