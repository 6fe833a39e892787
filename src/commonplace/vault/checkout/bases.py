"""What a working copy and the vault last agreed on, kept beside the copy."""

import sqlite3
from pathlib import Path


class Bases:
    """The base text of each note of a working copy; used from one thread.

    A file that was given another name there has a base under the new one, and stands for the note
    of the old one until a person has decided about the rename.
    """

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        # A base that is lost with the machine's power is taken anew from the vault.
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE IF NOT EXISTS base (path TEXT PRIMARY KEY, text TEXT)")
        self._db.execute("CREATE TABLE IF NOT EXISTS move (path TEXT PRIMARY KEY, note TEXT)")
        rows = self._db.execute("SELECT path, note FROM move").fetchall()
        self._moves: dict[str, str] = {str(path): str(note) for path, note in rows}

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

    def clear(self) -> None:
        """Forget everything."""
        self._db.execute("DELETE FROM base")
        self._db.execute("DELETE FROM move")
        self._moves.clear()

    # -- files that were given another name

    @property
    def moves(self) -> dict[str, str]:
        """The note that each file stands for which was given another name."""
        return self._moves

    def move(self, old: str, new: str) -> None:
        """Keep that a file has another name now; what it stands for stays."""
        note = self._moves.get(old, old)
        self._db.execute("BEGIN")
        self._db.execute("UPDATE OR REPLACE base SET path = ? WHERE path = ?", [new, old])
        self._db.execute("DELETE FROM move WHERE path IN (?, ?)", [old, new])
        if note != new:
            self._db.execute("INSERT INTO move VALUES (?, ?)", [new, note])
        self._db.execute("COMMIT")
        self._moves.pop(old, None)
        self._moves.pop(new, None)
        if note != new:
            self._moves[new] = note

    def forget_move(self, path: str) -> None:
        """Let a file stand for the note of its own name again."""
        self._db.execute("DELETE FROM move WHERE path = ?", [path])
        self._moves.pop(path, None)
