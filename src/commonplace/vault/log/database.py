"""Opens a SQLite file of ours: readable by its owner alone, its schema brought up to date.

A schema changes only by a step that is appended to its migrations; `user_version` counts those
that a file has taken.
"""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from commonplace.errors import Unavailable

BUSY_MS_MAX = 5_000
SAFE = (
    f"busy_timeout = {BUSY_MS_MAX}",
    "journal_mode = WAL",
    "synchronous = FULL",  # NORMAL loses what was acknowledged when the power goes
    "fullfsync = ON",
    "checkpoint_fullfsync = ON",
    "wal_autocheckpoint = 4000",  # before that, `commits` sees to it
)
"""The settings of a file that must outlive a power cut."""

Migrations = Sequence[Sequence[str]]


def connect(
    path: Path, migrations: Migrations, pragmas: Sequence[str], *, name: str, statements: int = 128
) -> sqlite3.Connection:
    """Open a file and take the steps that it has not taken yet; `name` is for errors."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=statements
    )
    try:
        for pragma in pragmas:
            db.execute(f"PRAGMA {pragma}")
        _migrate(db, migrations, name)
    except BaseException:
        db.close()
        raise
    return db


def _migrate(db: sqlite3.Connection, migrations: Migrations, name: str) -> None:
    """Take the steps, all or none."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in (line for step in _steps_left(db, migrations, name) for line in step):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(migrations)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _steps_left(db: sqlite3.Connection, migrations: Migrations, name: str) -> Migrations:
    (taken,) = db.execute("PRAGMA user_version").fetchone()
    if taken > len(migrations):
        raise Unavailable(f"The {name} was written by a newer Commonplace; use that one.")
    return migrations[taken:]


def scrub(db: sqlite3.Connection) -> None:
    """Write the file anew, so that nothing of deleted rows is left in it or in its journal."""
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
