"""`commonplace search`: notes ranked by the words of a query."""

import json
from pathlib import Path

import pytest

from tests.cli.commands.conftest import Say


def test_what_is_found_is_listed_best_first(say: Say) -> None:
    found = say("search", "beans March")
    assert "Plan.md  (text)  [undecided: a suggestion that waits]" in found
    assert "We sow beans in March." in found
    hits = json.loads(say("search", "今日", "--json"))["hits"]
    assert [hit["path"] for hit in hits] == ["あ.md"]


def test_nothing_found_is_said(say: Say) -> None:
    assert "Nothing found." in say("search", "wombats")
    assert json.loads(say("search", "wombats", "--json")) == {"query": "wombats", "hits": []}


@pytest.mark.parametrize("limit", ["0", "-1", "100000", "many"])
def test_a_limit_has_bounds(say: Say, limit: str) -> None:
    assert "--limit" in say("search", "x", "--limit", limit, code=2)


def test_several_words_without_quotes_are_explained(say: Say, notes: Path) -> None:
    said = say("search", "beans", "March", code=2)
    assert "No such folder: beans" in said
    assert "Put a query of several words in quotes." in said
    assert "Plan.md" in say("search", str(notes), "beans")
