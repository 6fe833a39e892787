"""A process to be killed: it renames one note back and forth and says when each is done.

Run as `python -m tests.vault.renamed_forever FOLDER STATE`.
"""

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
        sys.stdout.write("go\n")
        sys.stdout.flush()
        while True:
            await vault.rename(old, new, "person:ana")
            old, new = new, old


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2])
