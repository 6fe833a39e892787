"""Owners to be killed: each changes many notes over PostgreSQL, and dies in the middle of it.

Run as `python -m tests.engines.postgres.kill_process`. Each line of input is JSON: the database
`url`, the `folder`, `what` to do (`decide`, `rename` or `compact`), how many steps are made
`before` it kills itself with SIGKILL, and whether it is `careless`, the control: then nothing is
put on record first, and a compaction is no transaction. One more process is forked for each, while
this one has a single thread; the answer is `killed`, or `done` if there were fewer steps.
"""

import json
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from commonplace.vault.databases import team_databases
from commonplace.vault.files import batch
from commonplace.vault.history import intents
from commonplace.vault.lease.leases import Leases
from commonplace.vault.log import table_log, tables
from commonplace.vault.log.log import Record
from commonplace.vault.log.postgres import PostgresLog
from commonplace.vault.notes.durable_renames import RENAME_KIND as RENAME
from commonplace.vault.open import open_vault
from commonplace.vault.postgres.connection import Connection
from commonplace.vault.settings import Root, Settings
from commonplace.vault.team_files.team_copy import TeamCopy

LONG = 300.0
NAMES = ("Hub.md", "deep/Other Hub.md")


class Bomb:
    """Counts the steps of a change once it is armed."""

    def __init__(self, before: int) -> None:
        self.left = before
        self.armed = False

    def step(self) -> None:
        if self.armed:
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self.left -= 1


def watch_updates(bomb: Bomb) -> None:
    """Let each update that is put into the log be a step, and a commit of its own."""
    intents.TOGETHER_MAX = 1
    execute = Connection.execute

    def watched(self: Connection, statement: str, parameters: Sequence[Any] = (), /) -> Any:
        if statement.startswith("INSERT INTO updates"):
            bomb.step()
        return execute(self, statement, parameters)

    Connection.execute = watched


def watch_files(bomb: Bomb) -> None:
    """Let each commit of changed files be a step, and each file that then changes here."""
    exchange, put = batch._Swap.exchange, TeamCopy._put

    def watched(self: batch._Swap) -> None:
        bomb.step()
        exchange(self)

    def put_watched(self: TeamCopy, *words: Any, **given: Any) -> None:
        bomb.step()
        put(self, *words, **given)

    batch._Swap.exchange = watched
    TeamCopy._put = put_watched


def watch_compaction(bomb: Bomb) -> None:
    """Let each statement of a compaction be a step."""
    compact = tables.compact

    def watched(db: Connection, **given: Any) -> None:
        execute = db.execute

        def counted(*words: Any) -> Any:
            bomb.step()
            return execute(*words)

        db.execute = counted
        try:
            compact(db, **given)
        finally:
            del db.execute

    table_log.tables.compact = watched


def put_nothing_on_record() -> None:
    """The control: what is begun is not known to the next owner."""
    put_records, put_record = PostgresLog.put_records, PostgresLog.put_record

    async def forget_some(self: PostgresLog, records: Sequence[Record]) -> None:
        await put_records(self, [each for each in records if each.kind != intents.INTENT])

    async def forget(self: PostgresLog, kind: str, key: str, value: str | None) -> None:
        if kind != RENAME:
            await put_record(self, kind, key, value)

    PostgresLog.put_records, PostgresLog.put_record = forget_some, forget


def compact_carelessly(db: Connection, doc: str, upto: int, state: bytes, now: float) -> None:
    """The control: what a snapshot replaces is gone for good before it is there."""
    db.execute("DELETE FROM updates WHERE doc = ? AND seq <= ?", (doc, upto))
    db.raw.execute("COMMIT")
    db.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?)", (doc, upto, state, now))


async def main(url: str, folder: Path, what: str, bomb: Bomb) -> None:
    own = folder / f"killed {os.getpid()}"
    (own / "notes").mkdir(parents=True)
    settings = Settings((Root("notes", own / "notes"),), own / "state")
    async with Leases(url, "killed", seconds=LONG) as leases:
        lease = await leases.claim("team")
        assert lease is not None
        databases = await team_databases(url, lease, settings)
        async with open_vault(settings, follow=False, databases=databases) as vault:
            await vault.indexer.refresh()
            chosen: dict[str, list[str]] = {}
            for one in await vault.pending.listed():
                chosen.setdefault(one.path, []).append(one.id)
            bomb.armed = True
            if what == "decide":
                await vault.review.decide("accept", chosen, "Ann")
            elif what == "rename":
                await vault.renames.rename(*NAMES, "person:Ann")
            else:
                await vault.notes.documents.compact(await vault.notes.ids.id_of("n000.md"))
            bomb.armed = False


def begin(asked: dict[str, Any]) -> None:
    bomb = Bomb(asked["before"])
    if asked["careless"]:
        put_nothing_on_record()
        tables.compact = compact_carelessly
    watches = {"decide": watch_updates, "rename": watch_files, "compact": watch_compaction}
    watches[asked["what"]](bomb)
    anyio.run(partial(main, asked["url"], Path(asked["folder"]), asked["what"], bomb))


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            begin(json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        told = "killed" if os.WIFSIGNALED(status) else f"done {os.waitstatus_to_exitcode(status)}"
        sys.stdout.write(f"{told}\n")
        sys.stdout.flush()
