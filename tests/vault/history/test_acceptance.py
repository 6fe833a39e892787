"""Who accepted whose words: each once, first to last."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.vault.history import acceptance, tables
from commonplace.vault.log.engine import DatabaseConnection
from tests.vault.history.contract import revision


@pytest.fixture
def db(tmp_path: Path) -> Generator[DatabaseConnection]:
    found = tables.connect(tmp_path / "history.db")
    yield found
    found.close()


def test_each_who_accepted_is_named_once(db: DatabaseConnection) -> None:
    numbers: list[int] = []
    text = ""
    for at, actor in enumerate(("person:Bo", "person:Ann", "person:Bo", "person:Cy")):
        numbers += tables.append(db, [revision(text, text + "x", actor=actor, time=float(at))])
        text += "x"
    first = numbers[0]
    for number in (numbers[1], numbers[0], numbers[2]):
        acceptance.put(db, number, [first, 99])
    acceptance.put(db, numbers[2], [first])
    assert acceptance.actors(db, [first]) == {first: ["person:Bo", "person:Ann"]}
    assert acceptance.actors(db, [first, 99, 98]).keys() == {first, 99}
    acceptance.put(db, numbers[3], [])
    assert acceptance.actors(db, [98]) == {}
