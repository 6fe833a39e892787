"""Ranks notes by the words of a query, with SQLite's full-text index."""

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

from commonplace.core.text import words
from commonplace.vault.index.view import visible

# So many notes are ranked by all words. Where more match, the rarest words choose about so few.
_RANKED_MAX = 20_000
_FOUND_MAX = 10_000


@dataclass(frozen=True, slots=True)
class TextHit:
    """A note that a text query found; `score` is BM25, higher is better."""

    note: int
    path: str
    title: str
    score: float


class WordIndex:
    """Questions about words, over a connection to the index.

    One that sees a part of the notes is `limited`: words alone do not tell whose they are.
    """

    def __init__(self, db: sqlite3.Connection, *, limited: bool = False) -> None:
        self._db = db
        self._limited = limited

    def search(
        self, query: str, limit: int, allowed: Collection[int] | None = None
    ) -> list[TextHit]:
        """Rank notes by the words of a query, all of them or the allowed ones."""
        terms = words.query_terms(query)
        if not terms:
            return []
        if self._limited:
            seen = visible(self._db)
            allowed = seen if allowed is None else seen.intersection(allowed)
        if allowed is None:
            hits = "WHERE fulltext MATCH ?1 ORDER BY rank"
            values = [self._asked(terms), limit]
        else:
            # The signs keep SQLite from asking anew for each note, and from ranking all others.
            hits = (
                "WHERE fulltext MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?3))"
                " ORDER BY +rank"
            )
            values = [words.fts_query(terms), limit, json.dumps(list(allowed))]
        rows = self._db.execute(
            "SELECT notes.id, notes.path, notes.title, -hit.rank FROM"  # noqa: S608 (it is ours)
            f" (SELECT rowid, rank FROM fulltext {hits} LIMIT ?2) hit"
            " JOIN notes ON notes.id = hit.rowid ORDER BY hit.rank, notes.path",
            values,
        )
        return [TextHit(*row) for row in rows]

    def holding(self, phrase: str) -> set[int]:
        """Return the notes in which some words stand side by side."""
        asked = words.fts_phrase(phrase)
        if not asked:
            return set()
        rows = self._db.execute("SELECT rowid FROM fulltext WHERE fulltext MATCH ?", (asked,))
        found = {note for (note,) in rows}
        return found & visible(self._db) if self._limited else found

    def _asked(self, terms: list[str]) -> str:
        """Ask for notes with any of the terms; where those are very many, with one that is rarer.

        To rank all notes that have a common word takes long, and those with no other word of the
        query come last. Among the notes that a rarer word finds, others count as well, but for
        those that tell next to nothing.
        """
        counts = {term: self._count(term) for term in terms}
        if sum(counts.values()) <= _RANKED_MAX:
            return words.fts_query(terms)
        finding = _rarest(counts)
        ranking = [term for term in terms if term in finding or counts[term] < _RANKED_MAX]
        if len(ranking) == len(finding):
            return words.fts_query(finding)
        return f"({words.fts_query(finding)}) AND ({words.fts_query(ranking)})"

    def _count(self, term: str) -> int:
        sql = "SELECT count(*) FROM (SELECT 1 FROM fulltext WHERE fulltext MATCH ? LIMIT ?)"
        return self._db.execute(sql, (words.fts_query([term]), _RANKED_MAX)).fetchone()[0]


def _rarest(counts: Mapping[str, int]) -> list[str]:
    """Choose the words that the fewest notes have: one, or more that find few enough together."""
    rarest = sorted(counts, key=counts.__getitem__)
    together = accumulate(counts[term] for term in rarest)
    few = sum(1 for found in together if found <= _FOUND_MAX)
    return rarest[: max(1, few)]
