"""The history in a SQLite file."""

import sqlite3
from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.core import history
from commonplace.errors import Unavailable
from commonplace.vault.history import queries, tables
from commonplace.vault.history.history import History, RevisionFilter
from commonplace.vault.history.sqlite import SqliteHistory
from tests.vault.history.contract import HistoryContract


class TestSqliteHistory(HistoryContract):
    def open_history(self, folder: Path) -> History:
        return SqliteHistory(folder / "history.db")


def test_a_history_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "history.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Unavailable, match="newer"):
        SqliteHistory(tmp_path / "history.db")


ROWS = 50_000
STEPS_MAX = ROWS  # of SQLite's own machine: less than one for each revision


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Generator[sqlite3.Connection]:
    """Give a history of many revisions, of which a few in the folder `Rare` are old."""
    db = tables.connect(tmp_path_factory.mktemp("long") / "history.db")
    delta = history.encode(())
    rows = (
        (number, "Rare/a.md" if number < 10 else "Often/a.md", float(number), delta)
        for number in range(1, ROWS)
    )
    db.execute("BEGIN")
    db.executemany(
        'INSERT INTO revisions (id, doc, path, started, time, actor, cause, "set", note, delta,'
        " size) VALUES (?1, 'd', ?2, 0, ?3, 'person:Ann', 'typing', '', '', ?4, 0)",
        rows,
    )
    db.execute("COMMIT")
    yield db
    db.close()


def steps(db: sqlite3.Connection, wanted: RevisionFilter) -> tuple[list[int], int]:
    """Count what it costs to list revisions."""
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1

    db.set_progress_handler(count, 100)
    found = [each.id for each in queries.revisions(db, wanted)]
    db.set_progress_handler(None, 0)
    return found, counted * 100


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (RevisionFilter(folder="None", limit=3), []),
        (RevisionFilter(folder="Rare", limit=30), list(range(9, 0, -1))),
        (RevisionFilter(folder="Often", limit=2), [ROWS - 1, ROWS - 2]),
        (RevisionFilter(since=ROWS * 2.0, limit=3), []),
        (RevisionFilter(since=ROWS - 2.0, limit=3), [ROWS - 1, ROWS - 2]),
        (RevisionFilter(since=1.0, limit=2), [ROWS - 1, ROWS - 2]),
        (RevisionFilter(actor="person:Ann", since=ROWS - 1.0, folder="Often"), [ROWS - 1]),
        (RevisionFilter(actor="person:Ann", folder="Rare", since=9.0), [9]),
    ],
)
def test_few_among_very_many_are_found_without_looking_at_all(
    long: sqlite3.Connection, wanted: RevisionFilter, found: list[int]
) -> None:
    listed, counted = steps(long, wanted)
    assert listed == found
    assert counted < STEPS_MAX


def test_the_count_of_steps_sees_a_look_at_all(
    long: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def many(*_: object) -> bool:
        return False

    monkeypatch.setattr(queries, "_is_few", many)
    assert steps(long, RevisionFilter(folder="None"))[1] > STEPS_MAX
