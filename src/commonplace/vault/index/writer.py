"""Writes the index: `index.db` and the corpus beside it, together.

One writer at a time: the owner's own thread for a few changed notes, or the build process for
many. Each batch is one transaction, so a reader sees a note with its links, names and text or
not at all.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from commonplace.core import digest as digests, links, paths
from commonplace.vault.files.reader import Listed
from commonplace.vault.index.build import bulk
from commonplace.vault.index.corpus.ranges import Range
from commonplace.vault.index.corpus.shards import CorpusWriter, sweep
from commonplace.vault.index.database import connect, marks, parts, read_meta, write_meta
from commonplace.vault.index.links import LinkForecast, LinkResolver
from commonplace.vault.index.rows import Fresh, Row, Rows, identified, searched

_DEAD_BYTES_MIN = 256 * 1024
_CHILDREN = (
    ("names", "note"),
    ("links", "source"),
    ("targets", "note"),
    ("tags", "note"),
    ("properties", "note"),
    ("suggestions", "note"),
)


@dataclass(frozen=True, slots=True)
class IndexedNote:
    """A note that was written to the index."""

    note: int
    listed: Listed
    where: Range | None


@dataclass(frozen=True, slots=True)
class _NoteText:
    note: int
    title: str
    where: Range


class IndexWriter:
    """The one that may change the index."""

    def __init__(self, folder: Path, *, several_roots: bool) -> None:
        self._folder = folder
        self._db = connect(folder)
        self._shards = read_meta(self._db, "shards")
        self._corpus = CorpusWriter(folder, read_meta(self._db, "generation"), self._shards)
        self._links = LinkResolver(self._db, several_roots=several_roots)
        self._foresight: LinkForecast | None = None
        self._owed = bulk.unfinished(self._db)

    def close(self) -> None:
        """Let go of the files."""
        self._corpus.close()
        self._db.close()

    @contextmanager
    def batch(self) -> Generator[None]:
        """Everything inside is one transaction; the texts reach the corpus before it commits."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._corpus.flush()
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def begin_build(self) -> None:
        """Expect many batches before links are settled, or the end of this process."""
        bulk.hurry(self._db)
        with self.batch():
            if bulk.is_empty(self._db):
                bulk.begin(self._db)
                self._foresight = LinkForecast(self._db.execute("SELECT id, path FROM notes"))
                self._owed = True
            elif self._owed:
                bulk.finish(self._db)
            bulk.mark(self._db, unfinished=True)

    def list_files(self, found: Iterable[Listed]) -> None:
        """Take note files into the list, before they are read."""
        self._db.executemany(
            "INSERT INTO notes (path, on_disk, mtime_ns, size, inode) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (path) DO NOTHING",
            map(identified, found),
        )

    def restamp(self, found: Iterable[Listed]) -> None:
        """Take new stamps of files whose bytes did not change."""
        self._db.executemany(
            "UPDATE notes SET on_disk = ?2, mtime_ns = ?3, size = ?4, inode = ?5 WHERE path = ?1",
            map(identified, found),
        )

    def put(self, batch: Sequence[Fresh]) -> list[IndexedNote]:
        """Write notes that were read, new ones among them."""
        self.list_files(fresh.listed for fresh in batch)
        notes = self.numbers([fresh.listed.path for fresh in batch])
        rows = Rows()
        for fresh in batch:
            rows.add(notes[fresh.listed.path], fresh)
        where = self.write(rows)
        numbered = ((notes[fresh.listed.path], fresh.listed) for fresh in batch)
        return [IndexedNote(note, listed, where.get(note)) for note, listed in numbered]

    def write(self, rows: Rows) -> dict[int, Range]:
        """Write what was worked out of notes that are listed; tells where their texts lie."""
        if self._foresight is None:
            self._replace(rows)
        where = {text[0]: self._corpus.append(text[1]) for text in rows.texts}
        self._put_notes(rows, where)
        self._put_contents(rows)
        return where

    def numbers(self, paths: Sequence[str]) -> dict[str, int]:
        """Tell the numbers of notes that are listed."""
        found: dict[str, int] = {}
        for part in parts(paths):
            sql = f"SELECT path, id FROM notes WHERE path IN ({marks(part)})"  # noqa: S608
            found.update(self._db.execute(sql, part))
        return found

    def remove(self, gone: Sequence[str]) -> dict[str, int]:
        """Take notes out of the index; their text in the corpus goes dead."""
        notes = self.numbers(gone)
        self._links.touch_names(key for _, (key, _, _) in self._names(list(notes.values())))
        self._drop_contents(list(notes.values()))
        self._db.executemany("DELETE FROM notes WHERE id = ?", ((n,) for n in notes.values()))
        self._links.forget(notes.values())
        return notes

    def settle_links(self) -> set[int]:
        """Work out what links mean where this writer's changes can have changed it.

        Returns the notes whose links may lead elsewhere now.
        """
        if self._owed:
            bulk.plant(self._db, "names_key")
            self._touch_unsettled()
        relinked = self._links.settle()
        if self._owed:
            bulk.finish(self._db)
        self._owed, self._foresight = False, None
        if bulk.unfinished(self._db):
            bulk.mark(self._db, unfinished=False)
        return relinked

    def clear(self) -> None:
        """Forget everything: the next refresh builds from nothing."""
        with self.batch():
            for table, _ in (*_CHILDREN, ("notes", "id")):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608 (it is ours)
            self._db.execute("INSERT INTO fulltext(fulltext) VALUES ('delete-all')")
        self.compact()

    @property
    def worth_compacting(self) -> bool:
        """Whether a quarter of the corpus is dead."""
        dead = read_meta(self._db, "dead_bytes")
        return dead > _DEAD_BYTES_MIN and dead * 4 > self._corpus.size

    def compact(self) -> dict[int, Range]:
        """Start a new generation of the corpus that holds the live texts alone; says where."""
        placed: dict[int, Range] = {}
        old, generation = self._corpus, read_meta(self._db, "generation")
        self._corpus = CorpusWriter(self._folder, generation + 1, self._shards)
        rows = self._db.execute(
            "SELECT id, shard, start, length FROM notes WHERE shard NOT NULL"
        ).fetchall()
        with self.batch():
            for note, shard, start, length in rows:
                where = self._corpus.append(old.read(Range(shard, start, length)))
                placed[note] = where
                self._db.execute(
                    "UPDATE notes SET shard = ?, start = ?, length = ? WHERE id = ?",
                    (where.shard, where.start, where.length, note),
                )
            write_meta(self._db, "generation", generation + 1)
            write_meta(self._db, "dead_bytes", 0)
        old.close()
        sweep(self._folder, generation)
        return placed

    def scrub(self) -> None:
        """Write the database anew: words of old texts lie in it until it is."""
        self._db.execute("INSERT INTO fulltext(fulltext) VALUES ('optimize')")
        self._db.execute("VACUUM")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _touch_unsettled(self) -> None:
        """Leave to settle what a build wrote, or all if it was not this one from the beginning."""
        if self._foresight is None:
            self._links.touch_all()
            return
        self._links.touch_unsettled()
        unread = self._db.execute("SELECT path FROM notes WHERE shard IS NULL").fetchall()
        if unread:  # links were taken to mean them, but they are no notes
            bulk.plant(self._db, "links_key")
            self._links.touch_names(links.name_key(paths.stem(path)) for (path,) in unread)

    def _replace(self, rows: Rows) -> None:
        """Make room for notes that may have been digested before."""
        notes = rows.ids()
        before = {(note, name) for note, name in self._names(notes)}
        after = {(note, (key, kind, name)) for key, note, kind, name in rows.names}
        # Names that came or went: the links that use them are settled anew.
        self._links.touch_names(key for _, (key, _, _) in before ^ after)
        self._links.touch_links(notes)
        self._drop_contents(notes)

    def _names(self, notes: Sequence[int]) -> Iterator[tuple[int, tuple[str, int, str]]]:
        for part in parts(notes):
            sql = f"SELECT note, key, kind, name FROM names WHERE note IN ({marks(part)})"  # noqa: S608
            for note, *name in self._db.execute(sql, part):
                yield note, tuple(name)

    def _texts(self, notes: Sequence[int]) -> Iterator[_NoteText]:
        for part in parts(notes):
            sql = (
                "SELECT id, title, shard, start, length FROM notes"  # noqa: S608
                f" WHERE shard NOT NULL AND id IN ({marks(part)})"
            )
            for note, title, *where in self._db.execute(sql, part):
                yield _NoteText(note, title or "", Range(*where))

    def _drop_contents(self, notes: Sequence[int]) -> None:
        """Take out what was worked out from former texts."""
        digested = list(self._texts(notes))
        if not digested:
            return
        for text in digested:
            title, body = digests.searchable(text.title, self._corpus.read(text.where))
            self._db.execute(
                "INSERT INTO fulltext(fulltext, rowid, title, body) VALUES ('delete', ?, ?, ?)",
                (text.note, title, body),
            )
        for table, column in _CHILDREN:
            sql = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608 (both are ours)
            self._db.executemany(sql, ((text.note,) for text in digested))
        dead = sum(text.where.length for text in digested) + read_meta(self._db, "dead_bytes")
        write_meta(self._db, "dead_bytes", dead)

    def _put_notes(self, rows: Rows, where: Mapping[int, Range]) -> None:
        self._db.executemany(
            "UPDATE notes SET on_disk = ?2, mtime_ns = ?3, size = ?4, inode = ?5, sha = ?6,"
            " title = ?7, words = ?8, chars = ?9, headings = ?10, code_blocks = ?11,"
            " wikilinks = ?12, frontmatter = ?13, fault = ?14, problem = NULL,"
            " shard = ?15, start = ?16, length = ?17 WHERE id = ?1",
            (
                (*row, place.shard, place.start, place.length)
                for row, place in zip(rows.notes, where.values(), strict=True)
            ),
        )
        self._db.executemany(
            "UPDATE notes SET on_disk = ?2, mtime_ns = ?3, size = ?4, inode = ?5, sha = ?6,"
            " problem = ?7, shard = NULL, start = NULL, length = NULL WHERE id = ?1",
            rows.broken,
        )

    def _put_contents(self, rows: Rows) -> None:
        self._db.executemany(
            "INSERT INTO fulltext(rowid, title, body) VALUES (?, ?, ?)", map(searched, rows.texts)
        )
        self._db.executemany(
            "INSERT INTO names (key, note, kind, name) VALUES (?, ?, ?, ?)", rows.names
        )
        self._put_links(rows.links)
        self._db.executemany(
            "INSERT INTO tags (note, ordinal, tag, key) VALUES (?, ?, ?, ?)", rows.tags
        )
        self._db.executemany(
            "INSERT INTO properties (note, key, value) VALUES (?, ?, ?)", rows.properties
        )
        self._db.executemany(
            "INSERT INTO suggestions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.suggestions
        )

    def _put_links(self, rows: Iterable[Row]) -> None:
        columns = "source, ordinal, raw, key, kind, start, stop"
        if self._foresight is None:
            sql = f"INSERT INTO links ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        else:
            sql = f"INSERT INTO links ({columns}, target) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
            rows = self._foresight.targets(rows)
        self._db.executemany(sql, rows)
