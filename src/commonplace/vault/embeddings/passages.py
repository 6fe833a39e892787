"""Passages of notes and their vectors on disk: `meaning.db`, derived, beside the index.

It outlives the index, because vectors are slow to make: notes are known by path and by the hash of
their file, vectors by the hash of the text they were made from. So a note that moved, or came back,
or was built into a new index, costs nothing. Vectors of another provider are thrown away.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from commonplace.errors import Unavailable
from commonplace.vault.index.database import marks, opened, parts

_VERSION = 1
_FILE = "meaning.db"

_BUSY_MS = 30_000
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha BLOB NOT NULL)",
    (
        "CREATE TABLE passages (id INTEGER PRIMARY KEY, note INTEGER NOT NULL,"
        " start INTEGER NOT NULL, stop INTEGER NOT NULL, hash BLOB NOT NULL)"
    ),
    "CREATE INDEX passages_note ON passages (note)",
    "CREATE INDEX passages_hash ON passages (hash)",
    "CREATE TABLE vectors (hash BLOB PRIMARY KEY, vector BLOB NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage of a note: its range in the text, and the hash of what is embedded for it."""

    start: int
    stop: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class EmbeddedNote:
    """A note whose passages have vectors: its number here, and those of its passages."""

    note: int
    passages: list[int]
    vectors: list[bytes]


class Passages:
    """The file, for one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._db = _opened(folder)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def belong_to(self, provider: str, dimensions: int) -> None:
        """Keep what was made by this provider; forget all if it was made by another."""
        space = f"{provider} {dimensions}"
        found = self._db.execute("SELECT value FROM meta WHERE key = 'space'").fetchone()
        if found == (space,):
            return
        with self._transaction():
            for table in ("notes", "passages", "vectors", "meta"):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608 (they are ours)
            self._db.execute("INSERT INTO meta VALUES ('space', ?)", (space,))

    def space(self) -> str | None:
        """Tell whose vectors these are."""
        found = self._db.execute("SELECT value FROM meta WHERE key = 'space'").fetchone()
        return found[0] if found else None

    def paths(self) -> Iterator[tuple[int, str]]:
        """Yield every note: its number and its path."""
        return self._db.execute("SELECT id, path FROM notes")

    def behind(self, index: Path) -> tuple[list[str], list[str]]:
        """Compare with the index: the notes that it lacks, and those that changed, newest last."""
        self._db.execute("ATTACH ? AS now", (str(index),))
        try:
            gone = self._db.execute(
                "SELECT path FROM notes WHERE path NOT IN (SELECT path FROM now.notes)"
            ).fetchall()
            changed = self._db.execute(
                "SELECT now.notes.path FROM now.notes"
                " LEFT JOIN main.notes AS made ON made.path = now.notes.path"
                " WHERE made.sha IS NOT ifnull(now.notes.sha, x'') ORDER BY now.notes.mtime_ns"
            ).fetchall()
        finally:
            self._db.execute("DETACH now")
        return [path for (path,) in gone], [path for (path,) in changed]

    def rows(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield every passage: its number, its note's, its vector."""
        return self._db.execute(
            "SELECT passages.id, passages.note, vectors.vector FROM passages"
            " JOIN vectors ON vectors.hash = passages.hash"
        )

    def vectors(self, hashes: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the vectors that there are for some texts."""
        found: dict[bytes, bytes] = {}
        for part in parts(list(hashes)):
            sql = f"SELECT hash, vector FROM vectors WHERE hash IN ({marks(part)})"  # noqa: S608
            found |= dict(self._db.execute(sql, part).fetchall())
        return found

    def put(
        self,
        notes: Mapping[str, tuple[bytes, Sequence[StoredPassage]]],
        vectors: Mapping[bytes, bytes],
    ) -> dict[str, EmbeddedNote]:
        """Keep notes with their passages, in place of what was kept of them, in one step."""
        done: dict[str, EmbeddedNote] = {}
        with self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", vectors.items())
            for path, (sha, passages) in notes.items():
                (note,) = self._db.execute(
                    "INSERT INTO notes (path, sha) VALUES (?, ?)"
                    " ON CONFLICT (path) DO UPDATE SET sha = excluded.sha RETURNING id",
                    (path, sha),
                ).fetchone()
                self._db.execute("DELETE FROM passages WHERE note = ?", (note,))
                done[path] = self._put_passages(note, passages)
        return done

    def _put_passages(self, note: int, passages: Sequence[StoredPassage]) -> EmbeddedNote:
        numbers = [
            self._db.execute(
                "INSERT INTO passages (note, start, stop, hash) VALUES (?, ?, ?, ?) RETURNING id",
                (note, each.start, each.stop, each.hash),
            ).fetchone()[0]
            for each in passages
        ]
        kept = self.vectors([each.hash for each in passages])
        return EmbeddedNote(note, numbers, [kept[each.hash] for each in passages])

    def remove(self, paths: Collection[str]) -> list[int]:
        """Forget notes; their vectors stay a while, in case they come back."""
        gone: list[int] = []
        with self._transaction():
            for part in parts(list(paths)):
                sql = f"DELETE FROM notes WHERE path IN ({marks(part)}) RETURNING id"  # noqa: S608
                gone += [note for (note,) in self._db.execute(sql, part).fetchall()]
            self._db.executemany("DELETE FROM passages WHERE note = ?", ((n,) for n in gone))
        return gone

    def sweep(self) -> None:
        """Throw away vectors that no passage uses any more."""
        with self._transaction():
            self._db.execute(
                "DELETE FROM vectors WHERE NOT EXISTS"
                " (SELECT 1 FROM passages WHERE passages.hash = vectors.hash)"
            )

    def range(self, passage: int) -> tuple[int, int] | None:
        """Tell where a passage stands in its note."""
        sql = "SELECT start, stop FROM passages WHERE id = ?"
        return self._db.execute(sql, (passage,)).fetchone()

    def _transaction(self) -> sqlite3.Connection:
        self._db.execute("BEGIN IMMEDIATE")
        return self._db


def _opened(folder: Path) -> sqlite3.Connection:
    """Open the file; one that is damaged or of another version is made anew."""
    try:
        return opened(partial(_connected, folder), partial(_erase, folder))
    except sqlite3.Error as error:
        raise Unavailable(f"{_FILE} cannot be opened: {error}.") from error


def _erase(folder: Path) -> None:
    for name in (_FILE, f"{_FILE}-wal", f"{_FILE}-shm"):
        (folder / name).unlink(missing_ok=True)


def _connected(folder: Path) -> sqlite3.Connection:
    db = sqlite3.connect(folder / _FILE, isolation_level=None, check_same_thread=False)
    db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    with db:
        db.execute("BEGIN IMMEDIATE")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        for statement in _TABLES if version == 0 else ():
            db.execute(statement)
        if version == 0:
            db.execute(f"PRAGMA user_version = {_VERSION}")
    if version not in (0, _VERSION):
        db.close()
        raise sqlite3.DatabaseError("another version")
    return db
