"""The tables of `live.db`, and every statement that touches them.

WAL with `synchronous=FULL`: an acknowledged edit survives a power cut (NORMAL loses it). Numbers
of updates never come again, even when compaction empties their table. The schema changes only by
a step appended to `MIGRATIONS`. A function that raises one of our own errors has not written yet.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from commonplace.errors import Conflict, NotFound, Unavailable
from commonplace.vault.log import THIS_UPDATE, Author, Disk, Entry, Known, Place, Replay

BUSY_MS_MAX = 5_000

MIGRATIONS: tuple[tuple[str, ...], ...] = (
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
)

_PRAGMAS = (
    f"busy_timeout = {BUSY_MS_MAX}",
    "journal_mode = WAL",
    "synchronous = FULL",
    "fullfsync = ON",
    "checkpoint_fullfsync = ON",
    "wal_autocheckpoint = 4000",  # before that, `commits` sees to it
    "temp_store = MEMORY",  # how to take half of an insert back: else in a file, for each batch
)


_INSERT_UPDATES = "INSERT INTO updates (doc, data, actor, time) VALUES "
_INSERT_AUTHORS = "INSERT INTO authors (doc, client, actor, ours) VALUES "
_UNLESS_KNOWN = " ON CONFLICT DO NOTHING"
_ROWS_MAX = 64
_STATEMENTS_MAX = 256  # one for each number of rows, and all others, stay prepared

Row = tuple[object, object, object, object]


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, readable by its owner alone, and bring its schema up to date."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS_MAX
    )
    try:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
        migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def migrate(db: sqlite3.Connection) -> None:
    """Take the steps that the file has not taken yet, all or none."""
    db.execute("BEGIN IMMEDIATE")
    try:
        (taken,) = db.execute("PRAGMA user_version").fetchone()
        _refuse_newer(taken)
        for statement in (line for step in MIGRATIONS[taken:] for line in step):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _refuse_newer(taken: int) -> None:
    if taken > len(MIGRATIONS):
        raise Unavailable("The log was written by a newer Commonplace; use that one.")


def append(db: sqlite3.Connection, entries: Sequence[tuple[Entry, float]]) -> list[int]:
    """Keep changes, each with its time; answers their numbers."""
    seqs = _insert_updates(db, entries)
    _insert_authors(db, entries)
    for (entry, _), seq in zip(entries, seqs, strict=True):
        if (disk := entry.disk) is not None:
            seq = seq if disk.seq == THIS_UPDATE else disk.seq
            put_disk(db, entry.document, replace(disk, seq=seq))
    return seqs


def _insert_updates(db: sqlite3.Connection, entries: Sequence[tuple[Entry, float]]) -> list[int]:
    """Insert changes; the numbers of a statement's rows follow each other."""
    seqs: list[int] = []
    rows = [(entry.document, entry.update, entry.actor, now) for entry, now in entries]
    for some in _in_parts(rows):
        last = db.execute(_INSERT_UPDATES + _places(some), list(chain(*some))).lastrowid
        assert last is not None
        seqs += range(last - len(some) + 1, last + 1)
    return seqs


def _insert_authors(db: sqlite3.Connection, entries: Sequence[tuple[Entry, float]]) -> None:
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
    return ", ".join(["(?, ?, ?, ?)"] * len(rows))


def replay(db: sqlite3.Connection, doc: str) -> Replay:
    """Read all that is kept of a document."""
    kept = db.execute("SELECT upto, data FROM snapshots WHERE doc = ?", (doc,)).fetchall()
    tail = db.execute("SELECT seq, data FROM updates WHERE doc = ? ORDER BY seq", (doc,)).fetchall()
    rows = db.execute("SELECT client, actor, ours FROM authors WHERE doc = ?", (doc,))
    authors = tuple(Author(client, actor, bool(ours)) for client, actor, ours in rows)
    seq = max((seq for seq, _ in kept + tail), default=0)
    return Replay(tuple(data for _, data in kept + tail), authors, seq, len(tail))


def compact(db: sqlite3.Connection, doc: str, upto: int, state: bytes, now: float) -> None:
    """Put one state in place of all changes up to a number."""
    db.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", (doc, upto, state, now))
    db.execute("DELETE FROM updates WHERE doc = ? AND seq <= ?", (doc, upto))


def disk(db: sqlite3.Connection, doc: str) -> Disk | None:
    """Read what is known of a document's file."""
    row = db.execute(
        "SELECT base_sha, base, intent_sha, intent, mtime_ns, size, inode, seq"
        " FROM disk WHERE doc = ?",
        (doc,),
    ).fetchone()
    return None if row is None else Disk(*row)


def put_disk(db: sqlite3.Connection, doc: str, disk: Disk) -> None:
    """Remember what is known of a document's file."""
    db.execute(
        "INSERT OR REPLACE INTO disk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            doc,
            disk.base_sha,
            disk.base,
            disk.intent_sha,
            disk.intent,
            disk.mtime_ns,
            disk.size,
            disk.inode,
            disk.seq,
        ),
    )


def unflushed(db: sqlite3.Connection) -> list[str]:
    """List documents whose files may be behind."""
    rows = db.execute(
        "SELECT doc FROM disk WHERE intent_sha NOT NULL"
        " OR EXISTS (SELECT 1 FROM updates u WHERE u.doc = disk.doc AND u.seq > disk.seq)"
        " OR EXISTS (SELECT 1 FROM snapshots s WHERE s.doc = disk.doc AND s.upto > disk.seq)"
        " ORDER BY doc"
    )
    return [doc for (doc,) in rows]


def known(db: sqlite3.Connection) -> list[Known]:
    """List all documents, in the order in which they were first met."""
    rows = db.execute("SELECT id, root, path, epoch, created FROM documents ORDER BY rowid")
    return [_known(*row) for row in rows]


def find(db: sqlite3.Connection, doc: str) -> Known | None:
    """Find a document by its id."""
    row = db.execute(
        "SELECT id, root, path, epoch, created FROM documents WHERE id = ?", (doc,)
    ).fetchone()
    return None if row is None else _known(*row)


def at(db: sqlite3.Connection, place: Place) -> Known | None:
    """Find the document that lives at a place."""
    row = db.execute(
        "SELECT id, root, path, epoch, created FROM documents WHERE root = ? AND path = ?",
        (place.root, place.path),
    ).fetchone()
    return None if row is None else _known(*row)


def identify(db: sqlite3.Connection, place: Place, new: str, now: float) -> Known:
    """Find the document that lives at a place; the first time, give it an id."""
    found = at(db, place)
    if found is None:
        found = Known(new, place, 1, now)
        row = (new, place.root, place.path, 1, now)
        db.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", row)
    return found


def identify_all(
    db: sqlite3.Connection, places: Sequence[Place], new: Callable[[], str], now: float
) -> list[Known]:
    """Find the documents that live at these places; all that are new get ids in one step."""
    found = {place: there for place in places if (there := at(db, place)) is not None}
    fresh = {place: Known(new(), place, 1, now) for place in places if place not in found}
    db.executemany(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
        ((known.id, place.root, place.path, 1, now) for place, known in fresh.items()),
    )
    return [found.get(place) or fresh[place] for place in places]


def move(db: sqlite3.Connection, places: Mapping[str, Place | None], now: float) -> None:
    """Put documents in their places, all at once, so that two may swap."""
    for place in places.values():
        there = None if place is None else at(db, place)
        if there is not None and there.id not in places:
            raise Conflict("Another document lives at that path already.")
    for doc in places:
        db.execute(
            "INSERT INTO documents VALUES (?, NULL, NULL, 1, ?)"
            " ON CONFLICT (id) DO UPDATE SET root = NULL, path = NULL",
            (doc, now),
        )
    for doc, place in places.items():
        if place is not None:
            db.execute(
                "UPDATE documents SET root = ?, path = ? WHERE id = ?",
                (place.root, place.path, doc),
            )


def restart(db: sqlite3.Connection, doc: str) -> int:
    """Forget a document's history and begin a new epoch."""
    row = db.execute(
        "UPDATE documents SET epoch = epoch + 1 WHERE id = ? RETURNING epoch", (doc,)
    ).fetchone()
    if row is None:
        raise NotFound("There is no such document.")
    for table in ("updates", "snapshots", "authors", "disk"):
        db.execute(f"DELETE FROM {table} WHERE doc = ?", (doc,))  # noqa: S608
    return row[0]


def record(db: sqlite3.Connection, kind: str, key: str) -> str | None:
    """Read one remembered thing."""
    row = db.execute("SELECT value FROM records WHERE kind = ? AND key = ?", (kind, key)).fetchone()
    return None if row is None else row[0]


def records(db: sqlite3.Connection, kind: str) -> dict[str, str]:
    """Read all remembered things of a kind, by key."""
    return dict(db.execute("SELECT key, value FROM records WHERE kind = ? ORDER BY key", (kind,)))


def put_record(db: sqlite3.Connection, kind: str, key: str, value: str | None, now: float) -> None:
    """Remember a thing; `None` forgets it."""
    if value is None:
        db.execute("DELETE FROM records WHERE kind = ? AND key = ?", (kind, key))
    else:
        db.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", (kind, key, value, now))


def _known(
    id: str,
    root: str | None,
    path: str | None,
    epoch: int,
    created: float,
) -> Known:
    place = None if root is None or path is None else Place(root, path)
    return Known(id, place, epoch, created)


def sound(db: sqlite3.Connection) -> str | None:
    """Check the file."""
    (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    return None if answer == "ok" else str(answer)
