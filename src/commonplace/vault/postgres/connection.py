"""Connections to PostgreSQL, set so that what is committed is kept, and that nobody waits for ever.

The statements of the vault are written for both databases, with `?` for a parameter; `Connection`
puts them to PostgreSQL.
"""

import socket
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from commonplace.errors import Unavailable

if TYPE_CHECKING:
    import psycopg

    Raw = psycopg.Connection[tuple[Any, ...]]
    Cursor = psycopg.Cursor[tuple[Any, ...]]

VERSION_MIN = 15
_CONNECT_SECONDS_MAX = 5
STATEMENT_MS_MAX = 30_000
# A process that stops in the middle of a transaction holds its lease's row for so long and no
# longer.
IDLE_IN_TRANSACTION_MS_MAX = 3_000
_STATEMENTS_MAX = 500


class Connection:
    """One connection, for one thread at a time."""

    def __init__(self, raw: "Raw") -> None:
        self.raw = raw
        self._closing = threading.Lock()  # so that a number is not cut that is another's by now

    def execute(self, statement: str, parameters: Sequence[Any] = (), /) -> "Cursor":
        """Put a statement with `?` for each parameter."""
        if not parameters:
            return self.raw.execute(statement.encode(), binary=True)
        return self.raw.execute(_translated(statement), parameters, binary=True)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Put a statement once for each row."""
        with self.raw.cursor() as cursor:
            cursor.executemany(_translated(statement), rows)

    def use_schema(self, schema: str) -> None:
        """Look names up in a schema, until the transaction ends."""
        from psycopg import sql

        self.raw.execute(sql.SQL("SET LOCAL search_path TO {}").format(sql.Identifier(schema)))

    @property
    def is_idle(self) -> bool:
        """Whether it works, and no transaction is open."""
        return not self.raw.closed and self.raw.info.transaction_status == 0

    def sever(self) -> None:
        """Cut it at once, from any thread: whoever waits for an answer on it fails."""
        with self._closing, suppress(OSError):
            if not self.raw.closed:
                with socket.fromfd(self.raw.fileno(), *_FAMILY) as ours:
                    ours.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of it."""
        with self._closing:
            self.raw.close()


_FAMILY = socket.AF_INET, socket.SOCK_STREAM


@lru_cache(_STATEMENTS_MAX)
def _translated(statement: str) -> bytes:
    return statement.replace("%", "%%").replace("?", "%s").encode()


def connect(url: str, *, schema: str = "commonplace") -> Connection:
    """Connect; names without a schema are looked up in the one that is given."""
    driver = load_driver()
    try:
        raw = driver.connect(
            url,
            autocommit=True,
            connect_timeout=_CONNECT_SECONDS_MAX,
            application_name="commonplace",
            keepalives_idle=2,
            keepalives_interval=1,
            keepalives_count=3,
            tcp_user_timeout=_CONNECT_SECONDS_MAX * 1000,
        )
    except (driver.Error, ValueError) as error:
        raise Unavailable(
            f"The database could not be reached ({reason(error)}). Is its address right?"
        ) from None
    try:
        _prepare(raw, schema)
    except BaseException:
        raw.close()
        raise
    return Connection(raw)


def _prepare(raw: "Raw", schema: str) -> None:
    version = raw.info.server_version // 10_000
    if version < VERSION_MIN:
        raise Unavailable(
            f"The database is PostgreSQL {version}; Commonplace needs {VERSION_MIN} or newer."
        )
    from psycopg import sql

    raw.execute(
        sql.SQL(
            "SET search_path TO {}; SET client_encoding TO 'UTF8';"
            " SET idle_in_transaction_session_timeout TO {}; SET statement_timeout TO {}"
        ).format(
            sql.Identifier(schema),
            sql.Literal(IDLE_IN_TRANSACTION_MS_MAX),
            sql.Literal(STATEMENT_MS_MAX),
        )
    )
    # Acknowledged means kept: a server that is set to forget may do so for others, not for us.
    # What is stronger (`remote_apply`) stays.
    row = raw.execute("SHOW synchronous_commit").fetchone()
    if row is not None and row[0] in ("off", "local", "remote_write"):
        raw.execute("SET synchronous_commit TO on")


def load_driver() -> Any:  # noqa: ANN401 (a module; where it is known, its types are)
    """Import the driver, or say how to get it."""
    try:
        import psycopg
    except ImportError:
        raise Unavailable(
            "A database needs the extra of that name:"
            " pip install 'commonplace-notes[team]'. Then start again."
        ) from None
    return psycopg


def reason(error: BaseException) -> str:
    """Return what an error says, in one line and without a password."""
    return " ".join(str(error).split()) or type(error).__name__
