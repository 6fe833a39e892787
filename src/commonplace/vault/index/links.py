"""What each link means, kept right as notes come, go and change their names.

A batch *touches* the names that appeared or vanished and the notes whose own links changed;
`settle` resolves the links that carry such a name or stand in such a note, and no others.
"""

import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from commonplace.core import links, paths
from commonplace.core.links import Candidate, NameKind
from commonplace.vault.index.database import marks, parts
from commonplace.vault.index.rows import Row

# So many notes' links are settled at once, when all are: memory for those alone.
_AT_ONCE = 8192
# When more than this part of the notes is touched, one pass over all links is cheaper.
_ONE_BY_ONE_PART = 0.1

_LINKS = "SELECT source, ordinal, raw, key, target, ambiguous FROM links"
_NAMES = (
    "SELECT names.key, names.kind, names.name, notes.path, notes.id"
    " FROM names JOIN notes ON notes.id = names.note"
)
_TARGETS = (
    "SELECT source, target FROM links WHERE {} target NOT NULL AND target <> source"
    " ORDER BY source, ordinal"
)
_WITHIN = "WHERE source >= ? AND source < ?"
_UNSETTLED_WITHIN = f"{_WITHIN} AND target IS NULL"
_PATHS_WITHIN = "SELECT id, path FROM notes WHERE id >= ? AND id < ?"

StoredLink = tuple[int, int, str, str, int | None, int]


@dataclass(slots=True)
class _Names:
    candidates: dict[str, list[Candidate]] = field(default_factory=dict[str, list[Candidate]])
    ids: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, rows: Iterable[tuple[str, int, str, str, int]]) -> None:
        for key, kind, name, path, note in rows:
            self.candidates.setdefault(key, []).append(Candidate(path, NameKind(kind), name))
            self.ids[path] = note


class LinkResolver:
    """Remembers what was touched, then settles it."""

    def __init__(self, db: sqlite3.Connection, *, several_roots: bool) -> None:
        self._db = db
        self._several_roots = several_roots
        self._keys: set[str] = set()
        self._sources: set[int] = set()
        self._relinked: set[int] = set()
        self._all = self._unsettled = False

    def touch_names(self, keys: Iterable[str]) -> None:
        """Note that names came, went or changed hands."""
        self._keys.update(keys)

    def touch_links(self, notes: Iterable[int]) -> None:
        """Note that the links inside notes were written anew."""
        self._sources.update(notes)

    def touch_all(self) -> None:
        """Note that any link may mean something else."""
        self._all = True

    def touch_unsettled(self) -> None:
        """Note that links were written with what they mean, as far as that was known."""
        self._unsettled = True

    def forget(self, notes: Iterable[int]) -> None:
        """Let go of notes that are gone, their links with them."""
        self._sources.difference_update(notes)

    def settle(self) -> set[int]:
        """Resolve every link whose meaning can have changed; returns the notes they stand in."""
        self._relinked = set(self._sources)
        (notes,) = self._db.execute("SELECT count(*) FROM notes").fetchone()
        if self._all or len(self._sources) > notes * _ONE_BY_ONE_PART:
            self._settle_all(_WITHIN)
        else:
            if self._unsettled:
                self._settle_all(_UNSETTLED_WITHIN)
            self._settle_where("source", sorted(self._sources))
            self._settle_where("key", sorted(self._keys))
        self._write_targets(everywhere=self._all or self._unsettled)
        self._keys.clear()
        self._sources.clear()
        self._all = self._unsettled = False
        return self._relinked

    def _write_targets(self, *, everywhere: bool) -> None:
        """Write what notes link to as a whole: all of them, or those that were relinked."""
        if everywhere:
            self._db.execute("DELETE FROM targets")
            self._insert_targets(self._db.execute(_TARGETS.format("")))
            return
        for part in parts(sorted(self._relinked)):
            chosen = f"IN ({marks(part)})"
            self._db.execute(f"DELETE FROM targets WHERE note {chosen}", part)  # noqa: S608
            links = self._db.execute(_TARGETS.format(f"source {chosen} AND"), part)
            self._insert_targets(links)

    def _insert_targets(self, links: Iterable[tuple[int, int]]) -> None:
        rows = (
            (source, array("I", dict.fromkeys(target for _, target in found)).tobytes())
            for source, found in groupby(links, itemgetter(0))
        )
        self._db.executemany("INSERT INTO targets VALUES (?, ?)", rows)

    def _settle_all(self, within: str) -> None:
        (last,) = self._db.execute("SELECT coalesce(max(source), 0) FROM links").fetchone()
        for first in range(0, last + 1, _AT_ONCE):
            span = (first, first + _AT_ONCE)
            rows = self._db.execute(f"{_LINKS} {within}", span).fetchall()
            keys = f"SELECT key FROM links {within}"  # noqa: S608 (it is ours)
            names = _Names()
            names.add(self._db.execute(f"{_NAMES} WHERE names.key IN ({keys})", span))
            paths = dict(self._db.execute(_PATHS_WITHIN, span).fetchall())
            self._resolve(rows, names, paths.__getitem__)

    def _settle_where(self, column: str, chosen: Sequence[int] | Sequence[str]) -> None:
        for part in parts(chosen):
            sql = f"{_LINKS} WHERE {column} IN ({marks(part)})"
            rows = self._db.execute(sql, part).fetchall()
            names = _Names()
            for keys in parts(sorted({row[3] for row in rows})):
                names.add(self._db.execute(f"{_NAMES} WHERE names.key IN ({marks(keys)})", keys))
            self._resolve(rows, names, self._path)

    def _path(self, note: int) -> str:
        return str(self._db.execute("SELECT path FROM notes WHERE id = ?", (note,)).fetchone()[0])

    def _resolve(
        self, rows: Sequence[StoredLink], names: _Names, path_of: Callable[[int], str]
    ) -> None:
        changed: list[tuple[int | None, int, int, int]] = []
        for source, ordinal, raw, key, target, ambiguous in rows:
            candidates = names.candidates.get(key)
            now, doubtful = None, 0
            if candidates is not None:
                path = path_of(source)
                root = path.partition("/")[0] if self._several_roots else ""
                if found := links.resolve(raw, path, candidates, root):
                    now, doubtful = names.ids[found.path], int(found.ambiguous)
            if (now, doubtful) != (target, ambiguous):
                changed.append((now, doubtful, source, ordinal))
        self._relinked.update(source for _, _, source, _ in changed)
        self._db.executemany(
            "UPDATE links SET target = ?, ambiguous = ? WHERE source = ? AND ordinal = ?", changed
        )


class LinkForecast:
    """What links will mean, by the names of files alone, before their notes are read.

    When all notes are read for the first time, most links can be written with what they mean: a
    bare name that one file alone carries means that file, whatever aliases and titles come to
    light. The others are resolved later.
    """

    def __init__(self, listed: Iterable[tuple[int, str]]) -> None:
        named = [(links.name_key(paths.stem(path)), note) for note, path in listed]
        count = Counter(name for name, _ in named)
        self._alone = {name: note for name, note in named if count[name] == 1}

    def targets(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Return links with the notes that they mean behind them, or None."""
        alone = self._alone
        for row in rows:
            yield *row, alone.get(row[3]) if links.is_bare(row[2]) else None
