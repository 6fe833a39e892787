"""A process whose disk fails now and then: it edits a note and says what came of each edit.

Run as `python -m tests.vault.faults.failing_disk FOLDER STATE EDITS early|honest`. Each line is
`yes WORD` or `no WORD`. An *early* one says yes before the edit is saved: the control, which must
be caught.
"""

import sys
from pathlib import Path

import anyio

from commonplace.core.text.edits import Edit
from commonplace.errors import Unavailable
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.wait import eventually


async def write(vault: Vault, word: str, *, early: bool) -> bool:
    if early:
        say("yes", word)
    try:
        await vault.notes.edit("a.md", lambda text: [Edit(len(text), len(text), word + "\n")], "x")
    except Unavailable:
        if not early:
            say("no", word)
        return False
    if not early:
        say("yes", word)
    return True


def say(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


async def main(folder: str, state: str, edits: str, kind: str) -> None:
    settings = Settings((Root("vault", Path(folder)),), Path(state))
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        say("ready")
        for number in range(int(edits)):
            await write(vault, f"w{number}", early=kind == "early")
            await anyio.sleep(0.005)
        await eventually(lambda: write(vault, "last", early=False))  # it works again, by itself
        await vault.notes.queue.flush_all()
        await eventually(lambda: not vault.notes.queue.ids())


if __name__ == "__main__":
    folder, state, edits, kind = sys.argv[1:]
    anyio.run(main, folder, state, edits, kind)
