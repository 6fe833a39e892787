"""What is taken out of the history leaves the rest readable, and nothing of itself."""

import itertools
from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.core.history import MASK
from commonplace.vault.history import acceptance, erasure, queries, tables
from commonplace.vault.history.history import ACCEPT_CAUSE, BEFORE_CAUSE
from commonplace.vault.log.engine import DatabaseConnection
from tests.vault.history.contract import revision


@pytest.fixture
def db(tmp_path: Path) -> Generator[DatabaseConnection]:
    found = tables.connect(tmp_path / "history.db")
    yield found
    found.close()


def kept(db: DatabaseConnection, *texts: str, document: str = "note") -> list[int]:
    return [
        number
        for at, (before, after) in enumerate(itertools.pairwise(texts))
        for number in tables.append(
            db, [revision(before, after, document=document, time=float(at + 1))]
        )
    ]


def causes(db: DatabaseConnection) -> list[str]:
    return [cause for (cause,) in db.execute("SELECT cause FROM revisions ORDER BY id")]


def test_what_is_left_begins_with_a_whole_text(db: DatabaseConnection) -> None:
    numbers = kept(db, "", "one", "one two", "one two three")
    assert erasure.trim(db, before=2.5, bytes_max=10**9) > 0
    assert queries.text(db, numbers[-1]) == "one two three"
    assert queries.text(db, numbers[1]) == "one two"
    assert causes(db) == [BEFORE_CAUSE, "typing"]
    assert erasure.trim(db, before=2.5, bytes_max=10**9) == 0


def test_the_newest_of_each_document_stays_however_old(db: DatabaseConnection) -> None:
    one, other = kept(db, "", "a", "ab"), kept(db, "", "x", document="other")
    erasure.trim(db, before=100.0, bytes_max=10**9)
    assert queries.text(db, one[-1]) == "ab"
    assert queries.text(db, other[-1]) == "x"


def test_too_many_bytes_push_the_oldest_out(db: DatabaseConnection) -> None:
    numbers = kept(db, "", *("x" * at for at in range(1, 30)))
    (size,) = db.execute("SELECT sum(size) FROM revisions").fetchone()
    assert erasure.trim(db, before=0.0, bytes_max=size // 2) > 5
    assert queries.text(db, numbers[-1]) == "x" * 29


def test_a_passage_is_unreadable_in_every_revision(db: DatabaseConnection) -> None:
    numbers = kept(db, "", "a secret", "a secret here", "here")
    others = kept(db, "", "a secret", document="other")
    assert erasure.forget(db, "secret", "note") == {"note": 2}
    assert [queries.text(db, each) for each in numbers] == [
        f"a {MASK * 6}",
        f"a {MASK * 6} here",
        "here",
    ]
    assert queries.text(db, others[-1]) == "a secret"
    assert erasure.forget(db, "secret", "") == {"other": 1}
    assert erasure.forget(db, "secret", "") == {}


def test_who_accepted_whose_words_is_kept(db: DatabaseConnection) -> None:
    (made,) = tables.append(db, [revision("cat", "{--cat--}", actor="assistant:Claude")])
    tables.append(db, [revision("{--cat--}", "", actor="person:Ann", cause=ACCEPT_CAUSE, time=2.0)])
    assert acceptance.actors(db, [made]) == {made: ["person:Ann"]}
    assert acceptance.actors(db, [made + 50]) == {}
