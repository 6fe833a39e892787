"""What is taken out of the history: what is older than is to be kept, and passages for good."""

from commonplace.core import history
from commonplace.vault.history import queries, rows
from commonplace.vault.history.history import BEFORE_CAUSE
from commonplace.vault.log.engine import DatabaseConnection


def trim(db: DatabaseConnection, before: float, bytes_max: int) -> int:
    """Drop the oldest revisions; what is left of each document begins with a whole text."""
    row = db.execute(
        "SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id DESC) AS s FROM revisions)"
        " AS weighed WHERE s > ? ORDER BY id DESC LIMIT 1",
        (bytes_max,),
    ).fetchone()
    limit = row[0] if row else 0
    lasts = db.execute(
        "SELECT doc, max(id) FROM revisions WHERE time < ? OR id <= ? GROUP BY doc"
        " HAVING count(*) > 1",
        (before, limit),
    ).fetchall()
    return sum(_trim(db, doc, last) for doc, last in lasts)


def _trim(db: DatabaseConnection, doc: str, last: int) -> int:
    full = rows.packed_text(queries.text(db, last))
    empty = history.encode(())
    db.execute(
        "UPDATE revisions SET \"full\" = ?, delta = ?, cause = ?, actor = '', note = '', size = ?"
        " WHERE id = ?",
        (full, empty, BEFORE_CAUSE, len(full), last),
    )
    return db.execute("DELETE FROM revisions WHERE doc = ? AND id < ?", (doc, last)).rowcount


def forget(db: DatabaseConnection, passage: str, doc: str) -> dict[str, int]:
    """Make a passage unreadable in every revision; returns how many, by document."""
    found = db.execute("SELECT DISTINCT doc FROM revisions WHERE ? IN ('', doc)", (doc,)).fetchall()
    return {each: count for (each,) in found if (count := _forget(db, each, passage))}


def _forget(db: DatabaseConnection, doc: str, passage: str) -> int:
    found = db.execute(
        'SELECT id, "full", delta FROM revisions WHERE doc = ? ORDER BY id', (doc,)
    ).fetchall()
    deltas = [history.decode(delta) for _, _, delta in found]
    masked = history.masked(rows.text_before(found[0][1], found[0][2]), deltas, passage)
    if masked is None:
        return 0
    now, clean = masked
    changed = 0
    for (number, full, packed), delta in zip(found, clean, strict=True):
        now = history.apply(now, delta)
        fresh = history.encode(delta), None if full is None else rows.packed_text(now)
        if fresh != (packed, full):
            weight = len(fresh[0]) + len(fresh[1] or b"")
            db.execute(
                'UPDATE revisions SET delta = ?, "full" = ?, size = ? WHERE id = ?',
                (*fresh, weight, number),
            )
            changed += 1
    return changed
