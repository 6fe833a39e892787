"""Opens `index.db`: makes it, or makes it anew when it is of another version or damaged."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from commonplace.errors import Unavailable
from commonplace.vault.index.corpus.shards import shard_count
from commonplace.vault.index.schema import LOOKUPS, TABLES, VERSION

_BUSY_MS = 30_000
_VARIABLES_MAX = 500

# The file may be sound: somebody else is at work in it, or the disk does not do what it should.
_OUT_OF_REACH = frozenset(
    [
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_NOMEM,
    ]
)

Value = TypeVar("Value")


def connect(folder: Path) -> sqlite3.Connection:
    """Open the index of a state folder for one thread at a time."""
    try:
        return opened(partial(_open, folder), partial(erase, folder))
    except sqlite3.Error as error:
        raise Unavailable(
            f"The index cannot be opened: {error}. Check that the state folder is writable and"
            " its disk has room."
        ) from error


def opened(
    connect: Callable[[], sqlite3.Connection], erase: Callable[[], None]
) -> sqlite3.Connection:
    """Open a file that can be made anew from others: one that is of no use is erased first."""
    try:
        return connect()
    except sqlite3.DatabaseError as error:
        if not _useless(error):
            raise
        erase()
        return connect()


def _useless(error: sqlite3.DatabaseError) -> bool:
    """Tell whether a file that cannot be opened is damaged, or of another version."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in _OUT_OF_REACH


def identity(folder: Path) -> tuple[int, int] | None:
    """Tell one index file from another of its name; None if there is none."""
    try:
        found = (folder / "index.db").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def erase(folder: Path) -> None:
    """Throw the index away: it is derived, the next start builds it from the notes."""
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (folder / name).unlink(missing_ok=True)
    for shard in folder.glob("corpus-*"):
        shard.unlink(missing_ok=True)


def read_meta(db: sqlite3.Connection, key: str) -> int:
    """Read one of the index's own numbers; one that was never kept is 0."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return int(row[0]) if row else 0


def write_meta(db: sqlite3.Connection, key: str, value: int) -> None:
    """Keep one of the index's own numbers."""
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Cut a list into pieces that fit one statement."""
    rest = iter(values)
    while piece := list(islice(rest, _VARIABLES_MAX)):
        yield piece


def marks(values: Sequence[object]) -> str:
    """Write the place holders for a list of values."""
    return ",".join("?" * len(values))


def _open(folder: Path) -> sqlite3.Connection:
    try:
        db = sqlite3.connect(folder / "index.db", isolation_level=None, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise Unavailable("The index cannot be opened: is the state folder writable?") from error
    db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA temp_store = MEMORY")
    db.execute("PRAGMA cache_size = -16000")
    db.execute("BEGIN IMMEDIATE")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        _create(db)
    db.execute("COMMIT")
    if version not in (0, VERSION):
        db.close()
        raise sqlite3.DatabaseError("another version")
    _look_into(db)
    return db


def _look_into(db: sqlite3.Connection) -> None:
    """Read a little of each table: a damaged file says so here, where it is made anew."""
    try:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            db.execute(f'SELECT * FROM "{table}" LIMIT 1').fetchone()  # noqa: S608 (our own names)
    except sqlite3.DatabaseError:
        db.close()
        raise


def _create(db: sqlite3.Connection) -> None:
    # `executescript` would commit the transaction that keeps other processes out.
    for statement in TABLES.split(";\n"):
        if statement.strip():
            db.execute(statement)
    for name, columns in LOOKUPS.items():
        db.execute(f"CREATE INDEX {name} ON {columns}")
    for key, value in (("shards", shard_count()), ("generation", 1), ("dead_bytes", 0)):
        write_meta(db, key, value)
    db.execute(f"PRAGMA user_version = {VERSION}")
