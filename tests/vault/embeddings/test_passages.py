"""Passages and their vectors on disk: known by what they hold, so that a move costs nothing."""

import sqlite3
from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.vault.embeddings.passages import Passages, StoredPassage

ONE, TWO = StoredPassage(0, 5, b"one"), StoredPassage(5, 9, b"two")
VECTORS = {b"one": b"v1", b"two": b"v2"}


@pytest.fixture
def passages(tmp_path: Path) -> Generator[Passages]:
    found = Passages(tmp_path)
    yield found
    found.close()


def test_what_was_put_is_there_after_reopening(passages: Passages, tmp_path: Path) -> None:
    done = passages.put({"a.md": (b"sha", [ONE, TWO]), "empty.md": (b"", [])}, VECTORS)
    assert done["a.md"].vectors == [b"v1", b"v2"]
    again = Passages(tmp_path)
    assert sorted(path for _, path in again.paths()) == ["a.md", "empty.md"]
    assert [vector for _, _, vector in again.rows()] == [b"v1", b"v2"]
    assert [again.range(each) for each in done["a.md"].passages] == [(0, 5), (5, 9)]
    assert again.range(99) is None
    again.close()


def test_a_note_that_is_put_again_keeps_its_number_and_nothing_else(passages: Passages) -> None:
    first = passages.put({"a.md": (b"1", [ONE, TWO])}, VECTORS)["a.md"]
    again = passages.put({"a.md": (b"2", [TWO])}, {})["a.md"]
    assert again.note == first.note
    assert again.vectors == [b"v2"]
    assert len(list(passages.rows())) == 1


def test_vectors_outlive_their_note_until_they_are_swept(passages: Passages) -> None:
    note = passages.put({"a.md": (b"1", [ONE])}, VECTORS)["a.md"].note
    assert passages.remove(["a.md", "none.md"]) == [note]
    assert list(passages.rows()) == []
    assert passages.vectors([b"one", b"none"]) == {b"one": b"v1"}
    passages.put({"b.md": (b"1", [ONE])}, {})
    passages.sweep()
    assert passages.vectors([b"one", b"two"]) == {b"one": b"v1"}


def test_those_of_another_provider_are_thrown_away(passages: Passages) -> None:
    passages.belong_to("local", 3)
    passages.put({"a.md": (b"1", [ONE])}, VECTORS)
    passages.belong_to("local", 3)
    assert len(list(passages.rows())) == 1
    passages.belong_to("local", 4)
    assert passages.space() == "local 4"
    assert list(passages.paths()) == list(passages.rows()) == []


def test_what_differs_from_the_index_is_told_newest_last(
    passages: Passages, tmp_path: Path
) -> None:
    index = sqlite3.connect(tmp_path / "index.db", isolation_level=None)
    index.execute("CREATE TABLE notes (path TEXT, sha BLOB, mtime_ns INTEGER)")
    rows = [("same.md", b"1", 1), ("new.md", b"2", 9), ("changed.md", b"3", 5), ("bad.md", None, 2)]
    index.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)
    index.close()
    made = {"same.md": (b"1", [ONE]), "changed.md": (b"0", [TWO])}
    passages.put(made, VECTORS)
    passages.put({"gone.md": (b"4", [])}, {})
    passages.put({"bad.md": (b"", [])}, {})
    gone, changed = passages.behind(tmp_path / "index.db")
    assert (gone, changed) == (["gone.md"], ["changed.md", "new.md"])


@pytest.mark.parametrize("damage", [b"no database at all" * 100, None])
def test_a_file_that_is_damaged_or_of_another_version_is_made_anew(
    tmp_path: Path, damage: bytes | None
) -> None:
    if damage:
        (tmp_path / "meaning.db").write_bytes(damage)
    else:
        other = sqlite3.connect(tmp_path / "meaning.db")
        other.execute("PRAGMA user_version = 99")
        other.close()
    passages = Passages(tmp_path)
    assert list(passages.paths()) == []
    passages.put({"a.md": (b"1", [ONE])}, VECTORS)
    passages.close()
