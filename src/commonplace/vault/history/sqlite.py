"""The history in one SQLite file, `history.db`, with a thread of its own."""

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from commonplace.errors import Unavailable
from commonplace.vault.history import tables
from commonplace.vault.history.table_history import TableHistory
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.sqlite_engine import SqliteEngine


class SqliteHistory(TableHistory[sqlite3.Connection]):
    """A history in a file of its own."""

    def __init__(
        self, path: Path, *, connect: Callable[[Path], sqlite3.Connection] = tables.connect
    ) -> None:
        try:
            commits = Commits(SqliteEngine(partial(connect, path)), name="history")
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(f"The history could not be opened ({error}).") from None
        super().__init__(commits)

    async def _clear_away(self) -> None:
        """Empty the write-ahead file, which may hold old pages."""
        await self._commits.read(_clear_journal)


def _clear_journal(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
