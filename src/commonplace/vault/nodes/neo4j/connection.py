"""The connection to a Neo4j database: sessions, retries, and every fault as a plain sentence.

What a restart, a change of leader or a deadlock broke off is repeated for a few seconds: questions
here, and writes, which are managed transactions, by the driver. A write takes the lock on the
store's mark first, so writers come one after another, and leaves its own number there: one whose
answer was lost on the way back finds its number when it is repeated, and does nothing twice. No
message holds a password.
"""

import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
from neo4j import (
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncResult,
    AsyncSession,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    TransientError,
)

from commonplace.errors import Unavailable
from commonplace.vault.nodes.neo4j.cypher import Statement, store_mark
from commonplace.vault.store_settings import StoreChoice

_CONNECT_SECONDS_MAX = 5.0
_RETRY_SECONDS_MAX = 8.0
WRITE_SECONDS_MAX = 25.0
LOAD_SECONDS_MAX = 300.0
RECENT_WRITES_MAX = 50

_PAUSE = 0.1
_REASON_MAX = 200

Row = dict[str, Any]
Result = TypeVar("Result")


class Transaction:
    """One transaction, asked with a statement of `cypher` and its parameters."""

    def __init__(self, inner: AsyncManagedTransaction) -> None:
        self._inner = inner

    def forget(self) -> None:
        """Look again whether the database can be used, when it is next asked."""

    async def run(self, statement: Statement, /, **parameters: object) -> list[Row]:
        """Run a statement, and return its rows."""
        return await _rows(await self._inner.run(statement, parameters))


async def _rows(result: AsyncResult) -> list[Row]:
    """Return the rows of plain values; the driver's own way walks through each value again."""
    keys = result.keys()
    return [dict(zip(keys, values, strict=True)) for values in await result.values()]


TransactionWork = Callable[[Transaction], Awaitable[Result]]


class Database:
    """A database that answers, or says why not."""

    def __init__(self, driver: AsyncDriver, choice: StoreChoice) -> None:
        self._driver = driver
        self._choice = choice
        self.address = choice.url

    async def ready(self) -> None:
        """Make sure that the database can be used; nothing to do here."""

    def forget(self) -> None:
        """Look again whether the database can be used, when it is next asked."""

    async def run(self, statement: Statement, /, **parameters: object) -> list[Row]:
        """Ask one question, in one round trip; what a retry can help is tried again."""
        await self.ready()
        with self._faults():
            until = anyio.current_time() + _RETRY_SECONDS_MAX
            pause = _PAUSE
            while True:
                try:
                    # Not a managed transaction: that would be a second round trip, to end it.
                    async with self._session() as session:
                        return await _rows(await session.run(statement, parameters))
                except (DriverError, Neo4jError) as error:
                    if not error.is_retryable() or anyio.current_time() + pause > until:
                        raise
                await anyio.sleep(pause)
                pause *= 2

    async def write(
        self, work: TransactionWork[Result], seconds_max: float = WRITE_SECONDS_MAX
    ) -> Result:
        """Change something, whole or not at all, once; others wait meanwhile."""
        await self.ready()
        number = uuid.uuid4().hex
        results: list[Result] = []

        async def unit(inner: AsyncManagedTransaction) -> None:
            tx = Transaction(inner)
            rows = await tx.run(store_mark.LOCK_MARK)
            if not rows:
                self.forget()
                raise Unavailable(GONE)
            if results and number in rows[0]["recent"]:
                return  # it was made the time before; only the answer was lost
            results.append(await work(tx))
            recent = [number, *rows[0]["recent"]][:RECENT_WRITES_MAX]
            await tx.run(store_mark.KEEP_RECENT, recent=recent)

        # Once begun it is finished, whether or not the caller still waits.
        with anyio.CancelScope(shield=True), self._faults():
            with anyio.fail_after(seconds_max):
                await self._until_known(unit)
        return results[-1]

    async def command(self, statement: Statement, /, **parameters: object) -> list[Row]:
        """Run a statement that changes the schema, by itself."""
        with self._faults():
            async with self._session() as session:
                return await _rows(await session.run(statement, parameters))

    async def _until_known(
        self, unit: Callable[[AsyncManagedTransaction], Awaitable[None]]
    ) -> None:
        """Repeat a commit whose answer did not come: only then is it known whether it was made."""
        while True:
            try:
                async with self._session() as session:
                    return await session.execute_write(unit)
            except IncompleteCommit:
                await anyio.sleep(0.1)

    def _session(self) -> AsyncSession:
        return self._driver.session(  # pyright: ignore[reportUnknownMemberType]
            database=self._choice.options.get("database")
        )

    def _faults(self) -> "_DriverFaults":
        return _DriverFaults(self.address)


class PreparedDatabase(Database):
    """A database whose schema is made before it is first asked, however late it answers."""

    def __init__(
        self, driver: AsyncDriver, choice: StoreChoice, prepare: "PrepareDatabase"
    ) -> None:
        super().__init__(driver, choice)
        self._plain = Database(driver, choice)
        self._prepare = prepare
        self._is_ready = False
        self._one = anyio.Lock()

    async def ready(self) -> None:
        """Prepare the database, the first time that it answers."""
        if self._is_ready:
            return
        async with self._one:
            if not self._is_ready:
                await self._prepare(self._plain)
                self._is_ready = True

    def forget(self) -> None:
        """Prepare it anew: it was emptied, or is another."""
        self._is_ready = False


PrepareDatabase = Callable[[Database], Awaitable[None]]

GONE = "The database was emptied since. Try again: it is made ready anew."


class _DriverFaults:
    """Turns what the driver raises into what a person can mend."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DriverError | Neo4jError | OSError | TimeoutError):
            raise Unavailable(fault(error, self._address)) from None


def fault(error: Exception, address: str) -> str:
    """Say what is wrong with the database, and what to do."""
    where = f"Neo4j at {address}"
    match error:
        case AuthError():
            return (
                f"{where} refuses the user name or the password. Put the right ones into"
                " COMMONPLACE_STORE_USER and COMMONPLACE_STORE_PASSWORD, or name the file with the"
                " password in COMMONPLACE_STORE_PASSWORD_FILE, and start again."
            )
        case ServiceUnavailable() | OSError() | TimeoutError():
            return (
                f"{where} does not answer. Is it running, and is the address right? Nothing was"
                " written; try again once it runs."
            )
        case ClientError() if "DatabaseNotFound" in (error.code or ""):
            return f"{where} has no database of that name. Correct `database` of the store."
        case TransientError():
            return f"{where} is too busy ({_reason(error)}). Nothing was written; try again."
        case ConfigurationError():
            return f"{where} cannot be used so: {_reason(error)}. Correct the store's address."
        case _:
            return f"{where} failed: {_reason(error)}. Nothing was written."


def _reason(error: Exception) -> str:
    text = (error.message if isinstance(error, Neo4jError) else None) or str(error)
    return " ".join(text.split())[:_REASON_MAX].rstrip(".")


@asynccontextmanager
async def connected(choice: StoreChoice, prepare: PrepareDatabase) -> AsyncGenerator[Database]:
    """Connect to the database of a choice; whether it answers shows when it is asked."""
    try:
        driver = AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
            choice.url,
            auth=(choice.user, choice.password or ""),
            connection_timeout=_CONNECT_SECONDS_MAX,
            connection_acquisition_timeout=_CONNECT_SECONDS_MAX,
            max_transaction_retry_time=_RETRY_SECONDS_MAX,
            notifications_min_severity="OFF",
            user_agent="commonplace",
        )
    except (ConfigurationError, ValueError) as error:
        raise Unavailable(fault(error, choice.url)) from None
    try:
        yield PreparedDatabase(driver, choice, prepare)
    finally:
        with anyio.CancelScope(shield=True), anyio.move_on_after(_CONNECT_SECONDS_MAX):
            await driver.close()
