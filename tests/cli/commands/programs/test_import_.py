"""`commonplace import`: refused before a database is asked; the engines' tests take folders in."""

from pathlib import Path

from tests.cli.commands.conftest import Say

PLACE = ("--database", "postgresql://127.0.0.1:1/notes", "--vault-name", "notes")


def test_a_folder_that_is_not_there_is_told(say: Say, tmp_path: Path) -> None:
    assert f"No such folder: {tmp_path}/none." in say("import", f"{tmp_path}/none", *PLACE, code=2)
    assert "No such folder" in say("import", str(tmp_path / "x" / ".."), *PLACE, code=2)


def test_the_database_and_the_name_are_needed(say: Say, notes: Path) -> None:
    assert "--database" in say("import", str(notes), "--vault-name", "notes", code=2)
    assert "--vault-name" in say("import", str(notes), *PLACE[:2], code=2)
    assert "letters, digits" in say("import", str(notes), *PLACE[:3], "our notes", code=2)


def test_a_database_that_is_away_is_told(say: Say, notes: Path) -> None:
    assert "commonplace: " in say("import", str(notes), *PLACE, code=1)
