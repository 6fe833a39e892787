"""Processes to be killed: each decides, approves or undoes in many notes, and dies at a statement.

Run as `python -m tests.vault.history.kill_process`. Each line of input is `FOLDER STATE WHAT AT`:
one more process is forked, while this one has a single thread, which opens that vault, does `WHAT`
(`decide`, `reject`, `approve` or `undo`) and kills itself with SIGKILL before the statement number
`AT` that the log is asked for from then on; the answer is `killed`, or `done` if there were fewer.
"""

import os
import signal
import sqlite3
import sys
from pathlib import Path

import anyio

from commonplace.vault.log import sqlite_tables
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

AUTHOR = "assistant:Claude"


class Bomb:
    """Counts statements once it is armed."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.armed = False

    def __call__(self, _: str) -> None:
        if self.armed:
            self.left -= 1
            if self.left < 0:
                os.kill(os.getpid(), signal.SIGKILL)


def connecting(bomb: Bomb) -> None:
    connect = sqlite_tables.connect

    def watched(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.set_trace_callback(bomb)
        return connection

    # the log binds it as a default when it is imported
    from commonplace.vault.log.sqlite import SqliteLog

    assert SqliteLog.__init__.__kwdefaults__
    SqliteLog.__init__.__kwdefaults__["connect"] = watched


def one_by_one() -> None:
    """Let each note be a commit of its own, so that a kill falls between two of a few."""
    from commonplace.vault.history import intents

    intents.TOGETHER_MAX = 1


async def pending(vault: Vault) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in await vault.pending.listed():
        found.setdefault(one.path, []).append(one.id)
    return found


async def main(folder: str, state: str, what: str, bomb: Bomb) -> None:
    settings = Settings((Root("vault", Path(folder)),), Path(state))
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        chosen = await pending(vault)
        waiting = [one.id for one in await vault.permissions.waiting()]
        bomb.armed = True
        if what == "approve":
            await vault.sets.answers.give("Ann", waiting)
        elif what in ("decide", "reject"):
            await vault.review.decide("accept" if what == "decide" else "reject", chosen, "Ann")
        else:
            await vault.undo.undo("Ann", by=AUTHOR)
        bomb.armed = False


if __name__ == "__main__":
    for line in sys.stdin:
        folder, state, what, at = line.split()
        child = os.fork()
        if child == 0:
            bomb = Bomb(int(at))
            connecting(bomb)
            if os.environ.get("COMMONPLACE_KILL_NOTES") is None:
                one_by_one()
            anyio.run(main, folder, state, what, bomb)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write("killed\n" if os.WIFSIGNALED(status) else "done\n")
        sys.stdout.flush()
