"""Reads which notes have a property with some value."""

import sqlite3
from collections.abc import Collection, Sequence

from commonplace.vault.index.database import marks, parts


class PropertyIndex:
    """Questions about properties, over a connection to the index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def having(self, key: str, values: Collection[str]) -> set[int]:
        """Return the notes that have a property with one of these values."""
        # Joined by SQLite: half of all notes may match, and to fetch a row for each takes longer.
        sql = "SELECT group_concat(note) FROM properties WHERE key = ? AND value = ?"
        found: set[int] = set()
        for value in values:
            (joined,) = self._db.execute(sql, (key, value)).fetchone()
            found.update(map(int, joined.split(",")) if joined else ())
        return found

    def count_having(self, key: str, values: Collection[str], most: int) -> int:
        """Count the notes that have a property with one of these values, up to a number."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM properties WHERE key = ? AND value = ? LIMIT ?)"
        counts = (self._db.execute(sql, (key, value, most)).fetchone()[0] for value in values)
        return min(most, sum(counts))

    def having_of(self, notes: Sequence[int], key: str, values: Collection[str]) -> set[int]:
        """Return those of some notes that have a property with one of these values."""
        found: set[int] = set()
        for value in values:
            for part in parts(notes):
                sql = (
                    "SELECT note FROM properties WHERE key = ? AND value = ?"  # noqa: S608
                    f" AND note IN ({marks(part)})"
                )
                found.update(note for (note,) in self._db.execute(sql, (key, value, *part)))
        return found
