"""How the full-text index is filled: its parts are joined once, at the end."""

import sqlite3
from pathlib import Path

from commonplace.vault.index.build import bulk
from commonplace.vault.index.database import connect

TRANSACTIONS = 40


def fill(db: sqlite3.Connection) -> int:
    """Write notes in many transactions; how many parts there are afterwards."""
    for number in range(TRANSACTIONS):
        db.execute("BEGIN")
        text = " ".join(f"word{number}x{n}" for n in range(3000))
        db.execute(
            "INSERT INTO fulltext(rowid, title, body) VALUES (?, ?, ?)", (number + 1, "t", text)
        )
        db.execute("COMMIT")
    return parts(db)


def parts(db: sqlite3.Connection) -> int:
    return db.execute("SELECT count(DISTINCT segid) FROM fulltext_idx").fetchone()[0]


def test_nothing_that_was_written_is_joined_before_the_end(tmp_path: Path) -> None:
    db = connect(tmp_path)
    db.execute("BEGIN")
    bulk.begin(db)
    db.execute("COMMIT")
    assert fill(db) == TRANSACTIONS
    db.execute("BEGIN")
    bulk.finish(db)
    db.execute("COMMIT")
    assert parts(db) == 1
    assert db.execute(
        "SELECT count(*) FROM fulltext WHERE fulltext MATCH 'word7x8'"
    ).fetchone() == (1,)
    db.close()


def test_without_that_they_are_joined_on_the_way(tmp_path: Path) -> None:
    db = connect(tmp_path)
    assert fill(db) < TRANSACTIONS
    db.close()
