"""`commonplace export`: refused before a database is asked; the engines' tests write folders."""

from pathlib import Path

from tests.cli.commands.conftest import Say

PLACE = ("--database", "postgresql://127.0.0.1:1/notes", "--vault-name", "notes")


def test_the_database_and_the_name_are_needed(say: Say, tmp_path: Path) -> None:
    assert "--database" in say("export", str(tmp_path / "out"), "--vault-name", "x", code=2)
    assert "begins with postgresql://" in say(
        "export", str(tmp_path / "out"), "--database", "mysql://x", "--vault-name", "x", code=2
    )
    assert not (tmp_path / "out").exists()


def test_a_password_is_not_typed(say: Say, tmp_path: Path) -> None:
    shown = ("--database", "postgresql://u:secret@127.0.0.1:1/n", "--vault-name", "notes")
    said = say("export", str(tmp_path / "out"), *shown, code=2)
    assert "COMMONPLACE_DATABASE" in said
    assert "secret" not in said


def test_a_database_that_is_away_is_told(say: Say, tmp_path: Path) -> None:
    assert "commonplace: " in say("export", str(tmp_path / "out"), *PLACE, code=1)
