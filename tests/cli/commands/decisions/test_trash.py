"""`commonplace trash`: what was deleted, and how to have it back."""

import json
from pathlib import Path

import pytest

from tests.cli.commands.conftest import Say


@pytest.fixture
def deleted(notes: Path) -> str:
    """A note in the trash, as a file manager leaves one there."""
    (notes / ".trash").mkdir()
    (notes / "あ.md").rename(notes / ".trash/あ.md")
    return ".trash/あ.md"


def test_what_is_deleted_is_listed_and_comes_back(say: Say, notes: Path, deleted: str) -> None:
    assert deleted in say("trash")
    assert [one["trash"] for one in json.loads(say("trash", "--list", "--json"))["trash"]] == [
        deleted
    ]
    assert json.loads(say("trash", "--restore", deleted, "--json")) == {"restored": ["あ.md"]}
    assert (notes / "あ.md").read_text().startswith("今日")
    assert "The trash is empty." in say("trash")


def test_what_is_not_there_or_contradicts_itself_is_refused(say: Say) -> None:
    say("trash", "--restore", ".trash/No.md", code=2)
    assert "--list restores nothing" in say("trash", "--list", "--restore", "x", code=2)
