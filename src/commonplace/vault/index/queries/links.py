"""Reads the links of the index: what leads where, by which spelling, and what is broken."""

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from commonplace.core.digest import Digest
from commonplace.core.links import Candidate, NameKind, fold, is_attachment, resolve
from commonplace.vault.index.database import marks, parts
from commonplace.vault.index.view import hidden_backlinks

BROKEN_MAX = 2_000


@dataclass(frozen=True, slots=True)
class Links:
    """The links of one note, each list sorted and without doubles.

    `hidden` notes link to it that whoever asks may not see.
    """

    backlinks: list[str]
    forward: list[str]
    unresolved: list[str]
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class LinkTo:
    """A link as it is written, where it stands, and what it means."""

    source: str
    kind: str
    raw: str
    target: str | None
    ambiguous: bool


WrittenLink = tuple[int, str | None, str, str]
"""A link as it stands: its note, the path that it means, its kind, and its target as written."""


class LinkIndex:
    """Questions about links, over a connection to the index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def of(self, note: int) -> Links:
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
        named = [raw for raw in unresolved if not is_attachment(raw)]
        return Links(backlinks, forward, named, hidden_backlinks(self._db, note))

    def of_unread(self, path: str, note: int | None, found: Digest, root: str) -> Links:
        """Return the links of a note that is not indexed yet, as far as others are."""
        forward: set[str] = set()
        unresolved: set[str] = set()
        for link in found.links:
            meant = resolve(link.target, path, self.named(link.key), root)
            if meant is not None:
                forward.add(meant.path)
            elif not is_attachment(link.target):
                unresolved.add(link.target)
        known = self.of(note) if note is not None else Links([], [], [])
        return Links(known.backlinks, sorted(forward), sorted(unresolved), known.hidden)

    def leading_to(self, note: int) -> list[LinkTo]:
        """Return the links that mean a note, each spelling once a source."""
        return self._links("links.target = ?", note)

    def standing_in(self, note: int) -> list[LinkTo]:
        """Return the links that stand in a note, each spelling once."""
        return self._links("links.source = ?", note)

    def by_name(self, key: str) -> list[LinkTo]:
        """Return the links by a name, each spelling once a source."""
        return self._links("links.key = ?", key)

    def named(self, key: str) -> list[Candidate]:
        """Return the notes that carry a name."""
        rows = self._db.execute(
            "SELECT notes.path, names.kind, names.name FROM names"
            " JOIN notes ON notes.id = names.note WHERE names.key = ?",
            (key,),
        )
        return [Candidate(path, NameKind(kind), name) for path, kind, name in rows]

    def other_names(self, typed: str, limit: int) -> list[Candidate]:
        """Return the notes with an alias or a title that holds what was typed, short ones first."""
        rows = self._db.execute(
            "SELECT notes.path, names.kind, names.name FROM names"
            " JOIN notes ON notes.id = names.note"
            " WHERE names.kind > 0 AND instr(names.key, ?1)"
            " ORDER BY instr(names.key, ?1) > 1, names.kind, length(names.key), notes.path"
            " LIMIT ?2",
            (fold(typed), limit),
        )
        return [Candidate(path, NameKind(kind), name) for path, kind, name in rows]

    def with_places(self, note: int, limit: int) -> list[tuple[int, str, str, int]]:
        """Return the links to a note: (source, its path, its title, where in its text)."""
        sql = (
            "SELECT notes.id, notes.path, notes.title, links.start FROM links"
            " JOIN notes ON notes.id = links.source WHERE links.target = ?"
            " ORDER BY notes.path, links.start LIMIT ?"
        )
        return self._db.execute(sql, (note, limit)).fetchall()

    def broken(self, notes: Collection[int]) -> list[tuple[int, str, str]]:
        """Return links of some notes that lead nowhere: (note, kind, as it is written)."""
        found: list[tuple[int, str, str]] = []
        for part in parts(list(notes)):
            sql = (
                f"SELECT source, kind, raw FROM links WHERE source IN ({marks(part)})"  # noqa: S608
                " AND target IS NULL ORDER BY source, ordinal LIMIT ?"
            )
            found += self._db.execute(sql, [*part, BROKEN_MAX]).fetchall()
        return [row for row in found if not is_attachment(row[2])]

    def edges(self) -> Iterator[tuple[int, int]]:
        """Yield every resolved link as (source, target), in the order in which they stand."""
        return self._db.execute(
            "SELECT source, target FROM links WHERE target NOT NULL ORDER BY source, ordinal"
        )

    def targets(self) -> Iterator[tuple[int, bytes]]:
        """Yield what each note links to, as a graph takes it. Of a part of a vault: nothing."""
        return self._db.execute("SELECT note, notes FROM targets ORDER BY note")

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

    def written(self, sources: Collection[int] | None = None) -> Iterator[WrittenLink]:
        """Yield the links of some notes, or of all, in the order in which they stand."""
        sql = (
            "SELECT links.source, target.path, links.kind, links.raw FROM links"
            " LEFT JOIN notes target ON target.id = links.target"
        )
        order = " ORDER BY links.source, links.ordinal"
        if sources is None:
            yield from self._db.execute(sql + order)
            return
        for part in parts(sorted(sources)):
            yield from self._db.execute(f"{sql} WHERE links.source IN ({marks(part)}){order}", part)

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

    def _links(self, where: str, value: object) -> list[LinkTo]:
        rows = self._db.execute(
            "SELECT DISTINCT source.path, links.kind, links.raw, target.path, links.ambiguous"  # noqa: S608
            " FROM links JOIN notes source ON source.id = links.source"
            f" LEFT JOIN notes target ON target.id = links.target WHERE {where}"
            " ORDER BY source.path, links.raw",
            (value,),
        )
        return [LinkTo(*each, ambiguous=bool(doubtful)) for *each, doubtful in rows]

    def _paths(self, sql: str, note: int) -> list[str]:
        return [path for (path,) in self._db.execute(f"{sql} ORDER BY 1", (note,))]
