"""Reads the index: what there is and what is known of it; links, tags and so on by their parts.

Each question is answered by rows that a look-up tree leads to; only counts of everything walk over
all notes, once for each state of the index.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from commonplace.core.text.words import fold
from commonplace.core.view import View
from commonplace.vault.index import view as views
from commonplace.vault.index.corpus.shards import Corpus
from commonplace.vault.index.database import connect, identity, marks, parts, read_meta
from commonplace.vault.index.queries.links import LinkIndex
from commonplace.vault.index.queries.properties import PropertyIndex
from commonplace.vault.index.queries.suggestions import PendingIndex
from commonplace.vault.index.queries.tags import TagIndex
from commonplace.vault.index.queries.words import WordIndex

T = TypeVar("T")

_CACHE_KB = 2_000

_ABOUT = (
    "SELECT id, path, title, words, chars, headings, code_blocks, wikilinks, frontmatter,"
    " fault, problem, mtime_ns, size FROM notes"
)


class IndexedFile(NamedTuple):
    """A note file as the index last saw it."""

    note: int
    mtime_ns: int
    size: int
    inode: int
    sha: bytes | None


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


class FolderRow(NamedTuple):
    """A note in a list; its properties as JSON. A tuple, because a folder has thousands."""

    path: str
    words: int
    mtime_ns: int
    properties: str | None


class Index:
    """A reader of the index, or of what a view shows of it, for one thread at a time."""

    def __init__(self, folder: Path, view: View = View()) -> None:  # noqa: B008 (it is frozen)
        self._folder = folder
        self._view = view
        self._open()

    def _open(self) -> None:
        self._db = connect(self._folder)
        self._file = identity(self._folder)
        # Several readers live in one process; the system keeps the file in memory once for all.
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        views.limit(self._db, self._view)
        self.links = LinkIndex(self._db)
        self.tags = TagIndex(self._db)
        self.properties = PropertyIndex(self._db)
        self.pending = PendingIndex(self._db)
        self.words = WordIndex(self._db, limited=self._view.limited)
        self._worked_out: dict[Callable[[], Any], tuple[int, Any]] = {}

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def reopen(self) -> None:
        """Take the files that are there now."""
        self.close()
        self._open()

    @property
    def lost(self) -> bool:
        """Whether somebody deleted or replaced the files that are open."""
        if identity(self._folder) != self._file:
            return True
        return self.has_more_than(0) and not self.unread_corpus().is_there

    def size(self) -> int:
        """Count the note files."""
        return int(self._db.execute("SELECT count(*) FROM notes").fetchone()[0])

    def has_more_than(self, notes: int) -> bool:
        """Tell whether there are more note files than so many, without counting the others."""
        sql = "SELECT 1 FROM notes LIMIT 1 OFFSET ?"
        return self._db.execute(sql, (notes,)).fetchone() is not None

    def known(self) -> dict[str, IndexedFile]:
        """Return every note file by path, as last seen."""
        sql = "SELECT path, id, mtime_ns, size, inode, sha FROM notes"
        return {path: IndexedFile(*rest) for path, *rest in self._db.execute(sql)}

    def known_one(self, path: str) -> IndexedFile | None:
        """Return one note file as last seen."""
        sql = "SELECT id, mtime_ns, size, inode, sha FROM notes WHERE path = ?"
        row = self._db.execute(sql, (path,)).fetchone()
        return IndexedFile(*row) if row else None

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

    def beneath(self, folder: str, limit: int, *, deep: bool) -> list[FolderRow]:
        """Return the notes in a folder (with its slash; empty for the top), by path."""
        sql = (
            "SELECT path, coalesce(words, 0), mtime_ns, frontmatter FROM notes"
            " WHERE path >= ?1 AND path < ?1 || char(1114111)"
            " AND (?2 OR instr(substr(path, length(?1) + 1), '/') = 0) ORDER BY path LIMIT ?3"
        )
        return [FolderRow(*row) for row in self._db.execute(sql, (folder, deep, limit))]

    def abouts(self, notes: Collection[int]) -> dict[int, About]:
        """Return what is known of some notes."""
        found: dict[int, About] = {}
        for part in parts(list(notes)):
            sql = f"{_ABOUT} WHERE id IN ({marks(part)})"
            found |= {row[0]: _about(row) for row in self._db.execute(sql, part)}
        return found

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

    def titles(self, paths: Collection[str]) -> dict[str, str]:
        """Return the titles of notes."""
        found: dict[str, str] = {}
        for part in parts(list(paths)):
            sql = f"SELECT path, title FROM notes WHERE path IN ({marks(part)})"  # noqa: S608
            found |= {path: title or path for path, title in self._db.execute(sql, part)}
        return found

    def counts(self) -> dict[str, int]:
        """Count what the index holds."""
        return self._unless_changed(self._count)

    def census(self) -> dict[str, int]:
        """Count what the index holds, and the notes that stand alone."""
        return {**self.counts(), "orphans": self._unless_changed(self.links.orphans)}

    def _unless_changed(self, work: Callable[[], T]) -> T:
        """Do work over all notes, or find what it gave when the index was last as it is now."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        found = self._worked_out.get(work)
        if found is None or found[0] != version:
            found = self._worked_out[work] = (version, work())
        return found[1]

    def _count(self) -> dict[str, int]:
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

    def longer_on_disk(self) -> set[int]:
        """Return the notes whose file is longer than its accepted view: perhaps with comments."""
        return self._unless_changed(self._longer)

    def _longer(self) -> set[int]:
        return {note for (note,) in self._db.execute("SELECT id FROM notes WHERE size > length")}

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


def _about(row: tuple[Any, ...]) -> About:
    values = list(row)
    values[8] = json.loads(row[8] or "{}")
    return About(*values)
