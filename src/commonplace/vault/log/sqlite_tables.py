"""The tables of `live.db`, and the statements that only SQLite is given; others are in `tables`.

An acknowledged edit survives a power cut (`database.SAFE`). Numbers of updates never come again,
even when compaction empties their table.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from commonplace.vault.log import database, tables
from commonplace.vault.log.log import (
    THIS_UPDATE,
    LogEntry,
)

_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE updates (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            doc TEXT NOT NULL,
            data BLOB NOT NULL,
            actor TEXT NOT NULL,
            time REAL NOT NULL
        )""",
        "CREATE INDEX updates_doc ON updates (doc, seq)",
        """CREATE TABLE snapshots (
            doc TEXT PRIMARY KEY, upto INTEGER NOT NULL, data BLOB NOT NULL, time REAL NOT NULL
        )""",
        """CREATE TABLE authors (
            doc TEXT NOT NULL,
            client INTEGER NOT NULL,
            actor TEXT NOT NULL,
            ours INTEGER NOT NULL,
            PRIMARY KEY (doc, client)
        ) WITHOUT ROWID""",
        """CREATE TABLE documents (
            id TEXT PRIMARY KEY,
            root TEXT,
            path TEXT,
            epoch INTEGER NOT NULL,
            created REAL NOT NULL,
            UNIQUE (root, path)
        )""",
        """CREATE TABLE disk (
            doc TEXT PRIMARY KEY,
            base_sha BLOB NOT NULL,
            base BLOB NOT NULL,
            intent_sha BLOB,
            intent BLOB,
            mtime_ns INTEGER NOT NULL,
            size INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            seq INTEGER NOT NULL
        )""",
        """CREATE TABLE records (
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            value TEXT NOT NULL,
            time REAL NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITHOUT ROWID""",
    ),
    (
        "ALTER TABLE disk ADD COLUMN before BLOB",
        "ALTER TABLE disk ADD COLUMN before_time REAL NOT NULL DEFAULT 0",
    ),
    ("ALTER TABLE updates ADD COLUMN cause TEXT NOT NULL DEFAULT ''",),
)

_PRAGMAS = (
    *database.SAFE,
    "temp_store = MEMORY",  # how to take half of an insert back: else in a file, for each batch
)

_INSERT_UPDATES = "INSERT INTO updates (doc, data, actor, time, cause) VALUES "
_INSERT_AUTHORS = "INSERT INTO authors (doc, client, actor, ours) VALUES "
_UNLESS_KNOWN = " ON CONFLICT DO NOTHING"
_ROWS_MAX = 64
_STATEMENTS_MAX = 256  # one for each number of rows, and all others, stay prepared

Row = tuple[object, ...]


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, readable by its owner alone, and bring its schema up to date."""
    return database.connect(path, _MIGRATIONS, _PRAGMAS, name="log", statements=_STATEMENTS_MAX)


def append(db: sqlite3.Connection, entries: Sequence[tuple[LogEntry, float]]) -> list[int]:
    """Keep changes, each with its time; answers their numbers."""
    seqs = _insert_updates(db, entries)
    _insert_authors(db, entries)
    for (entry, _), seq in zip(entries, seqs, strict=True):
        if (disk := entry.disk) is not None:
            seq = seq if disk.seq == THIS_UPDATE else disk.seq
            tables.put_disk(db, entry.document, replace(disk, seq=seq))
    for entry, now in entries:
        tables.put_records(db, entry.records, now)
    return seqs


def _insert_updates(db: sqlite3.Connection, entries: Sequence[tuple[LogEntry, float]]) -> list[int]:
    """Insert changes; the numbers of a statement's rows follow each other."""
    seqs: list[int] = []
    rows = [(entry.document, entry.update, entry.actor, now, entry.cause) for entry, now in entries]
    for some in _in_parts(rows):
        last = db.execute(_INSERT_UPDATES + _places(some), list(chain(*some))).lastrowid
        assert last is not None
        seqs += range(last - len(some) + 1, last + 1)
    return seqs


def _insert_authors(db: sqlite3.Connection, entries: Sequence[tuple[LogEntry, float]]) -> None:
    rows = [
        (entry.document, author.client, author.actor, author.ours)
        for entry, _ in entries
        for author in entry.authors
    ]
    for some in _in_parts(rows):
        db.execute(_INSERT_AUTHORS + _places(some) + _UNLESS_KNOWN, list(chain(*some)))


def _in_parts(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Share rows out to a few statements: after each one the thread must wait for its turn."""
    return (rows[at : at + _ROWS_MAX] for at in range(0, len(rows), _ROWS_MAX))


def _places(rows: Sequence[Row]) -> str:
    row = f"({', '.join('?' * len(rows[0]))})"
    return ", ".join([row] * len(rows))


def sound(db: sqlite3.Connection) -> str | None:
    """Check the file."""
    (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    return None if answer == "ok" else str(answer)
