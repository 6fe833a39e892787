"""Processes to be killed: each decides, approves or undoes in many notes, and dies at a statement.

Run as `python -m tests.vault.history.kill_process`. Each line of input is `FOLDER STATE WHAT AT`:
one more process is forked, while this one has a single thread, which opens that vault, does `WHAT`
(`decide`, `reject`, `approve` or `undo`) and kills itself with SIGKILL before the statement number
`AT` that the log or the history is asked for from then on; the answer is `killed`, or, if there
were fewer, `done` and their number.
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio

from commonplace.vault.history.sqlite import SqliteHistory
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

AUTHOR = "assistant:Claude"


class Bomb:
    """Counts statements once it is armed."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.seen = 0
        self.armed = False

    def __call__(self, _: str) -> None:
        if self.armed:
            if self.seen >= self.at:
                os.kill(os.getpid(), signal.SIGKILL)
            self.seen += 1


Connect = Callable[[Path], sqlite3.Connection]


def place(bomb: Bomb) -> None:
    """Let it see what both databases are asked; they bind `connect` as a default on import."""
    for database in (SqliteLog, SqliteHistory):
        defaults = database.__init__.__kwdefaults__
        assert defaults
        defaults["connect"] = partial(watched, defaults["connect"], bomb)


def watched(
    connect: Callable[[Path], sqlite3.Connection], bomb: Bomb, path: Path
) -> sqlite3.Connection:
    connection = connect(path)
    connection.set_trace_callback(bomb)
    return connection


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
            place(bomb)
            if os.environ.get("COMMONPLACE_KILL_NOTES") is None:
                one_by_one()
            anyio.run(main, folder, state, what, bomb)
            os.write(1, f"done {bomb.seen}\n".encode())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            os.write(1, b"killed\n")
