"""Transactions on a file of SQLite."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

from commonplace.errors import Unavailable


class SqliteEngine:
    """A file, by what opens it; `check` raises if it is not to be written any more."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.connect = connect
        self._check = check

    @contextmanager
    def writing(self, connection: sqlite3.Connection) -> Generator[None]:
        """Make a transaction."""
        self._check()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            raise

    def reading(self, connection: sqlite3.Connection) -> AbstractContextManager[object]:
        """Read without a transaction: nobody else writes."""
        return nullcontext()

    def is_usable(self, connection: sqlite3.Connection) -> bool:
        """Tell whether the last transaction is over."""
        return not connection.in_transaction

    def rest(self, connection: sqlite3.Connection) -> bool:
        """Keep it: nobody else wants it."""
        return False

    def let_go(self, connection: sqlite3.Connection) -> None:
        """Close it."""
        connection.close()

    def close(self) -> None:
        """Nothing is held but connections."""

    def tidy_up(self, connection: sqlite3.Connection) -> None:
        """Move what was committed from the write-ahead file to the database."""
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def is_of_database(self, error: Exception) -> bool:
        """Tell whether the file or its disk failed, and not what was to be done with it."""
        of_job = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.ProgrammingError)
        of_file = (OSError, sqlite3.DatabaseError, Unavailable)
        return isinstance(error, of_file) and not isinstance(error, of_job)

    def why(self, error: Exception) -> str:
        """Tell what failed, without the path that the system's own errors name."""
        return error.strerror or "I/O error" if isinstance(error, OSError) else str(error)

    def fate(self, error: Exception) -> str:
        """Tell what became of what was to be saved."""
        return "nothing was saved"

    def sever(self, connection: sqlite3.Connection) -> None:
        """Leave it: a file always answers."""
