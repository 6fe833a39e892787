"""Processes to be killed: each decides, approves or undoes in many notes, and dies on the way.

Run as `python -m tests.vault.kill_process`. Each line of input is `FOLDER WHAT AT`: one more
process is forked, while this one has a single thread, which opens the vault there, does `WHAT` and
kills itself with SIGKILL before the act number `AT` from then on: a statement that the log or the
history is asked for, or a change to a file or a folder. The answer is `killed`, or, if there were
fewer, `done`, the number of acts, and the seconds that they took by the clock and of the processor.
"""

import gc
import os
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import anyio

from commonplace.vault.history.sqlite import SqliteHistory
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.vault.sets.deciding import everything, settings
from tests.wait import until

AUTHOR = "assistant:Claude"
_FILE_ACTS = frozenset({"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir"})
_WRITING = os.O_WRONLY | os.O_RDWR

Work = Callable[[], Awaitable[object]]


class Bomb:
    """Counts acts once it is armed."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.seen = 0
        self.armed = False

    def act(self, *_: object) -> None:
        if self.armed:
            if self.seen >= self.at:
                os.kill(os.getpid(), signal.SIGKILL)
            self.seen += 1

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        """Hear of everything that Python asks the system for."""
        if not self.armed:
            return
        if event in _FILE_ACTS:
            self.act()
        elif event == "open":
            flags = arguments[2]
            if isinstance(flags, int) and flags & _WRITING:
                self.act()


Connect = Callable[[Path], sqlite3.Connection]


def place(bomb: Bomb) -> None:
    """Let it see what both databases are asked; they bind `connect` as a default on import."""
    for database in (SqliteLog, SqliteHistory):
        defaults = database.__init__.__kwdefaults__
        assert defaults
        defaults["connect"] = partial(watched, defaults["connect"], bomb)
    sys.addaudithook(bomb.hear)


def watched(
    connect: Callable[[Path], sqlite3.Connection], bomb: Bomb, path: Path
) -> sqlite3.Connection:
    connection = connect(path)
    connection.set_trace_callback(bomb.act)
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


async def prepare(vault: Vault, what: str) -> Work:
    """Return what is to be done, with all that a person would have seen before."""
    match what:
        case "set":
            chosen = await everything(vault)
            return partial(vault.sets.decisions.decide, 1, "accept", chosen, "Ann")
        case "approve":
            waiting = [one.id for one in await vault.permissions.waiting()]
            return partial(vault.sets.answers.give, "Ann", waiting)
        case "undo":
            return partial(vault.undo.undo, "Ann", by=AUTHOR)
        case _:
            verdict = "accept" if what == "decide" else "reject"
            return partial(vault.review.decide, verdict, await pending(vault), "Ann")


async def main(folder: Path, what: str, bomb: Bomb) -> tuple[float, float]:
    """Do it; return the seconds that it took."""
    async with open_vault(settings(folder), follow=what == "set") as vault:
        await (vault.indexer.settled() if what == "set" else vault.indexer.refresh())
        work = await prepare(vault, what)
        began, cpu = time.perf_counter(), time.process_time()
        bomb.armed = True
        await work()
        bomb.armed = False
        return time.perf_counter() - began, time.process_time() - cpu


async def _open_once(folder: Path) -> None:
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()


def warm_up() -> None:
    """Load all that a vault loads late, so that no process has to do it again."""
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_open_once, Path(folder))
    until(lambda: threading.active_count() == 1)  # a fork takes no other thread along
    gc.freeze()


def run(folder: str, what: str, at: str) -> None:
    """Be one of the processes."""
    bomb = Bomb(int(at))
    place(bomb)
    if os.environ.get("COMMONPLACE_KILL_NOTES") is None:
        one_by_one()
    took = anyio.run(main, Path(folder), what, bomb)
    os.write(1, b"done %d %.3f %.3f\n" % (bomb.seen, *took))


if __name__ == "__main__":
    warm_up()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(*line.split())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            os.write(1, b"killed\n")
