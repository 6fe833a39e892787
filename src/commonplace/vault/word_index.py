"""Ranks notes by the words of a query, with SQLite's full-text index."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from commonplace.core import words

_RANKED_MAX = 20_000


@dataclass(frozen=True, slots=True)
class TextHit:
    """A note that a text query found; `score` is BM25, higher is better."""

    note: int
    path: str
    title: str
    score: float


class WordIndex:
    """Questions about words, over a connection to the index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def search(
        self, query: str, limit: int, allowed: Collection[int] | None = None
    ) -> list[TextHit]:
        """Rank notes by the words of a query, all of them or the allowed ones."""
        terms = words.query_terms(query)
        if not terms:
            return []
        if allowed is None:
            terms = self._telling(terms)
        among = "" if allowed is None else "AND rowid IN (SELECT value FROM json_each(?3))"
        values: list[object] = [words.fts_query(terms), limit]
        values += [] if allowed is None else [json.dumps(list(allowed))]
        rows = self._db.execute(
            "SELECT notes.id, notes.path, notes.title, -hit.rank FROM"  # noqa: S608
            f" (SELECT rowid, rank FROM fulltext WHERE fulltext MATCH ?1 {among}"
            " ORDER BY rank LIMIT ?2) hit"
            " JOIN notes ON notes.id = hit.rowid ORDER BY hit.rank, notes.path",
            values,
        )
        return [TextHit(*row) for row in rows]

    def _telling(self, terms: list[str]) -> list[str]:
        """Leave out words that very many notes have, as long as rarer ones tell them apart.

        To rank all notes that have a common word takes long and changes next to nothing.
        """
        sql = "SELECT count(*) FROM (SELECT 1 FROM fulltext WHERE fulltext MATCH ? LIMIT ?)"
        counts = [
            (self._db.execute(sql, (words.fts_query([term]), _RANKED_MAX)).fetchone()[0], term)
            for term in terms
        ]
        kept, rows = set[str](), 0
        for count, term in sorted(counts):
            if kept and rows + count > _RANKED_MAX:
                break
            kept.add(term)
            rows += count
        return [term for term in terms if term in kept]
