"""Processes to be killed: each renames one note back and forth, and first tells its number.

Run as `python -m tests.vault.renamed_forever FOLDER STATE`. Each line of input asks for one more,
forked while this process has a single thread, so that thirty of them start in little time. When
one was killed, that is told as well.
"""

import os
import sys
from pathlib import Path

import anyio

from commonplace.core.edits import Edit
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

NAMES = ("Hub.md", "deep/Other Hub.md")


async def main(folder: str, state: str) -> None:
    settings = Settings((Root("vault", Path(folder)),), Path(state))
    async with Vault.open(settings) as vault:
        await vault.settled()
        await vault.edit("n000.md", lambda text: [Edit(len(text), len(text), ".")], "person:ana")
        old, new = NAMES if (Path(folder) / NAMES[0]).exists() else NAMES[::-1]
        sys.stdout.write(f"{os.getpid()}\n")
        sys.stdout.flush()
        while True:
            await vault.rename(old, new, "person:ana")
            old, new = new, old


if __name__ == "__main__":
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            anyio.run(main, sys.argv[1], sys.argv[2])
        os.waitpid(child, 0)
        sys.stdout.write("killed\n")
        sys.stdout.flush()
