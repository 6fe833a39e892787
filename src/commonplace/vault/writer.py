"""Writes the index: `index.db` and the corpus beside it, together.

One writer at a time: the owner's own thread for a few changed notes, or the build process for
many. Each batch is one transaction, so a reader sees a note with its links, names and text or
not at all.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

from commonplace.core import digest as digests, links
from commonplace.core.digest import Digest
from commonplace.vault.corpus import CorpusWriter, Range, sweep
from commonplace.vault.disk import Listed
from commonplace.vault.schema import LOOKUPS
from commonplace.vault.settling import Settling
from commonplace.vault.tables import connect, marks, parts, read_meta, write_meta

_DEAD_BYTES_MIN = 256 * 1024
_CHILDREN = (
    ("names", "note"),
    ("links", "source"),
    ("tags", "note"),
    ("properties", "note"),
    ("suggestions", "note"),
)


@dataclass(frozen=True, slots=True)
class Fresh:
    """A note file as it was just read: digested, or the reason why it cannot be."""

    listed: Listed
    sha: bytes
    digest: Digest | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A note that was written to the index."""

    note: int
    listed: Listed
    where: Range | None


@dataclass(frozen=True, slots=True)
class _Known:
    note: int
    title: str
    where: Range | None


class IndexWriter:
    """The one that may change the index."""

    def __init__(self, folder: Path, shards: int, *, several_roots: bool) -> None:
        self._folder = folder
        self._db = connect(folder, shards)
        self._shards = read_meta(self._db, "shards")
        self._corpus = CorpusWriter(folder, read_meta(self._db, "generation"), self._shards)
        self._links = Settling(self._db, several_roots=several_roots)

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

    @contextmanager
    def first_build(self) -> Generator[None]:
        """Do without the look-up trees while an empty index fills; plant them at the end."""
        empty = self._db.execute("SELECT 1 FROM notes WHERE shard NOT NULL").fetchone() is None
        if empty:
            for name in LOOKUPS:
                self._db.execute(f"DROP INDEX IF EXISTS {name}")
        yield
        for name, columns in LOOKUPS.items():
            self._db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")
        if empty:
            self._db.execute("ANALYZE")

    def list_files(self, found: Iterable[Listed]) -> None:
        """Take note files into the list, before they are read."""
        self._db.executemany(
            "INSERT INTO notes (path, on_disk, mtime_ns, size, inode) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (path) DO NOTHING",
            map(_identity, found),
        )

    def restamp(self, found: Iterable[Listed]) -> None:
        """Take new stamps of files whose bytes did not change."""
        self._db.executemany(
            "UPDATE notes SET on_disk = ?2, mtime_ns = ?3, size = ?4, inode = ?5 WHERE path = ?1",
            map(_identity, found),
        )

    def put(self, batch: Sequence[Fresh]) -> list[Placed]:
        """Write notes that were read."""
        self.list_files(fresh.listed for fresh in batch)
        known = self._known([fresh.listed.path for fresh in batch])
        self._touch(batch, known)
        self._drop_contents(known.values())
        placed: list[Placed] = []
        for fresh in batch:
            before = known[fresh.listed.path]
            where = None if fresh.digest is None else self._corpus.append(fresh.digest.text)
            self._put_note(before.note, fresh, where)
            placed.append(Placed(before.note, fresh.listed, where))
        self._put_contents(batch, known)
        return placed

    def remove(self, gone: Sequence[str]) -> dict[str, int]:
        """Take notes out of the index; their text in the corpus goes dead."""
        known = self._known(gone)
        notes = {path: before.note for path, before in known.items()}
        for part in parts(list(notes.values())):
            sql = f"SELECT key FROM names WHERE note IN ({marks(part)})"  # noqa: S608
            self._links.touch_names(key for (key,) in self._db.execute(sql, part))
        self._drop_contents(known.values())
        self._db.executemany("DELETE FROM notes WHERE id = ?", ((n,) for n in notes.values()))
        self._links.forget(notes.values())
        return notes

    def settle_links(self) -> set[int]:
        """Work out what links mean where this writer's changes can have changed it.

        Returns the notes whose links may lead elsewhere now.
        """
        return self._links.settle()

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

    def _known(self, wanted: Sequence[str]) -> dict[str, _Known]:
        known: dict[str, _Known] = {}
        for part in parts(wanted):
            sql = (
                "SELECT path, id, title, shard, start, length FROM notes"  # noqa: S608
                f" WHERE path IN ({marks(part)})"
            )
            for path, note, title, shard, start, length in self._db.execute(sql, part):
                where = None if shard is None else Range(shard, start, length)
                known[path] = _Known(note, title or "", where)
        return known

    def _touch(self, batch: Sequence[Fresh], known: dict[str, _Known]) -> None:
        """Note which names come, go or change; links that use them are settled anew."""
        before: dict[int, set[tuple[str, int, str]]] = {}
        for part in parts([k.note for k in known.values() if k.where is not None]):
            sql = f"SELECT note, key, kind, name FROM names WHERE note IN ({marks(part)})"  # noqa: S608
            for note, key, kind, name in self._db.execute(sql, part):
                before.setdefault(note, set()).add((key, kind, name))
        for fresh in batch:
            note = known[fresh.listed.path].note
            names = fresh.digest.names if fresh.digest else ()
            after = {(key, int(kind), name) for key, kind, name in names}
            self._links.touch_names(key for key, _, _ in before.get(note, set()) ^ after)
            self._links.touch_links(note)

    def _drop_contents(self, before: Iterable[_Known]) -> None:
        """Take out what was worked out from a note's former text."""
        digested = [(known, known.where) for known in before if known.where is not None]
        if not digested:
            return
        for known, where in digested:
            title, body = digests.searchable(known.title, self._corpus.read(where))
            self._db.execute(
                "INSERT INTO fulltext(fulltext, rowid, title, body) VALUES ('delete', ?, ?, ?)",
                (known.note, title, body),
            )
        for table, column in _CHILDREN:
            sql = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608 (both are ours)
            self._db.executemany(sql, ((known.note,) for known, _ in digested))
        dead = sum(where.length for _, where in digested) + read_meta(self._db, "dead_bytes")
        write_meta(self._db, "dead_bytes", dead)

    def _put_note(self, note: int, fresh: Fresh, where: Range | None) -> None:
        _, on_disk, mtime_ns, size, inode = _identity(fresh.listed)
        row = {
            "on_disk": on_disk,
            "mtime_ns": mtime_ns,
            "size": size,
            "inode": inode,
            "sha": fresh.sha,
            "problem": fresh.problem,
            "shard": where.shard if where else None,
            "start": where.start if where else None,
            "length": where.length if where else None,
        }
        if digest := fresh.digest:
            row |= {
                "title": digest.title,
                "words": digest.words,
                "chars": digest.chars,
                "headings": digest.headings,
                "code_blocks": digest.code_blocks,
                "wikilinks": digest.wikilinks,
                "frontmatter": digest.frontmatter,
                "fault": digest.fault,
            }
        assignments = ", ".join(f"{column} = :{column}" for column in row)
        self._db.execute(
            f"UPDATE notes SET {assignments} WHERE id = :id",  # noqa: S608 (columns are ours)
            row | {"id": note},
        )

    def _put_contents(self, batch: Sequence[Fresh], known: dict[str, _Known]) -> None:
        each = [(known[f.listed.path].note, f.digest) for f in batch if f.digest is not None]
        self._db.executemany(
            "INSERT INTO fulltext(rowid, title, body) VALUES (?, ?, ?)",
            ((note, d.search_title, d.search_body) for note, d in each),
        )
        self._db.executemany(
            "INSERT INTO names (key, note, kind, name) VALUES (?, ?, ?, ?)",
            ((key, note, int(kind), name) for note, d in each for key, kind, name in d.names),
        )
        self._db.executemany(
            "INSERT INTO links (source, ordinal, raw, key, kind, start, stop)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (note, n, row.target, row.key, row.kind, row.start, row.end)
                for note, d in each
                for n, row in enumerate(d.links)
            ),
        )
        self._db.executemany(
            "INSERT INTO tags (note, ordinal, tag, key) VALUES (?, ?, ?, ?)",
            ((note, n, tag, links.fold(tag)) for note, d in each for n, tag in enumerate(d.tags)),
        )
        self._db.executemany(
            "INSERT INTO properties (note, key, value) VALUES (?, ?, ?)",
            ((note, key, value) for note, d in each for key, value in d.properties),
        )
        self._db.executemany(
            "INSERT INTO suggestions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((note, *astuple(row)) for note, d in each for row in d.pending),
        )


def _identity(listed: Listed) -> tuple[str, str | None, int, int, int]:
    stamp = listed.stamp
    return listed.path, listed.on_disk, stamp.mtime_ns, stamp.size, stamp.inode
