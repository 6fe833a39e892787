"""What is asked of the history's tables, in SQLite and in PostgreSQL."""

from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.core import history
from commonplace.core.history import Blame
from commonplace.errors import NotFound
from commonplace.vault.history import acceptance, rows
from commonplace.vault.history.history import BEFORE_CAUSE, Head, Revision, RevisionFilter
from commonplace.vault.log.engine import DatabaseConnection

_FEW_MAX = 10_000
_ASKED_MAX = 500
_COUNTED_MAX = 2**63 - 1  # no database counts further, nor takes a greater number


def head(db: DatabaseConnection, doc: str) -> Head | None:
    """Read the newest revision of a document."""
    row = db.execute(
        "SELECT revision, seq, path, blame FROM heads WHERE doc = ?", (doc,)
    ).fetchone()
    if row is None:
        return None
    revision, seq, path, blame = row
    return Head(revision, seq, path, text(db, revision), rows.unpacked_blame(blame))


def text(db: DatabaseConnection, revision: int) -> str:
    """Read the text after a revision."""
    doc = db.execute("SELECT doc FROM revisions WHERE id = ?", (revision,)).fetchone()
    if doc is None:
        raise NotFound(f"There is no revision {revision}, or it is no longer kept.")
    found = db.execute(
        'SELECT "full", delta FROM revisions WHERE doc = ? AND id <= ? AND id >= (SELECT max(id)'
        ' FROM revisions WHERE doc = ? AND id <= ? AND "full" IS NOT NULL) ORDER BY id',
        (doc[0], revision) * 2,
    ).fetchall()
    now = rows.unpacked_text(found[0][0])
    for _, delta in found[1:]:
        now = history.apply(now, history.decode(delta))
    return now


def find(db: DatabaseConnection, revision: int) -> Revision | None:
    """Read one revision."""
    if abs(revision) > _COUNTED_MAX:
        return None
    row = db.execute(f"{rows.SELECT} WHERE id = ?", (revision,)).fetchone()
    return None if row is None else rows.revision(row)


def revisions(db: DatabaseConnection, wanted: RevisionFilter) -> list[Revision]:
    """List revisions, newest first."""
    filters: dict[str, object] = {
        "doc = ?": wanted.document,
        "actor = ?": wanted.actor,
        "cause = ?": wanted.cause,
        '"set" = ?': wanted.set,
        "id < ?": min(wanted.before, _COUNTED_MAX),
        "id > ?": min(wanted.after, _COUNTED_MAX),
    }
    chosen = {part: value for part, value in filters.items() if value}
    if not wanted.document:
        chosen["cause <> ?"] = BEFORE_CAUSE
    parts, values = list(chosen), list(chosen.values())
    for part, bounds in _ranges(wanted):
        few = _is_few(db, part, bounds)
        parts.append(part.by_index if few else part.by_row)
        values += bounds
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    found = db.execute(
        f"{rows.SELECT}{where} ORDER BY id DESC LIMIT ? OFFSET ?",
        (*values, wanted.limit, wanted.offset),
    )
    return [rows.revision(row) for row in found]


@dataclass(frozen=True, slots=True)
class _IndexedCondition:
    """A condition on a column that has an index, and the same said so that none is used."""

    column: str
    idle: str
    tests: tuple[str, ...]

    @property
    def by_index(self) -> str:
        """Find the revisions in the index of the column."""
        return f"id IN (SELECT id FROM revisions WHERE {self.condition})"  # noqa: S608

    @property
    def by_row(self) -> str:
        """Look at revisions, from the newest on, until there are enough."""
        return " AND ".join(f"{self.idle} {test}" for test in self.tests)

    @property
    def condition(self) -> str:
        """Say it plainly."""
        return " AND ".join(f"{self.column} {test}" for test in self.tests)


_SINCE = _IndexedCondition("time", "time + 0", (">= ?",))
_FOLDER = _IndexedCondition("path", "path || ''", (">= ?", "< ?"))


def _ranges(wanted: RevisionFilter) -> list[tuple[_IndexedCondition, tuple[object, ...]]]:
    found: list[tuple[_IndexedCondition, tuple[object, ...]]] = []
    if wanted.since:
        found.append((_SINCE, (wanted.since,)))
    if wanted.folder:  # the zero is the character after the slash
        found.append((_FOLDER, (f"{wanted.folder}/", f"{wanted.folder}0")))
    return found


def _is_few(db: DatabaseConnection, part: _IndexedCondition, bounds: Sequence[object]) -> bool:
    """Tell whether few revisions meet a condition: all others need not be looked at then.

    Of many the newest are met soon, from the newest revision on.
    """
    query = f"SELECT 1 FROM revisions WHERE {part.condition} LIMIT 1 OFFSET ?"  # noqa: S608
    return db.execute(query, (*bounds, _FEW_MAX)).fetchone() is None


def steps(db: DatabaseConnection, doc: str, first: int) -> list[Revision]:
    """List the revisions of a document from one on, oldest first."""
    found = db.execute(f"{rows.SELECT} WHERE doc = ? AND id >= ? ORDER BY id", (doc, first))
    return [rows.revision(row) for row in found]


def blame_before(db: DatabaseConnection, revision: int) -> tuple[str, Blame]:
    """Work out text and blame from before a revision."""
    one = find(db, revision)
    if one is None:
        raise NotFound(f"There is no revision {revision}, or it is no longer kept.")
    found = db.execute(
        'SELECT id, "full", delta FROM revisions WHERE doc = ? AND id < ? ORDER BY id',
        (one.document, revision),
    ).fetchall()
    if not found:
        return "", ()
    now = rows.text_before(found[0][1], found[0][2])
    blame = history.started(now)
    for number, _, packed in found:
        delta = history.decode(packed)
        now, blame = history.apply(now, delta), history.spliced(blame, delta, number)
    return now, blame


def touched(db: DatabaseConnection, actor: str, since: float) -> dict[str, int]:
    """List the documents that an actor changed, each with its first such revision."""
    found = db.execute(
        "SELECT doc, min(id) FROM revisions WHERE actor = ? AND time >= ? GROUP BY doc ORDER BY 2",
        (actor, since),
    )
    return dict(found)


def actors(db: DatabaseConnection, numbers: Sequence[int]) -> dict[int, Revision]:
    """Read some revisions without their deltas."""
    found: dict[int, Revision] = {}
    empty = history.encode(())
    for at in range(0, len(numbers), _ASKED_MAX):
        some = numbers[at : at + _ASKED_MAX]
        places = ", ".join("?" * len(some))
        query = f"SELECT {rows.COLUMNS} FROM revisions WHERE id IN ({places})"  # noqa: S608
        found |= {row[0]: rows.revision((*row, empty)) for row in db.execute(query, some)}
    return found


def acceptors(db: DatabaseConnection, numbers: Sequence[int]) -> dict[int, list[str]]:
    """List who accepted the suggestions of some revisions."""
    found: dict[int, list[str]] = {}
    for at in range(0, len(numbers), _ASKED_MAX):
        found |= acceptance.actors(db, numbers[at : at + _ASKED_MAX])
    return found


def names(db: DatabaseConnection) -> list[str]:
    """List all actors, by leaps over the index."""
    found = db.execute(
        "WITH RECURSIVE found(actor) AS (SELECT min(actor) FROM revisions UNION ALL SELECT"
        " (SELECT min(actor) FROM revisions WHERE actor > found.actor) FROM found"
        " WHERE found.actor IS NOT NULL) SELECT actor FROM found WHERE actor <> ''"
    )
    return [actor for (actor,) in found]


def document_at(db: DatabaseConnection, path: str) -> str | None:
    """Find the document whose newest revision was at a path."""
    row = db.execute(
        "SELECT doc FROM heads WHERE path = ? ORDER BY revision DESC LIMIT 1", (path,)
    ).fetchone()
    return None if row is None else row[0]


def size(db: DatabaseConnection) -> tuple[int, int]:
    """Count revisions and their bytes."""
    return db.execute(
        "SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM revisions"
    ).fetchone()
