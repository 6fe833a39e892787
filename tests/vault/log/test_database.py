"""A SQLite file of ours: for its owner alone, and brought up to date step by step."""

import sqlite3
import stat
from pathlib import Path

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.log.database import SAFE, connect, scrub

FIRST = ("CREATE TABLE one (a)",)
SECOND = ("CREATE TABLE two (b)", "INSERT INTO two VALUES (1)")


def test_each_step_is_taken_once(tmp_path: Path) -> None:
    file = tmp_path / "live.db"
    db = connect(file, (FIRST,), SAFE, name="log")
    db.execute("INSERT INTO one VALUES ('kept')")
    db.close()
    for _ in range(2):
        db = connect(file, (FIRST, SECOND), SAFE, name="log")
        assert db.execute("SELECT a FROM one").fetchall() == [("kept",)]
        assert db.execute("SELECT b FROM two").fetchall() == [(1,)]
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        db.close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_steps_are_taken_all_or_none(tmp_path: Path) -> None:
    file = tmp_path / "live.db"
    connect(file, (FIRST,), SAFE, name="log").close()
    with pytest.raises(sqlite3.OperationalError):
        connect(file, (FIRST, (*SECOND, "no SQL")), SAFE, name="log")
    db = connect(file, (FIRST, SECOND), SAFE, name="log")
    assert db.execute("SELECT count(*) FROM two").fetchone() == (1,)
    db.close()


def test_a_file_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "live.db"
    connect(file, (FIRST, SECOND), SAFE, name="log").close()
    before = file.read_bytes()
    with pytest.raises(Unavailable, match="The log was written by a newer Commonplace"):
        connect(file, (FIRST,), (), name="log")
    assert file.read_bytes() == before


def test_nothing_of_deleted_rows_is_left(tmp_path: Path) -> None:
    file = tmp_path / "live.db"
    db = connect(file, (FIRST,), SAFE, name="log")
    db.execute("INSERT INTO one VALUES ('a secret word')")
    db.execute("DELETE FROM one")
    scrub(db)
    written = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"secret" not in written
    db.close()
