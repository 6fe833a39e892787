"""`commonplace restore`: a note as it was after one of its revisions."""

import json
from pathlib import Path

import pytest

from tests.cli.commands.conftest import Say


def test_a_note_is_made_as_it_was_and_then_is_like_that(say: Say, notes: Path) -> None:
    say("review", "--accept-all")
    accepted = (notes / "Plan.md").read_text()
    say("review", "--list")
    revisions = json.loads(say("history", "--note", "Plan.md", "--json"))["revisions"]
    newest = str(revisions[0]["revision"])
    assert say("restore", "--revision", newest) == "Plan.md was like that already.\n"
    (notes / "Plan.md").write_text("spoilt\n")
    assert say("restore", "--revision", newest) == "Plan.md is as it was.\n"
    assert (notes / "Plan.md").read_text() == accepted


@pytest.mark.parametrize("number", ["0", "-1", "999999", "9" * 30])
def test_a_revision_that_is_not_there_is_told(say: Say, number: str) -> None:
    said = say("restore", "--revision", number, code=2)
    assert "evision" in said


def test_a_number_that_no_history_reaches_bounds_nothing(say: Say) -> None:
    say("review", "--accept-all")
    assert "Plan.md" in say("history", "--before", "9" * 30)
    assert "evision" in say("history", "--show", "9" * 30, code=2)


def test_a_revision_is_a_number(say: Say) -> None:
    assert "--revision" in say("restore", "--revision", "last", code=2)
    assert "--revision" in say("restore", code=2)
