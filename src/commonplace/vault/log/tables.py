"""The statements on the log's tables, the same in SQLite and in PostgreSQL.

The tables themselves, and how changes are appended, are in `sqlite_tables` and `postgres_tables`. A
function that raises one of our own errors has not written yet.
"""

from collections.abc import Callable, Mapping, Sequence

from commonplace.errors import Conflict, NotFound
from commonplace.vault.log.engine import DatabaseConnection
from commonplace.vault.log.log import (
    Author,
    DocumentId,
    FileRecord,
    Logged,
    Place,
    Record,
    Replay,
)

_DISK = "base_sha, base, intent_sha, intent, mtime_ns, size, inode, seq, before, before_time"
_SELECT_DISK = f"SELECT {_DISK} FROM disk WHERE doc = ?"  # noqa: S608 (it is ours)
_REPLACE_DISK = (
    f"INSERT INTO disk (doc, {_DISK})"  # noqa: S608 (it is ours)
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (doc) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in _DISK.split(", "))
)
_REPLACE_RECORD = (
    "INSERT INTO records VALUES (?, ?, ?, ?) ON CONFLICT (kind, key)"
    " DO UPDATE SET value = excluded.value, time = excluded.time"
)


def replay(db: DatabaseConnection, doc: str) -> Replay:
    """Read all that is kept of a document."""
    kept = db.execute("SELECT upto, data FROM snapshots WHERE doc = ?", (doc,)).fetchall()
    tail = db.execute("SELECT seq, data FROM updates WHERE doc = ? ORDER BY seq", (doc,)).fetchall()
    rows = db.execute("SELECT client, actor, ours FROM authors WHERE doc = ?", (doc,))
    authors = tuple(Author(client, actor, bool(ours)) for client, actor, ours in rows)
    seq = max((seq for seq, _ in kept + tail), default=0)
    return Replay(tuple(data for _, data in kept + tail), authors, seq, len(tail))


def since(db: DatabaseConnection, doc: str, seq: int) -> list[Logged]:
    """Read the changes of a document after a number, as far as they are there."""
    rows = db.execute(
        "SELECT seq, data, actor, cause, time FROM updates WHERE doc = ? AND seq > ? ORDER BY seq",
        (doc, seq),
    )
    return [Logged(*row) for row in rows]


def compact(db: DatabaseConnection, doc: str, upto: int, state: bytes, now: float) -> None:
    """Put one state in place of all changes up to a number."""
    db.execute(
        "INSERT INTO snapshots VALUES (?, ?, ?, ?) ON CONFLICT (doc)"
        " DO UPDATE SET upto = excluded.upto, data = excluded.data, time = excluded.time",
        (doc, upto, state, now),
    )
    db.execute("DELETE FROM updates WHERE doc = ? AND seq <= ?", (doc, upto))


def disk(db: DatabaseConnection, doc: str) -> FileRecord | None:
    """Read what is known of a document's file."""
    row = db.execute(_SELECT_DISK, (doc,)).fetchone()
    return None if row is None else FileRecord(*row)


def put_disk(db: DatabaseConnection, doc: str, disk: FileRecord) -> None:
    """Remember what is known of a document's file."""
    db.execute(
        _REPLACE_DISK,
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
            disk.before,
            disk.before_time,
        ),
    )


def unflushed(db: DatabaseConnection) -> list[str]:
    """List documents whose files may be behind."""
    rows = db.execute(
        "SELECT doc FROM disk WHERE intent_sha IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM updates u WHERE u.doc = disk.doc AND u.seq > disk.seq)"
        " OR EXISTS (SELECT 1 FROM snapshots s WHERE s.doc = disk.doc AND s.upto > disk.seq)"
        " ORDER BY doc"
    )
    return [doc for (doc,) in rows]


def known(db: DatabaseConnection) -> list[DocumentId]:
    """List all documents, in the order in which they were first met."""
    rows = db.execute("SELECT id, root, path, epoch, created FROM documents ORDER BY rowid")
    return [_known(*row) for row in rows]


def find(db: DatabaseConnection, doc: str) -> DocumentId | None:
    """Find a document by its id."""
    row = db.execute(
        "SELECT id, root, path, epoch, created FROM documents WHERE id = ?", (doc,)
    ).fetchone()
    return None if row is None else _known(*row)


def at(db: DatabaseConnection, place: Place) -> DocumentId | None:
    """Find the document that lives at a place."""
    row = db.execute(
        "SELECT id, root, path, epoch, created FROM documents WHERE root = ? AND path = ?",
        (place.root, place.path),
    ).fetchone()
    return None if row is None else _known(*row)


def identify(db: DatabaseConnection, place: Place, new: str, now: float) -> DocumentId:
    """Find the document that lives at a place; the first time, give it an id."""
    found = at(db, place)
    if found is None:
        found = DocumentId(new, place, 1, now)
        row = (new, place.root, place.path, 1, now)
        db.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", row)
    return found


def identify_all(
    db: DatabaseConnection, places: Sequence[Place], new: Callable[[], str], now: float
) -> list[DocumentId]:
    """Find the documents that live at these places; all that are new get ids in one step."""
    found = {place: there for place in places if (there := at(db, place)) is not None}
    fresh = {place: DocumentId(new(), place, 1, now) for place in places if place not in found}
    db.executemany(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
        ((known.id, place.root, place.path, 1, now) for place, known in fresh.items()),
    )
    return [found.get(place) or fresh[place] for place in places]


def move(db: DatabaseConnection, places: Mapping[str, Place | None], now: float) -> None:
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


def restart(db: DatabaseConnection, doc: str) -> int:
    """Put a document's history aside under another name, and begin a new epoch."""
    row = db.execute(
        "UPDATE documents SET epoch = epoch + 1 WHERE id = ? RETURNING epoch", (doc,)
    ).fetchone()
    if row is None:
        raise NotFound("There is no such document.")
    for table in ("updates", "snapshots"):
        rename = f"UPDATE {table} SET doc = ? WHERE doc = ?"  # noqa: S608
        db.execute(rename, (f"{doc}~{row[0] - 1}", doc))
    for table in ("authors", "disk"):
        db.execute(f"DELETE FROM {table} WHERE doc = ?", (doc,))  # noqa: S608
    return row[0]


def record(db: DatabaseConnection, kind: str, key: str) -> str | None:
    """Read one remembered thing."""
    row = db.execute("SELECT value FROM records WHERE kind = ? AND key = ?", (kind, key)).fetchone()
    return None if row is None else row[0]


def records(db: DatabaseConnection, kind: str) -> dict[str, str]:
    """Read all remembered things of a kind, by key."""
    return dict(db.execute("SELECT key, value FROM records WHERE kind = ? ORDER BY key", (kind,)))


def records_of(db: DatabaseConnection, kind: str, prefix: str) -> dict[str, str]:
    """Read the remembered things of a kind whose keys begin so, by key."""
    statement = (
        "SELECT key, value FROM records WHERE kind = ? AND key >= ? AND key < ? ORDER BY key"
    )
    return dict(db.execute(statement, (kind, prefix, prefix + "\U0010ffff")))


def put_record(db: DatabaseConnection, kind: str, key: str, value: str | None, now: float) -> None:
    """Remember a thing; `None` forgets it."""
    if value is None:
        db.execute("DELETE FROM records WHERE kind = ? AND key = ?", (kind, key))
    else:
        db.execute(_REPLACE_RECORD, (kind, key, value, now))


def put_records(db: DatabaseConnection, records: Sequence[Record], now: float) -> None:
    """Remember and forget things."""
    for each in records:
        put_record(db, each.kind, each.key, each.value, now)


def _known(
    id: str,
    root: str | None,
    path: str | None,
    epoch: int,
    created: float,
) -> DocumentId:
    place = None if root is None or path is None else Place(root, path)
    return DocumentId(id, place, epoch, created)
