"""Processes to be killed: each renames one note back and forth, and first tells its number.

Run as `python -m tests.vault.notes.rename_process FOLDER STATE`. Each line of input asks for one
more, forked while this process has a single thread, so that thirty of them start in little time.
When one was killed, that is told as well.
"""

import os
import sys
from pathlib import Path

import anyio

from commonplace.core.text.edits import Edit
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

NAMES = ("Hub.md", "deep/Other Hub.md")


async def main(folder: str, state: str) -> None:
    settings = Settings((Root("vault", Path(folder)),), Path(state))
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await vault.notes.edit(
            "n000.md", lambda text: [Edit(len(text), len(text), ".")], "person:ana"
        )
        old, new = NAMES if (Path(folder) / NAMES[0]).exists() else NAMES[::-1]
        sys.stdout.write(f"{os.getpid()}\n")
        sys.stdout.flush()
        while True:
            await vault.renames.rename(old, new, "person:ana")
            old, new = new, old


if __name__ == "__main__":
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            anyio.run(main, sys.argv[1], sys.argv[2])
        os.waitpid(child, 0)
        sys.stdout.write("killed\n")
        sys.stdout.flush()
