"""How an empty index takes all notes at once: what can wait is done when the rows are there.

Sorting rows into a look-up tree once is several times faster than planting them one by one, and
joining a few big parts of the full-text index faster than many small ones many times. A build
that was cut short leaves a mark; `finish` is then owed by whoever writes next.
"""

import sqlite3

from commonplace.vault.index.database import read_meta, write_meta
from commonplace.vault.index.schema import LOOKUPS

_CACHE_KB = 48_000
_WORDS_BYTES = 16 << 20
# Between so many pages the disk is not waited for: it may take a second each time.
_CHECKPOINT_PAGES = 16_384

# What FTS5 does unless told otherwise.
_USUAL = {"hashsize": 1 << 20, "automerge": 4, "crisismerge": 16}
# A crisis would join every sixteen parts at once, and write all their words again each time: the
# more notes, the more often. This is the most that FTS5 takes.
_FILLING = {"hashsize": _WORDS_BYTES, "automerge": 0, "crisismerge": 1999}


def is_empty(db: sqlite3.Connection) -> bool:
    """Tell whether no note was digested yet."""
    return db.execute("SELECT 1 FROM notes WHERE shard NOT NULL").fetchone() is None


def begin(db: sqlite3.Connection) -> None:
    """Put off, inside a transaction, what `finish` catches up on."""
    for name in LOOKUPS:
        db.execute(f"DROP INDEX IF EXISTS {name}")
    _configure(db, _FILLING)


def hurry(db: sqlite3.Connection) -> None:
    """Let this connection use more memory, and wait for the disk less often."""
    db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")


def unfinished(db: sqlite3.Connection) -> bool:
    """Tell whether a build began and did not end."""
    return bool(read_meta(db, "unfinished"))


def mark(db: sqlite3.Connection, *, unfinished: bool) -> None:
    """Keep in mind that a build began, or that it ended."""
    write_meta(db, "unfinished", int(unfinished))


def plant(db: sqlite3.Connection, name: str) -> None:
    """Make a look-up tree, unless it is there."""
    db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {LOOKUPS[name]}")


def finish(db: sqlite3.Connection) -> None:
    """Catch up, inside a transaction, once links are settled.

    Before that, statistics would tell the planner that no link leads anywhere, and it would
    walk over all of them to find those that lead to a note.
    """
    for name in LOOKUPS:
        plant(db, name)
    _configure(db, _USUAL)
    db.execute("INSERT INTO fulltext(fulltext) VALUES ('optimize')")
    db.execute("ANALYZE")


def _configure(db: sqlite3.Connection, options: dict[str, int]) -> None:
    for name, value in options.items():
        db.execute("INSERT INTO fulltext(fulltext, rank) VALUES (?, ?)", (name, value))
