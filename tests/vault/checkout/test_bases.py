"""What a working copy and the vault last agreed on, also of files with another name."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.vault.checkout.bases import Bases


@pytest.fixture
def bases(tmp_path: Path) -> Generator[Bases]:
    found = Bases(tmp_path / "copy.db")
    yield found
    found.close()


def test_a_base_is_kept_until_the_note_is_gone(bases: Bases, tmp_path: Path) -> None:
    bases.put("é.md", "漢\n")
    bases.put("empty.md", "")
    assert (bases.get("é.md"), bases.get("empty.md"), bases.get("x.md")) == ("漢\n", "", None)
    again = Bases(tmp_path / "copy.db")
    assert again.paths() == {"é.md", "empty.md"}
    again.put("é.md", None)
    again.put("é.md", None)
    assert again.paths() == {"empty.md"}
    again.close()


def test_a_file_with_another_name_stands_for_the_note_of_its_first_one(
    bases: Bases, tmp_path: Path
) -> None:
    bases.put("a.md", "text")
    bases.move("a.md", "b.md")
    bases.move("b.md", "c.md")
    assert bases.moves == {"c.md": "a.md"}
    assert (bases.get("c.md"), bases.paths()) == ("text", {"c.md"})
    again = Bases(tmp_path / "copy.db")
    assert again.moves == {"c.md": "a.md"}
    again.close()
    bases.move("c.md", "a.md")
    assert bases.moves == {}, "it has its own name again"
    assert bases.get("a.md") == "text"


def test_a_file_that_takes_the_place_of_another_stands_for_its_own_note(bases: Bases) -> None:
    bases.put("a.md", "a")
    bases.put("b.md", "b")
    bases.move("a.md", "b.md")
    assert bases.moves == {"b.md": "a.md"}
    assert (bases.get("b.md"), bases.paths()) == ("a", {"b.md"})
    bases.forget_move("b.md")
    assert bases.moves == {}
    assert bases.get("b.md") == "a"


def test_all_is_forgotten_at_once(bases: Bases, tmp_path: Path) -> None:
    bases.put("a.md", "a")
    bases.move("a.md", "b.md")
    bases.clear()
    again = Bases(tmp_path / "copy.db")
    assert (bases.moves, bases.paths(), again.moves, again.paths()) == ({}, set(), {}, set())
    again.close()
