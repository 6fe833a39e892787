"""The log in one SQLite file, `live.db`."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from commonplace.errors import Unavailable
from commonplace.vault.log import database, sqlite_tables
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.sqlite_engine import SqliteEngine
from commonplace.vault.log.table_log import TableLog, new_id


class SqliteLog(TableLog[sqlite3.Connection]):
    """A log in a file of its own."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_id,
        connect: Callable[[Path], sqlite3.Connection] = sqlite_tables.connect,
    ) -> None:
        try:
            file = _LogFile(path, connect)
            commits = Commits(SqliteEngine(file.connect, file.check))
        except sqlite3.Error as error:
            raise Unavailable(f"The log could not be opened ({error}).") from None
        except OSError as error:
            raise Unavailable(f"The log could not be opened ({error.strerror}).") from None
        super().__init__(commits, sqlite_tables.append, clock=clock, new_id=new_id)

    async def scrub(self) -> None:
        """Leave nothing readable of what was deleted or replaced."""
        await self._commits.read(database.scrub)

    async def sound(self) -> str | None:
        """Check the file; None when it is whole, else what is wrong."""
        return await self._commits.read(sqlite_tables.sound)


class _LogFile:
    """The log's file: the one that was opened first, and no other of its name.

    SQLite goes on writing to a file that was deleted, and whoever is told that an edit is saved
    would lose it.
    """

    def __init__(self, path: Path, connect: Callable[[Path], sqlite3.Connection]) -> None:
        self._path = path
        self._connect = connect
        self._identity: tuple[int, int] | None = None

    def connect(self) -> sqlite3.Connection:
        """Open it, the first time or again."""
        if self._identity is not None:
            self.check()
        connection = self._connect(self._path)
        self._identity = self._look()
        return connection

    def check(self) -> None:
        """Refuse to go on with a file that is not where it was."""
        if self._look() != self._identity:
            raise Unavailable(
                "its file was removed or replaced: put it back, or restart the server"
            )

    def _look(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino
