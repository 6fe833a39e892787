"""What a working copy and the vault last agreed on, kept beside the copy."""

import sqlite3
from pathlib import Path


class Bases:
    """The base text of each note of a working copy; used from one thread."""

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        # A base that is lost with the machine's power is taken anew from the vault.
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE IF NOT EXISTS base (path TEXT PRIMARY KEY, text TEXT)")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def get(self, path: str) -> str | None:
        """Return the base of a note; None if the copy has no such note."""
        row = self._db.execute("SELECT text FROM base WHERE path = ?", [path]).fetchone()
        return None if row is None else str(row[0])

    def put(self, path: str, text: str | None) -> None:
        """Keep the base of a note; None if it is gone from both sides."""
        if text is None:
            self._db.execute("DELETE FROM base WHERE path = ?", [path])
        else:
            self._db.execute("INSERT OR REPLACE INTO base VALUES (?, ?)", [path, text])

    def paths(self) -> set[str]:
        """Return every note that has a base."""
        return {str(row[0]) for row in self._db.execute("SELECT path FROM base")}
