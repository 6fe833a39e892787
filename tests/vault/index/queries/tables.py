"""The tables of an index, in memory, with a few notes in them."""

import sqlite3

from commonplace.core import digest
from commonplace.vault.index.schema import LOOKUPS, TABLES


def index_of(notes: dict[str, str]) -> sqlite3.Connection:
    """Make the tables and put notes into them, by their numbers from 1 on."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(TABLES)
    for number, (path, text) in enumerate(notes.items(), 1):
        found = digest.digest(path, text)
        db.execute(
            "INSERT INTO notes (id, path, mtime_ns, size, inode, title) VALUES (?, ?, 0, 0, 0, ?)",
            (number, path, found.title),
        )
        db.executemany(
            "INSERT INTO tags VALUES (?, ?, ?, ?)",
            [(number, at, tag, tag.lower()) for at, tag in enumerate(found.tags)],
        )
        db.executemany(
            "INSERT INTO properties VALUES (?, ?, ?)",
            [(number, *pair) for pair in found.properties],
        )
        db.executemany(
            "INSERT INTO suggestions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(number, row[0], at, *row[1:]) for at, row in enumerate(found.pending)],
        )
        db.execute(
            "INSERT INTO fulltext (rowid, title, body) VALUES (?, ?, ?)",
            (number, found.search_title, found.search_body),
        )
    for name, columns in LOOKUPS.items():
        db.execute(f"CREATE INDEX {name} ON {columns}")
    return db
