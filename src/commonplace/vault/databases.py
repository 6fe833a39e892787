"""Where a vault keeps what it must not lose: files of SQLite, or a team's PostgreSQL."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from commonplace.errors import Unavailable
from commonplace.vault.files.writer import Permit, always
from commonplace.vault.history.history import History
from commonplace.vault.history.sqlite import SqliteHistory
from commonplace.vault.lease.lease import Lease
from commonplace.vault.log.log import Log
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.vault.postgres.pool import Pool


@dataclass(frozen=True, slots=True)
class Databases:
    """Where a vault keeps what it must not lose."""

    log: Log
    history: History
    permit: Permit = always
    """Asked before each change of a file."""
    lease: Lease | None = None
    """What a team's vault is owned under."""


OpenDatabases = Callable[[], Awaitable[Databases]]


def local_databases(settings: Settings) -> Databases:
    """Open the files of SQLite in the state folder."""
    log = SqliteLog(settings.state / "live.db")
    return Databases(log, SqliteHistory(settings.state / "history.db"))


async def team_databases(source: "str | Pool", lease: Lease) -> Databases:
    """Open a team's vault in PostgreSQL; when the lease is lost, whatever waits there fails.

    All vaults of a node share one pool of connections.
    """
    from commonplace.vault.history.postgres import PostgresHistory
    from commonplace.vault.log.postgres import PostgresLog

    log = await anyio.to_thread.run_sync(PostgresLog, source, lease)
    try:
        history = await anyio.to_thread.run_sync(PostgresHistory, source, lease)
    except BaseException:
        await log.close()
        raise
    lease.follow(log.sever)
    lease.follow(history.sever)
    return Databases(log, history, partial(_permit, lease), lease)


def _permit(lease: Lease) -> None:
    # By this machine's monotonic clock, which runs on while a process is stopped.
    if lease.is_lost:
        raise Unavailable("Another node may have this vault by now: nothing was written.")
