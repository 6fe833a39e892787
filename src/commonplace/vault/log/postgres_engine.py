"""Transactions on PostgreSQL, each under the lease of its vault.

Every transaction first asks, in itself, whether the lease still holds (`require_lease`): without
it nothing is read and nothing is committed.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from commonplace.errors import Unavailable
from commonplace.vault.lease import tables as leases
from commonplace.vault.postgres.connection import Connection, connect, load_driver, one_line
from commonplace.vault.postgres.migrations import Steps, migrate

_LOST = "another node may have this vault by now"
_MAYBE = "it may have been saved or not: read it again"
_NOTHING = "nothing was saved"


class Fence(Protocol):
    """What a transaction needs to know of a lease."""

    @property
    def vault(self) -> str:
        """The vault that it is for."""
        ...

    @property
    def fence(self) -> int:
        """Its number."""
        ...

    @property
    def is_lost(self) -> bool:
        """Whether it is over, as far as this node knows."""
        ...

    def lose(self) -> None:
        """Take note that it is lost."""
        ...


class PostgresEngine:
    """The tables of one part of one vault: `live` or `history`."""

    def __init__(
        self,
        url: str,
        lease: Fence,
        part: str,
        steps: Steps,
        *,
        opened: Callable[[Connection], None] = lambda _: None,
    ) -> None:
        """Take what is to be done with each new connection, under the lease."""
        self._url = url
        self._lease = lease
        self._part = part
        self._steps = steps
        self._opened = opened
        self._schema = schema_of(lease.vault)
        self._driver = load_driver()
        self._guard = leases.begin_statement(lease.vault, lease.fence)
        self._committing = False

    def connect(self) -> Connection:
        """Connect, and bring the vault's tables up to date."""
        self._refuse_lost()
        connection = connect(self._url, schema=self._schema)
        try:
            migrate(
                connection,
                self._schema,
                self._part,
                self._steps,
                guard=lambda: self._require(connection),
            )
            self._opened(connection)
        except BaseException as error:
            self._take_note(error)
            connection.close()
            raise
        return connection

    @contextmanager
    def writing(self, connection: Connection) -> Generator[None]:
        """Make a transaction under the lease."""
        self._committing = False
        self._refuse_lost()
        try:
            connection.raw.execute(self._guard)
            yield
            self._committing = True
            connection.raw.execute("COMMIT")
            self._committing = False
        except BaseException as error:
            self._take_note(error)
            self._roll_back(connection)
            raise

    def reading(self, connection: Connection) -> AbstractContextManager[object]:
        """Read in a transaction too: what a node that lost its lease would read is old."""
        return self.writing(connection)

    def is_usable(self, connection: Connection) -> bool:
        """Tell whether another transaction can be made on it."""
        return connection.is_idle

    def tidy_up(self, connection: Connection) -> None:
        """Leave that to the server."""

    def is_of_database(self, error: Exception) -> bool:
        """Tell whether the database failed, and not what was to be done with it."""
        of_job = (
            self._driver.DataError,
            self._driver.IntegrityError,
            self._driver.ProgrammingError,
            self._driver.NotSupportedError,
        )
        of_database = (self._driver.Error, OSError, Unavailable)
        return isinstance(error, of_database) and not isinstance(error, of_job)

    def why(self, error: Exception) -> str:
        """Tell what failed."""
        return _LOST if self._is_of_lease(error) else one_line(error)

    def fate(self, error: Exception) -> str:
        """Tell what became of what was to be saved: a lost answer to a commit leaves it open."""
        return _MAYBE if self._committing else _NOTHING

    def sever(self, connection: Connection) -> None:
        """Cut a connection on which a thread may wait."""
        connection.sever()

    def _refuse_lost(self) -> None:
        """Fail without asking the database, which may not answer any more."""
        if self._lease.is_lost:
            raise Unavailable(_LOST)

    def _is_of_lease(self, error: BaseException) -> bool:
        return getattr(error, "sqlstate", None) == leases.LOST

    def _take_note(self, error: BaseException) -> None:
        if self._is_of_lease(error):
            self._lease.lose()

    def _roll_back(self, connection: Connection) -> None:
        try:
            if not connection.raw.closed and not connection.is_idle:
                connection.raw.execute("ROLLBACK")
        except self._driver.Error:
            connection.sever()
            connection.close()

    def _require(self, connection: Connection) -> None:
        leases.require(connection, self._lease.vault, self._lease.fence)


def schema_of(vault: str) -> str:
    """Return the name of the schema that holds a vault's tables."""
    return f"vault_{vault}"
