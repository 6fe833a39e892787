"""Reads the tags of the index. A tag counts as those that it is nested in, too."""

import json
import sqlite3
from collections.abc import Collection

from commonplace.core.text.words import fold
from commonplace.vault.index.database import marks, parts


class TagIndex:
    """Questions about tags, over a connection to the index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def counted(self, limit: int) -> list[tuple[str, int]]:
        """Return tags with the number of notes that carry them, the most used first."""
        sql = (
            "SELECT min(tag), count(DISTINCT note) AS n FROM tags GROUP BY key ORDER BY n DESC, key"
            " LIMIT ?"
        )
        return self._db.execute(sql, (limit,)).fetchall()

    def carriers(self, tag: str) -> list[tuple[str, str]]:
        """Return the notes that carry a tag, or one beneath it: (path, title)."""
        key = fold(tag.lstrip("#"))
        sql = (
            "SELECT DISTINCT notes.path, notes.title FROM tags JOIN notes ON notes.id = tags.note"
            " WHERE tags.key = ?1 OR (tags.key > ?1 || '/' AND tags.key < ?1 || '0')"
            " ORDER BY notes.path"
        )
        return self._db.execute(sql, (key,)).fetchall()

    def carrying(self, tags: Collection[str], *, every: bool) -> set[int]:
        """Return the notes that carry any, or every, of these tags."""
        found: list[set[int]] = []
        for key in _tag_keys(tags):
            # One row that holds them all: to fetch thousands takes longer than to find them.
            (rows,) = self._db.execute(
                "SELECT json_group_array(note) FROM (SELECT note FROM tags WHERE key = ?1"
                " UNION ALL SELECT note FROM tags WHERE key > ?1 || '/' AND key < ?1 || '0')",
                (key,),
            ).fetchone()
            found.append(set(json.loads(rows)))
        first, *others = found
        for other in others:
            first = first & other if every else first | other
        return first

    def of(self, notes: Collection[int], limit: int) -> dict[int, list[str]]:
        """Return the first tags of some notes, in the order in which they stand."""
        found: dict[int, list[str]] = {note: [] for note in notes}
        for part in parts(list(found)):
            sql = (
                f"SELECT note, tag FROM tags WHERE note IN ({marks(part)})"  # noqa: S608
                " AND ordinal < ? ORDER BY note, ordinal"
            )
            for note, tag in self._db.execute(sql, [*part, limit]):
                found[note].append(tag)
        return found


def _tag_keys(tags: Collection[str]) -> list[str]:
    return list(dict.fromkeys(fold(tag.strip().lstrip("#").strip("/")) for tag in tags))
