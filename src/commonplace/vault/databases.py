"""Where a vault keeps what it must not lose: files of SQLite, or a team's PostgreSQL."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from commonplace.vault.files.backing_store import NO_BACKING_STORE, BackingStore
from commonplace.vault.history.history import History
from commonplace.vault.history.sqlite import SqliteHistory
from commonplace.vault.lease.lease import Lease
from commonplace.vault.log.log import Log
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.settings import Root, Settings

if TYPE_CHECKING:
    from commonplace.vault.postgres.pool import Pool
    from commonplace.vault.team_files.team_files import TeamFiles


@dataclass(frozen=True, slots=True)
class Databases:
    """Where a vault keeps what it must not lose."""

    log: Log
    history: History
    backing_store: BackingStore = NO_BACKING_STORE
    """Who keeps what the files hold: asked before each change of one."""
    files: "TeamFiles | None" = None
    lease: Lease | None = None
    """What a team's vault is owned under."""


OpenDatabases = Callable[[], Awaitable[Databases]]


def local_databases(settings: Settings) -> Databases:
    """Open the files of SQLite in the state folder."""
    log = SqliteLog(settings.state / "live.db")
    return Databases(log, SqliteHistory(settings.state / "history.db"))


def named_alike(settings: Settings, source: "str | Pool", vault: str) -> Settings:
    """Call the one folder of this node what it is called in the database, whatever it is here."""
    from commonplace.vault.log.postgres import root_names

    names = root_names(source, vault)
    if settings.several_roots or len(names) != 1:
        return settings
    return replace(settings, roots=(Root(names[0], settings.roots[0].path),))


async def team_databases(source: "str | Pool", lease: Lease, settings: Settings) -> Databases:
    """Open a team's vault in PostgreSQL, and bring the folder of this node to what is there.

    All vaults of a node share one pool of connections. When the lease is lost, whatever waits for
    the database fails.
    """
    from commonplace.vault.history.postgres import PostgresHistory
    from commonplace.vault.log.postgres import PostgresLog
    from commonplace.vault.team_files.team_files import TeamFiles

    async with AsyncExitStack() as on_failure:
        files = await TeamFiles.open(source, lease, settings)
        on_failure.push_async_callback(files.close)
        log = await anyio.to_thread.run_sync(PostgresLog, source, lease)
        on_failure.push_async_callback(log.close)
        history = await anyio.to_thread.run_sync(PostgresHistory, source, lease)
        on_failure.pop_all()
    lease.follow(log.sever)
    lease.follow(history.sever)
    return Databases(log, history, files.copy, files, lease)
