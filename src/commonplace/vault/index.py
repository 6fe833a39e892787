"""Reads the index: what there is, what links where, what a query finds.

Each question is answered by rows that a look-up tree leads to; none walks over all notes.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from commonplace.core import words
from commonplace.core.digest import Digest
from commonplace.core.links import Candidate, NameKind, fold, is_attachment, resolve
from commonplace.vault.corpus import Corpus
from commonplace.vault.tables import connect, marks, parts, read_meta

_TAGGED_MANY = 20_000
_RANKED_MAX = 20_000

_ABOUT = (
    "SELECT id, path, title, words, chars, headings, code_blocks, wikilinks, frontmatter,"
    " fault, problem, mtime_ns, size FROM notes"
)


class Known(NamedTuple):
    """A note file as the index last saw it."""

    note: int
    mtime_ns: int
    size: int
    inode: int
    sha: bytes | None


@dataclass(frozen=True, slots=True)
class Links:
    """The links of one note, each list sorted and without doubles."""

    backlinks: list[str]
    forward: list[str]
    unresolved: list[str]


@dataclass(frozen=True, slots=True)
class About:
    """What the index knows of a note without its text."""

    note: int
    path: str
    title: str | None
    words: int | None
    chars: int | None
    headings: int | None
    code_blocks: int | None
    wikilinks: int | None
    properties: dict[str, object]
    fault: str | None
    problem: str | None
    mtime_ns: int
    size: int


class Row(NamedTuple):
    """A note in a list; its properties as JSON. A tuple, because a folder has thousands."""

    path: str
    words: int
    mtime_ns: int
    properties: str | None


@dataclass(frozen=True, slots=True)
class Pending:
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


@dataclass(frozen=True, slots=True)
class LinkTo:
    """A link as it is written, where it stands, and what it means."""

    source: str
    kind: str
    raw: str
    target: str | None
    ambiguous: bool


@dataclass(frozen=True, slots=True)
class TextHit:
    """A note that a text query found; `score` is BM25, higher is better."""

    note: int
    path: str
    title: str
    score: float


class Index:
    """A reader of the index, for one thread at a time."""

    def __init__(self, folder: Path, shards: int) -> None:
        self._folder = folder
        self._db = connect(folder, shards)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def known(self) -> dict[str, Known]:
        """Return every note file by path, as last seen."""
        sql = "SELECT path, id, mtime_ns, size, inode, sha FROM notes"
        return {path: Known(*rest) for path, *rest in self._db.execute(sql)}

    def known_one(self, path: str) -> Known | None:
        """Return one note file as last seen."""
        sql = "SELECT id, mtime_ns, size, inode, sha FROM notes WHERE path = ?"
        row = self._db.execute(sql, (path,)).fetchone()
        return Known(*row) if row else None

    def catalog(self) -> Iterator[tuple[int, str, int, str | None]]:
        """Yield (note, path, mtime_ns, name on disk if it differs) of every note."""
        return self._db.execute("SELECT id, path, mtime_ns, on_disk FROM notes")

    def corpus(self) -> Corpus:
        """Open the corpus of the current generation."""
        corpus = self.unread_corpus()
        corpus.load(
            self._db.execute(
                "SELECT id, shard, start, length FROM notes WHERE shard NOT NULL"
                " ORDER BY shard, start, length"
            )
        )
        return corpus

    def unread_corpus(self) -> Corpus:
        """Name the files of the corpus, not yet knowing what lies where."""
        generation, shards = read_meta(self._db, "generation"), read_meta(self._db, "shards")
        return Corpus(self._folder, generation, shards)

    def about(self, path: str) -> About | None:
        """Return what is known of one note."""
        row = self._db.execute(f"{_ABOUT} WHERE path = ?", (path,)).fetchone()
        return _about(row) if row else None

    def page(self, after: str | None, limit: int) -> list[About]:
        """Return notes by path, from after a given one."""
        sql = f"{_ABOUT} WHERE path > ? ORDER BY path LIMIT ?"
        return [_about(row) for row in self._db.execute(sql, (after or "", limit))]

    def beneath(self, folder: str, limit: int, *, deep: bool) -> list[Row]:
        """Return the notes in a folder (with its slash; empty for the top), by path."""
        sql = (
            "SELECT path, coalesce(words, 0), mtime_ns, frontmatter FROM notes"
            " WHERE path >= ?1 AND path < ?1 || char(1114111)"
            " AND (?2 OR instr(substr(path, length(?1) + 1), '/') = 0) ORDER BY path LIMIT ?3"
        )
        return [Row(*row) for row in self._db.execute(sql, (folder, deep, limit))]

    def abouts(self, notes: Collection[int]) -> dict[int, About]:
        """Return what is known of some notes."""
        found: dict[int, About] = {}
        for part in parts(list(notes)):
            sql = f"{_ABOUT} WHERE id IN ({marks(part)})"
            found |= {row[0]: _about(row) for row in self._db.execute(sql, part)}
        return found

    def having(self, key: str, values: Collection[str]) -> set[int]:
        """Return the notes that have a property with one of these values."""
        # Joined by SQLite: half of all notes may match, and a row each takes three times as long.
        sql = "SELECT group_concat(note) FROM properties WHERE key = ? AND value = ?"
        found: set[int] = set()
        for value in values:
            (joined,) = self._db.execute(sql, (key, value)).fetchone()
            found.update(map(int, joined.split(",")) if joined else ())
        return found

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

    def orphans(self) -> int:
        """Count the notes that link nowhere and that nothing links to."""
        sql = (
            "SELECT count(*) FROM notes WHERE"
            " NOT EXISTS (SELECT 1 FROM links WHERE target = notes.id AND source <> notes.id)"
            " AND NOT EXISTS (SELECT 1 FROM links WHERE source = notes.id AND target NOT NULL"
            " AND target <> notes.id)"
        )
        (count,) = self._db.execute(sql).fetchone()
        return count

    def complete(self, prefix: str, limit: int) -> list[str]:
        """Return paths that start with what was typed, then notes whose name starts so."""
        by_path = self._db.execute(
            "SELECT path FROM notes WHERE path >= ?1 AND path < ?1 || char(1114111)"
            " ORDER BY path LIMIT ?2",
            (prefix, limit),
        )
        by_name = self._db.execute(
            "SELECT DISTINCT notes.path FROM names JOIN notes ON notes.id = names.note"
            " WHERE names.key >= ?1 AND names.key < ?1 || char(1114111)"
            " ORDER BY names.key, notes.path LIMIT ?2",
            (fold(prefix), limit),
        )
        return list(dict.fromkeys(path for (path,) in [*by_path, *by_name]))[:limit]

    def links(self, note: int) -> Links:
        """Return where a note links and what links to it."""
        forward = self._paths(
            "SELECT DISTINCT notes.path FROM links JOIN notes ON notes.id = links.target"
            " WHERE links.source = ?",
            note,
        )
        backlinks = self._paths(
            "SELECT DISTINCT notes.path FROM links JOIN notes ON notes.id = links.source"
            " WHERE links.target = ?",
            note,
        )
        unresolved = self._paths(
            "SELECT DISTINCT raw FROM links WHERE source = ? AND target IS NULL", note
        )
        return Links(backlinks, forward, [raw for raw in unresolved if not is_attachment(raw)])

    def links_of(self, path: str, note: int | None, found: Digest, root: str) -> Links:
        """Return the links of a note that is not indexed yet, as far as others are."""
        forward: set[str] = set()
        unresolved: set[str] = set()
        for link in found.links:
            meant = resolve(link.target, path, self._candidates(link.key), root)
            if meant is not None:
                forward.add(meant.path)
            elif not is_attachment(link.target):
                unresolved.add(link.target)
        known = self.links(note).backlinks if note is not None else []
        return Links(known, sorted(forward), sorted(unresolved))

    def links_to(self, note: int) -> list[LinkTo]:
        """Return the links that mean a note, each spelling once a source."""
        return self._links("links.target = ?", note)

    def links_from(self, note: int) -> list[LinkTo]:
        """Return the links that stand in a note, each spelling once."""
        return self._links("links.source = ?", note)

    def links_named(self, key: str) -> list[LinkTo]:
        """Return the links by a name, each spelling once a source."""
        return self._links("links.key = ?", key)

    def _links(self, where: str, value: object) -> list[LinkTo]:
        rows = self._db.execute(
            "SELECT DISTINCT source.path, links.kind, links.raw, target.path, links.ambiguous"  # noqa: S608
            " FROM links JOIN notes source ON source.id = links.source"
            f" LEFT JOIN notes target ON target.id = links.target WHERE {where}"
            " ORDER BY source.path, links.raw",
            (value,),
        )
        return [LinkTo(*each, ambiguous=bool(doubtful)) for *each, doubtful in rows]

    def named(self, key: str) -> list[Candidate]:
        """Return the notes that carry a name."""
        return self._candidates(key)

    def _candidates(self, key: str) -> list[Candidate]:
        rows = self._db.execute(
            "SELECT notes.path, names.kind, names.name FROM names"
            " JOIN notes ON notes.id = names.note WHERE names.key = ?",
            (key,),
        )
        return [Candidate(path, NameKind(kind), name) for path, kind, name in rows]

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

    def backlinks(self, note: int, limit: int) -> list[tuple[int, str, str, int]]:
        """Return the links to a note: (source, its path, its title, where in its text)."""
        sql = (
            "SELECT notes.id, notes.path, notes.title, links.start FROM links"
            " JOIN notes ON notes.id = links.source WHERE links.target = ?"
            " ORDER BY notes.path, links.start LIMIT ?"
        )
        return self._db.execute(sql, (note, limit)).fetchall()

    def titles(self, paths: Collection[str]) -> dict[str, str]:
        """Return the titles of notes."""
        found: dict[str, str] = {}
        for part in parts(list(paths)):
            sql = f"SELECT path, title FROM notes WHERE path IN ({marks(part)})"  # noqa: S608
            found |= {path: title or path for path, title in self._db.execute(sql, part)}
        return found

    def tags(self) -> list[tuple[str, int]]:
        """Return every tag with the number of notes that carry it, the most used first."""
        sql = (
            "SELECT min(tag), count(DISTINCT note) AS n FROM tags GROUP BY key ORDER BY n DESC, key"
        )
        return self._db.execute(sql).fetchall()

    def tagged(self, tag: str) -> list[tuple[str, str]]:
        """Return the notes that carry a tag, or one beneath it: (path, title)."""
        key = fold(tag.lstrip("#"))
        sql = (
            "SELECT DISTINCT notes.path, notes.title FROM tags JOIN notes ON notes.id = tags.note"
            " WHERE tags.key = ?1 OR (tags.key > ?1 || '/' AND tags.key < ?1 || '0')"
            " ORDER BY notes.path"
        )
        return self._db.execute(sql, (key,)).fetchall()

    def carrying(self, tags: Collection[str], *, every: bool) -> set[int] | None:
        """Return the notes that carry any, or every, of these tags; None if they are very many.

        A tag counts as those that it is nested in, too.
        """
        found: list[set[int]] = []
        for key in _tag_keys(tags):
            rows = self._db.execute(
                "SELECT note FROM tags WHERE key = ?1"
                " UNION ALL SELECT note FROM tags WHERE key > ?1 || '/' AND key < ?1 || '0'"
                " LIMIT ?2",
                (key, _TAGGED_MANY),
            ).fetchall()
            if len(rows) == _TAGGED_MANY:
                return None
            found.append({note for (note,) in rows})
        first, *others = found
        for notes in others:
            first = first & notes if every else first | notes
        return first

    def carrying_in_order(self, tags: Collection[str], limit: int, *, every: bool) -> list[str]:
        """Walk over the notes in order of their paths until enough carry the tags."""
        keys = _tag_keys(tags)
        has = (
            "EXISTS (SELECT 1 FROM tags WHERE tags.note = notes.id"
            " AND (tags.key = ? OR (tags.key > ? || '/' AND tags.key < ? || '0')))"
        )
        wanted = (" AND " if every else " OR ").join([has] * len(keys))
        sql = f"SELECT path FROM notes WHERE {wanted} ORDER BY path LIMIT ?"  # noqa: S608
        values = [key for key in keys for _ in range(3)]
        return [path for (path,) in self._db.execute(sql, [*values, limit])]

    def tags_of(self, notes: Collection[int]) -> dict[int, list[str]]:
        """Return the tags of some notes, in the order in which they stand."""
        found: dict[int, list[str]] = {note: [] for note in notes}
        for part in parts(list(found)):
            sql = f"SELECT note, tag FROM tags WHERE note IN ({marks(part)}) ORDER BY note, ordinal"  # noqa: S608
            for note, tag in self._db.execute(sql, part):
                found[note].append(tag)
        return found

    def broken(self, notes: Collection[int]) -> list[tuple[int, str, str]]:
        """Return the links of some notes that lead nowhere: (note, kind, as it is written)."""
        found: list[tuple[int, str, str]] = []
        for part in parts(list(notes)):
            sql = (
                f"SELECT source, kind, raw FROM links WHERE source IN ({marks(part)})"  # noqa: S608
                " AND target IS NULL ORDER BY source, ordinal"
            )
            found += self._db.execute(sql, part).fetchall()
        return [row for row in found if not is_attachment(row[2])]

    def edges(self) -> Iterator[tuple[int, int]]:
        """Yield every resolved link as (source, target), in the order in which they stand."""
        return self._db.execute(
            "SELECT source, target FROM links WHERE target NOT NULL ORDER BY source, ordinal"
        )

    def edges_of(self, sources: Collection[int]) -> list[tuple[int, int]]:
        """Return the resolved links of some notes, in the order in which they stand."""
        found: list[tuple[int, int]] = []
        for part in parts(sorted(sources)):
            sql = (
                f"SELECT source, target FROM links WHERE source IN ({marks(part)})"  # noqa: S608
                " AND target NOT NULL ORDER BY source, ordinal"
            )
            found += self._db.execute(sql, part).fetchall()
        return found

    def suggestions(self, path: str | None = None) -> list[Pending]:
        """Return what waits for a decision, in one note or in all of them."""
        rows = self._db.execute(
            "SELECT notes.path, suggestions.id, kind, line, old, new, author, time, before, after"
            " FROM suggestions JOIN notes ON notes.id = suggestions.note"
            " WHERE ?1 IS NULL OR notes.path = ?1 ORDER BY notes.path, ordinal",
            (path,),
        )
        return [Pending(*row) for row in rows]

    def pending_counts(self) -> dict[str, int]:
        """Count the suggestions of each note that has any."""
        sql = (
            "SELECT notes.path, count(*) FROM suggestions"
            " JOIN notes ON notes.id = suggestions.note GROUP BY notes.id"
        )
        return dict(self._db.execute(sql).fetchall())

    def counts(self) -> dict[str, int]:
        """Count what the index holds."""
        (notes, indexed, problems, words_, size) = self._db.execute(
            "SELECT count(*), count(shard), count(problem), coalesce(sum(words), 0),"
            " coalesce(sum(size), 0) FROM notes"
        ).fetchone()
        (linked, unresolved) = self._db.execute(
            "SELECT count(*), count(*) - count(target) FROM links"
        ).fetchone()
        (tags,) = self._db.execute("SELECT count(DISTINCT key) FROM tags").fetchone()
        return {
            "notes": notes,
            "indexed": indexed,
            "problems": problems,
            "words": words_,
            "bytes": size,
            "links": linked,
            "unresolved": unresolved,
            "tags": tags,
        }

    def problems(self) -> list[tuple[str, str]]:
        """Return the notes that could not be read, with the reason."""
        sql = "SELECT path, problem FROM notes WHERE problem NOT NULL ORDER BY path"
        return [(path, problem) for path, problem in self._db.execute(sql)]

    def sound(self) -> str | None:
        """Check the database file; None when it is whole, else what is wrong."""
        try:
            (answer,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            return str(error)
        return None if answer == "ok" else str(answer)

    def _paths(self, sql: str, note: int) -> list[str]:
        return sorted(path for (path,) in self._db.execute(sql, (note,)))


def _tag_keys(tags: Collection[str]) -> list[str]:
    return list(dict.fromkeys(fold(tag.strip().lstrip("#").strip("/")) for tag in tags))


def _about(row: tuple[Any, ...]) -> About:
    values = list(row)
    values[8] = json.loads(row[8] or "{}")
    return About(*values)
