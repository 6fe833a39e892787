"""What a node's working copy and the store last agreed on, in a file of the node's own.

By it a node that takes the vault again tells what another program did in the copy from what other
owners did in the store. It need not survive a power cut to the last row: then a file counts as
changed here that was not.
"""

import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from commonplace.vault.files.reader import Stamp
from commonplace.vault.team_files.store import KeptFile

AGREED = "copy.db"
"""The name of the file, in the node's state folder."""

_ANNOUNCED_MAX = 2_000
_VANISHED_MIN = 20
_VANISHED_SHARE = 0.2

_TABLES = """
CREATE TABLE IF NOT EXISTS agreed (
    path BLOB PRIMARY KEY, sha BLOB NOT NULL, mode INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL, inode INTEGER NOT NULL, before BLOB, expected BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS announced (number INTEGER PRIMARY KEY, sha BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS turn (one INTEGER PRIMARY KEY CHECK (one = 1), fence INTEGER NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class SyncedFile:
    """A file as both had it; `ours` are the hashes of what we put there or were about to.

    `kept` is None for one that was to be made, and of which nobody knows whether it was.
    """

    kept: KeptFile | None
    stamp: Stamp
    ours: frozenset[bytes]


class SyncedFiles:
    """One row a file; used from any thread."""

    def __init__(self, file: Path) -> None:
        self._using = threading.Lock()
        self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(_TABLES)
        self._db.execute(
            "DELETE FROM announced WHERE number <= (SELECT max(number) FROM announced) - ?",
            (_ANNOUNCED_MAX,),
        )

    def close(self) -> None:
        """Let go of the file."""
        with self._using:
            self._db.close()

    def get(self, path: bytes) -> SyncedFile | None:
        """Return what was agreed on for a file; None if there was none."""
        with self._using:
            row = self._db.execute(
                "SELECT sha, mode, mtime_ns, size, inode, before, expected FROM agreed"
                " WHERE path = ?",
                (path,),
            ).fetchone()
        return None if row is None else _agreed(*row)

    def all(self) -> dict[bytes, SyncedFile]:
        """Return everything, by path."""
        with self._using:
            rows = self._db.execute(
                "SELECT path, sha, mode, mtime_ns, size, inode, before, expected FROM agreed"
            ).fetchall()
        return {path: _agreed(*row) for path, *row in rows}

    def below(self, folder: bytes) -> set[bytes]:
        """Return the paths beneath a folder; beneath none, all."""
        bounds = (folder + b"/", folder + b"0") if folder else (b"", b"\xff" * 8)
        with self._using:
            rows = self._db.execute(
                "SELECT path FROM agreed WHERE path >= ? AND path < ?", bounds
            ).fetchall()
        return {path for (path,) in rows}

    def count(self) -> int:
        """Count the files."""
        with self._using:
            return self._db.execute("SELECT count(*) FROM agreed").fetchone()[0]

    def are_very_many(self, vanished: int) -> bool:
        """Tell whether so many vanished at once that rather something went wrong."""
        return vanished > max(_VANISHED_MIN, _VANISHED_SHARE * self.count())

    def announce(self, sha: bytes) -> None:
        """Remember that we are about to write such a content under a temporary name."""
        with self._using:
            self._db.execute("INSERT INTO announced (sha) VALUES (?)", (sha,))

    def expect(self, path: bytes, sha: bytes) -> None:
        """Remember what the store says of a file that is not changed here yet."""
        with self._using:
            self._db.execute(
                "INSERT INTO agreed VALUES (?, x'', 0, 0, 0, 0, NULL, ?)"
                " ON CONFLICT (path) DO UPDATE SET expected = excluded.expected",
                (path, sha),
            )

    def put(self, files: Iterable[tuple[bytes, KeptFile, Stamp]]) -> None:
        """Remember that the copy has these files as the store has them."""
        rows = [(path, kept.sha, kept.mode, *stamp) for path, kept, stamp in files]
        with self._using, self._db:
            self._db.execute("BEGIN")
            self._db.executemany(
                "INSERT INTO agreed VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)"
                " ON CONFLICT (path) DO UPDATE SET before = sha, sha = excluded.sha,"
                " mode = excluded.mode, mtime_ns = excluded.mtime_ns, size = excluded.size,"
                " inode = excluded.inode, expected = NULL",
                rows,
            )

    def remove(self, paths: Iterable[bytes]) -> None:
        """Forget files that both do not have any more."""
        with self._using, self._db:
            self._db.execute("BEGIN")
            self._db.executemany("DELETE FROM agreed WHERE path = ?", [(path,) for path in paths])

    def our_contents(self) -> set[bytes]:
        """Return the hashes of whatever we wrote, or were about to, as far as that is known."""
        with self._using:
            rows = self._db.execute(
                "SELECT sha FROM announced UNION SELECT sha FROM agreed"
                " UNION SELECT before FROM agreed UNION SELECT expected FROM agreed"
            ).fetchall()
        return {sha for (sha,) in rows if sha}

    @property
    def fence(self) -> int:
        """The number of the lease under which this node last had the vault."""
        with self._using:
            row = self._db.execute("SELECT fence FROM turn").fetchone()
        return row[0] if row else -1

    def take_turn(self, fence: int) -> None:
        """Remember under which lease this node has the vault."""
        with self._using:
            self._db.execute("INSERT OR REPLACE INTO turn VALUES (1, ?)", (fence,))


def _agreed(
    sha: bytes,
    mode: int,
    mtime_ns: int,
    size: int,
    inode: int,
    before: bytes | None,
    expected: bytes | None,
) -> SyncedFile:
    ours = frozenset(each for each in (sha, before, expected) if each)
    kept = KeptFile(sha, mode, mtime_ns) if sha else None
    return SyncedFile(kept, Stamp(mtime_ns, size, inode), ours)
