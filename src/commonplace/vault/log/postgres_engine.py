"""Transactions on PostgreSQL, each under the lease of its vault.

Every transaction first asks, in itself, whether the lease still holds (`require_lease`): without
it nothing is read and nothing is committed. It also says whose tables are meant, since connections
come from a pool that all vaults of a node share.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from commonplace.errors import Unavailable
from commonplace.vault.lease import tables as leases
from commonplace.vault.postgres.connection import Connection, load_driver, reason
from commonplace.vault.postgres.migrations import MigrationSteps, is_current, migrate
from commonplace.vault.postgres.pool import Pool, shared

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
        source: str | Pool,
        lease: Fence,
        part: str,
        steps: MigrationSteps,
        *,
        opened: Callable[[Connection], None] = lambda _: None,
    ) -> None:
        """Take what is to be done under the lease at first, and after a connection has failed."""
        self._own_pool = isinstance(source, str)
        self._pool = shared(source)
        self._lease = lease
        self._part = part
        self._steps = steps
        self._opened = opened
        self._schema = schema_of(lease.vault)
        self._driver = load_driver()
        self._guard = leases.begin_statement(lease.vault, lease.fence, self._schema)
        self._committing = False
        self._prepared = False

    def connect(self) -> Connection:
        """Take a connection; the first one, and the next after a failure, prepares the tables.

        Raises `Unavailable` if the database fails meanwhile.
        """
        self._committing = False
        self._refuse_lost()
        connection = self._pool.take()
        if not self._prepared:
            try:
                self._prepare(connection)
            except BaseException as error:
                self._take_note(error)
                connection.close()
                self._pool.give_back(connection)
                if isinstance(error, self._driver.OperationalError):
                    raise Unavailable(f"The database failed ({self.why(error)}).") from None
                raise
            self._prepared = True
        return connection

    def rest(self, connection: Connection) -> bool:
        """Give a connection back to the pool."""
        self._pool.give_back(connection)
        return True

    def let_go(self, connection: Connection) -> None:
        """Give one back that has failed, or is not needed any more."""
        self._prepared = False
        self._pool.give_back(connection)

    def close(self) -> None:
        """Close the pool if nobody else has it."""
        if self._own_pool:
            self._pool.close()

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

    def why(self, error: BaseException) -> str:
        """Tell what failed."""
        return _LOST if self._is_of_lease(error) else reason(error)

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

    def _prepare(self, connection: Connection) -> None:
        """Bring the vault's tables up to date, and look at what they hold."""
        if self._look_at_current(connection):
            return
        migrate(
            connection,
            self._schema,
            self._part,
            self._steps,
            guard=lambda: self._require(connection),
        )
        with self.writing(connection):
            self._opened(connection)

    def _look_at_current(self, connection: Connection) -> bool:
        """Look at what the tables hold, unless they have to be brought up to date first.

        Nearly always they have not, and whoever takes a vault over should not ask more than that:
        on a busy machine each question is a wait.
        """
        try:
            with self.writing(connection):
                if is_current(connection, self._part, self._steps):
                    self._opened(connection)
                    return True
        except self._driver.errors.UndefinedTable:
            pass  # nobody has opened the vault so far
        return False

    def _require(self, connection: Connection) -> None:
        leases.require(connection, self._lease.vault, self._lease.fence)
        connection.use_schema(self._schema)


def schema_of(vault: str) -> str:
    """Return the name of the schema that holds a vault's tables."""
    return f"vault_{vault}"
