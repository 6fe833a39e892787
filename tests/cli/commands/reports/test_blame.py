"""`commonplace blame`: who wrote each line of a note."""

import json

from tests.cli.commands.conftest import Say


def test_each_line_stands_beside_who_wrote_it(say: Say) -> None:
    lines = say("blame", "--note", "Plan.md").splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert "# Plan" in lines[0]
    rows = json.loads(say("blame", "--note", "あ.md", "--json"))["lines"]
    assert [row["text"] for row in rows] == ["今日は晴れ。 [[Plan]] [[Nowhere]]"]


def test_a_note_that_is_not_there_is_told(say: Say) -> None:
    assert "No.md" in say("blame", "--note", "No.md", code=2)
    assert "--note" in say("blame", code=2)
