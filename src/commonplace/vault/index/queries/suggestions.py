"""Reads which suggestions wait for a decision, and in which notes."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.vault.index.database import marks, parts


@dataclass(frozen=True, slots=True)
class PendingSuggestion:
    """A suggestion that waits for a decision, with a little of the text around it."""

    path: str
    id: str
    kind: str
    line: int
    old: str
    new: str
    author: str | None
    time: float | None
    before: str
    after: str
    perhaps_rejected: bool = False
    """Whether another program saved the note without it, perhaps to reject it."""


PendingRow = tuple[str, str, str, int, str, str, str | None, float | None, str, str]
"""The fields of a `PendingSuggestion` that the text itself has."""


class PendingIndex:
    """Questions about suggestions, over a connection to the index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def of(self, paths: Sequence[str]) -> list[PendingRow]:
        """Return what waits for a decision in some notes, by path and place."""
        found: list[PendingRow] = []
        for part in parts(paths):
            found += self._db.execute(
                "SELECT notes.path, suggestions.id, kind, line, old, new, author, time,"  # noqa: S608
                " before, after FROM notes JOIN suggestions ON suggestions.note = notes.id"
                f" WHERE notes.path IN ({marks(part)}) ORDER BY notes.path, ordinal",
                part,
            ).fetchall()
        return found

    def authors(self, kind: str | None = None) -> list[tuple[str, str, str | None, float | None]]:
        """Return the path, id, author and time of all that waits, by path and place."""
        sql = (
            "SELECT notes.path, suggestions.id, author, time"
            " FROM suggestions JOIN notes ON notes.id = suggestions.note"
            " WHERE ?1 IS NULL OR kind = ?1 ORDER BY notes.path, ordinal"
        )
        return self._db.execute(sql, (kind,)).fetchall()

    def counts(self, kind: str | None = None) -> dict[str, int]:
        """Count the suggestions of each note that has any."""
        only = "" if kind is None else "WHERE kind = ?"
        sql = (
            "SELECT notes.path, n FROM (SELECT note, count(*) AS n FROM suggestions"  # noqa: S608
            f" {only} GROUP BY note) JOIN notes ON notes.id = note"
        )
        return dict(self._db.execute(sql, () if kind is None else (kind,)).fetchall())
