"""The tables of `history.db`, and how revisions get into them.

`full` is a whole text, kept for the first revision of a document and again whenever enough has
been changed since; all others are worked out from the one before by their deltas. The statements
here, in `queries` and in `erasure` are for PostgreSQL too, whose tables are in `postgres`.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from commonplace.core import history
from commonplace.errors import NotFound
from commonplace.vault.history import acceptance, rows
from commonplace.vault.history.history import ACCEPT_CAUSE, BEFORE_CAUSE, NewRevision
from commonplace.vault.log import database
from commonplace.vault.log.engine import DatabaseConnection

FULL_EVERY = 64
FULL_EVERY_MAX = 512
_FULL_PART = 4  # a whole text again once its deltas have grown to such a part of it

_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE revisions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            doc TEXT NOT NULL,
            path TEXT NOT NULL,
            started REAL NOT NULL,
            time REAL NOT NULL,
            actor TEXT NOT NULL,
            cause TEXT NOT NULL,
            "set" TEXT NOT NULL,
            note TEXT NOT NULL,
            delta BLOB NOT NULL,
            full BLOB,
            size INTEGER NOT NULL
        )""",
        "CREATE INDEX revisions_doc ON revisions (doc, id)",
        "CREATE INDEX revisions_actor ON revisions (actor, id)",
        """CREATE INDEX revisions_set ON revisions ("set", id) WHERE "set" <> ''""",
        """CREATE TABLE heads (
            doc TEXT PRIMARY KEY,
            revision INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            path TEXT NOT NULL,
            blame BLOB NOT NULL,
            blame_before BLOB NOT NULL,
            deltas INTEGER NOT NULL,
            delta_bytes INTEGER NOT NULL
        ) WITHOUT ROWID""",
        "CREATE INDEX heads_path ON heads (path)",
    ),
    (
        *acceptance.TABLE,
        "CREATE INDEX revisions_cause ON revisions (cause, id)",
    ),
    (
        "CREATE INDEX revisions_path ON revisions (path)",
        "CREATE INDEX revisions_time ON revisions (time)",
    ),
)

_PRAGMAS = (*database.SAFE, "secure_delete = ON")
_INSERT = (
    'INSERT INTO revisions (doc, path, started, time, actor, cause, "set", note, delta, "full",'
    " size) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"
)
_REPLACE_HEAD = (
    "INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (doc) DO UPDATE SET"
    " revision = excluded.revision, seq = excluded.seq, path = excluded.path,"
    " blame = excluded.blame, blame_before = excluded.blame_before, deltas = excluded.deltas,"
    " delta_bytes = excluded.delta_bytes"
)


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, readable by its owner alone, and bring its schema up to date."""
    return database.connect(path, _MIGRATIONS, _PRAGMAS, name="history")


def append(db: DatabaseConnection, written: Sequence[NewRevision]) -> list[int]:
    """Keep revisions; returns their numbers."""
    return [_append(db, each) for each in written]


def _append(db: DatabaseConnection, each: NewRevision) -> int:
    row = db.execute(
        "SELECT blame, deltas, delta_bytes, seq FROM heads WHERE doc = ?", (each.document,)
    ).fetchone()
    if row is None and (each.before or not each.delta):
        row = (_begin(db, each), 0, 0, 0)
    packed, deltas, size, seq = row or (b"", 0, 0, 0)
    delta = history.encode(each.delta)
    deltas, size = deltas + 1, size + len(delta)
    due = row is None or _is_due(deltas, size, len(each.after))
    full = rows.packed_text(each.after) if due else None
    if full is not None:
        deltas = size = 0
    number = _insert(db, each, delta, full)
    blame = history.spliced(rows.unpacked_blame(packed), each.delta, number)
    if each.cause == ACCEPT_CAUSE:
        acceptance.put(db, number, history.begun_by(rows.unpacked_blame(packed), each.delta))
    db.execute(
        _REPLACE_HEAD,
        (
            each.document,
            number,
            each.seq or seq,
            each.path,
            rows.packed_blame(blame),
            packed,
            deltas,
            size,
        ),
    )
    return number


def _is_due(deltas: int, size: int, length: int) -> bool:
    return deltas > FULL_EVERY_MAX or (deltas > FULL_EVERY and size * _FULL_PART > length)


def _begin(db: DatabaseConnection, each: NewRevision) -> bytes:
    """Keep the text that was there before the history of a document; returns its blame."""
    full = rows.packed_text(each.before)
    row = (each.document, each.path, each.started, each.started, "", BEFORE_CAUSE, "", "")
    db.execute(_INSERT, (*row, history.encode(()), full, len(full))).fetchone()
    return rows.packed_blame(history.started(each.before))


def _insert(db: DatabaseConnection, each: NewRevision, delta: bytes, full: bytes | None) -> int:
    size = len(delta) + len(full or b"")
    row = (each.document, each.path, each.started, each.time, each.actor, each.cause, each.set)
    (number,) = db.execute(_INSERT, (*row, each.note, delta, full, size)).fetchone()
    return number


def extend(db: DatabaseConnection, revision: int, each: NewRevision) -> None:
    """Put a longer version in the place of the newest revision of a document."""
    row = db.execute(
        'SELECT blame_before, "full" IS NOT NULL FROM heads JOIN revisions ON id = revision'
        " WHERE revision = ?",
        (revision,),
    ).fetchone()
    if row is None:
        raise NotFound("That revision is not the newest of its document any more.")
    before, has_full = row
    delta = history.encode(each.delta)
    full = rows.packed_text(each.after) if has_full else None
    db.execute(
        'UPDATE revisions SET time = ?, path = ?, delta = ?, "full" = ?, size = ? WHERE id = ?',
        (each.time, each.path, delta, full, len(delta) + len(full or b""), revision),
    )
    blame = rows.packed_blame(history.spliced(rows.unpacked_blame(before), each.delta, revision))
    db.execute(
        "UPDATE heads SET blame = ?, seq = ?, path = ? WHERE revision = ?",
        (blame, each.seq, each.path, revision),
    )


def adopt(db: DatabaseConnection, old: str, new: str) -> None:
    """Let the history of a document go on under another id."""
    db.execute("UPDATE revisions SET doc = ? WHERE doc = ?", (new, old))
    db.execute("UPDATE heads SET doc = ?, seq = 0 WHERE doc = ?", (new, old))
