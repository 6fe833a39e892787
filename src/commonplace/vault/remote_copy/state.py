"""What a copy and its server last agreed on, and what was begun and not ended, in the state folder.

A save that is sent is written down first, and stays until the answer is here: after a crash it is
sent again under the same name. So is a file that is about to be put in place.
"""

import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from commonplace.errors import Conflict
from commonplace.vault.files.reader import Stamp

_TABLES = """
CREATE TABLE IF NOT EXISTS agreed (
    path TEXT PRIMARY KEY, sha TEXT NOT NULL, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL,
    inode INTEGER NOT NULL, text BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sending (
    path TEXT PRIMARY KEY, name TEXT NOT NULL, was TEXT NOT NULL, base BLOB, data BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS writing (
    token TEXT PRIMARY KEY, path TEXT NOT NULL, sha TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS server (one INTEGER PRIMARY KEY CHECK (one = 1), address TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class AgreedFile:
    """A file as both had it: a hash of what it held, how it looked here, whether it was a text."""

    sha: str
    stamp: Stamp
    has_text: bool = False


@dataclass(frozen=True, slots=True)
class Sending:
    """A save of a note that may have reached the server."""

    path: str
    name: str
    was: str
    base: bytes | None
    data: bytes


@dataclass(frozen=True, slots=True)
class Writing:
    """A change of a file here that may have been cut short; `sha` is what it was to hold."""

    token: str
    path: str
    sha: str


class CopyState:
    """Used from any thread."""

    def __init__(self, file: Path) -> None:
        self._using = threading.Lock()
        self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(_TABLES)

    def close(self) -> None:
        """Let go of the file."""
        with self._using:
            self._db.close()

    def belong_to(self, address: str) -> None:
        """Let this be the state of a copy of one server's vault; Conflict if it is another's."""
        with self._using:
            row = self._db.execute("SELECT address FROM server").fetchone()
            if row is None:
                self._db.execute("INSERT INTO server VALUES (1, ?)", [address])
            elif row[0] != address:
                raise Conflict(f"This folder is a copy of {row[0]}. Choose another folder.")

    def clear(self) -> None:
        """Forget what was agreed on."""
        with self._using:
            self._db.execute("DELETE FROM agreed")
            self._db.execute("DELETE FROM sending")

    # -- what was agreed on

    def agreed(self) -> dict[str, AgreedFile]:
        """Return everything that was agreed on, by path."""
        with self._using:
            rows = self._db.execute(
                "SELECT path, text IS NOT NULL, sha, mtime_ns, size, inode FROM agreed"
            )
            return {
                path: AgreedFile(sha, Stamp(*stamp), bool(has_text))
                for path, has_text, sha, *stamp in rows
            }

    def text(self, path: str) -> bytes | None:
        """Return what a note held when it was agreed on."""
        with self._using:
            row = self._db.execute("SELECT text FROM agreed WHERE path = ?", [path]).fetchone()
        return None if row is None else row[0]

    def agree(self, path: str, file: AgreedFile, text: bytes | None) -> None:
        """Remember what both have of a file now; a save of it that was sent has its answer."""
        row = (path, file.sha, *file.stamp, text)
        with self._using, self._db:
            self._db.execute("BEGIN")
            self._db.execute("INSERT OR REPLACE INTO agreed VALUES (?, ?, ?, ?, ?, ?)", row)
            self._db.execute("DELETE FROM sending WHERE path = ?", [path])

    def look_alike(self, path: str, stamp: Stamp) -> None:
        """Remember that a file looks otherwise here, and holds the same."""
        with self._using:
            self._db.execute(
                "UPDATE agreed SET mtime_ns = ?, size = ?, inode = ? WHERE path = ?",
                (*stamp, path),
            )

    def forget(self, path: str) -> None:
        """Forget a file that both do not have any more."""
        with self._using:
            self._db.execute("DELETE FROM agreed WHERE path = ?", [path])

    def move(self, old: str, new: str) -> None:
        """Let what was agreed on of a file be that of one with another name."""
        with self._using:
            self._db.execute("UPDATE OR REPLACE agreed SET path = ? WHERE path = ?", [new, old])

    # -- what was begun

    def sending(self) -> list[Sending]:
        """Return the saves that were sent and not answered."""
        with self._using:
            rows = self._db.execute("SELECT path, name, was, base, data FROM sending").fetchall()
        return [Sending(*row) for row in rows]

    def send(self, save: Sending) -> None:
        """Remember a save before it is sent."""
        row = (save.path, save.name, save.was, save.base, save.data)
        with self._using:
            self._db.execute("INSERT OR REPLACE INTO sending VALUES (?, ?, ?, ?, ?)", row)

    def drop(self, path: str) -> None:
        """Forget a save that the server refused."""
        with self._using:
            self._db.execute("DELETE FROM sending WHERE path = ?", [path])

    def writing(self) -> list[Writing]:
        """Return the changes of files here that may have been cut short."""
        with self._using:
            rows = self._db.execute("SELECT token, path, sha FROM writing").fetchall()
        return [Writing(*row) for row in rows]

    def write(self, change: Writing) -> None:
        """Remember a change of a file here before it is made."""
        with self._using:
            self._db.execute(
                "INSERT INTO writing VALUES (?, ?, ?)", (change.token, change.path, change.sha)
            )

    def wrote(self, token: str) -> None:
        """Forget a change of a file here that was made, or was not."""
        with self._using:
            self._db.execute("DELETE FROM writing WHERE token = ?", [token])
