"""A process to be killed: four writers edit two notes and say each word that was acknowledged.

Run as `python -m tests.vault.crashing FOLDER STATE FIRST early|honest`. An *early* one says a word
before it is saved: the control, which must be caught losing some.
"""

import sys
from functools import partial
from pathlib import Path

import anyio

from commonplace.core.edits import Edit
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault


async def write(vault: Vault, writer: int, first: int, *, early: bool) -> None:
    note = f"{writer % 2}.md"
    for number in range(first, first + 100_000):
        word = f"w{writer}-{number}"
        if early:
            say(word)
        await vault.edit(note, lambda text, w=word: [Edit(len(text), len(text), f"{w} é😀\n")], "x")
        if not early:
            say(word)


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


async def main(folder: str, state: str, first: str, kind: str) -> None:
    settings = Settings((Root("vault", Path(folder)),), Path(state))
    async with Vault.open(settings) as vault, anyio.create_task_group() as tasks:
        for writer in range(4):
            tasks.start_soon(partial(write, vault, writer, int(first), early=kind == "early"))


if __name__ == "__main__":
    folder, state, first, kind = sys.argv[1:]
    anyio.run(main, folder, state, first, kind)
