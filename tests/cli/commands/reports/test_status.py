"""`commonplace status`: what the vault holds, how far its index is, and who owns it."""

import json
from pathlib import Path
from typing import Any

import pytest

from commonplace.cli.commands.reports.status import meaning
from tests.cli.commands.conftest import Say


def test_a_vault_is_described_before_and_after_it_was_indexed(say: Say, notes: Path) -> None:
    lines = dict(line.split(None, 1) for line in say("status").splitlines())
    assert lines["folder"] == f"notes: {notes}"
    assert lines["notes"] == "2, not indexed yet"
    assert lines["owner"] == "none is running"
    assert "2 notes are indexed" in say("index")
    lines = dict(line.split(None, 1) for line in say("status").splitlines())
    assert lines["links"] == "2, 1 of them unresolved"
    assert lines["tags"] == "1"
    assert lines["index"] == "as it was left; no server is running to keep it up to date"


def test_a_program_gets_the_same_as_json(say: Say, notes: Path) -> None:
    found = json.loads(say("status", "--json"))
    assert found["owner"] is None
    assert [root["path"] for root in found["roots"]] == [str(notes)]


def test_what_a_name_holds_cannot_drive_the_terminal(say: Say, tmp_path: Path) -> None:
    odd = tmp_path / "a\u202eb"
    odd.mkdir()
    assert "<U+202E>" in say("status", f"Odd={odd}")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"provider": None, "problem": "no model"}, "no model"),
        ({"provider": None, "problem": ""}, "ready; notes are embedded while a server runs"),
        ({"provider": "x", "problem": "", "embedded": 3, "total": 9}, "3 of 9 notes embedded"),
        (
            {"provider": "x", "problem": "It is away.", "embedded": 3, "total": 9},
            "3 of 9 notes embedded. It is away.",
        ),
    ],
)
def test_how_far_search_by_meaning_is_can_be_read(state: dict[str, Any], said: str) -> None:
    assert meaning(state) == said
