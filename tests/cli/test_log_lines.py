"""What goes to standard error: nothing in ordinary use, a line a tool call if it is asked for."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.cli.group import run
from tests.server.processes import Client

pytestmark = pytest.mark.slow

COMMONPLACE = (sys.executable, "-m", "commonplace")
_INFO = {"name": "tester", "version": "1"}


def spoken(folder: Path, *flags: str) -> tuple[list[str], list[Any]]:
    """Return the lines on standard error of a short conversation, and its answers."""
    notes = folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Secret words\n")
    words = (*COMMONPLACE, "mcp", str(notes), "--state", str(folder / "state"), *flags)
    with Client(*words) as client:
        client.call("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=_INFO)
        client.tell({"method": "notifications/initialized"})
        answers = [
            client.call("tools/call", name="read", arguments={"file_path": path})
            for path in ("a.md", "missing.md")
        ]
        client.close_stdin()
        assert client.wait() == 0
        return client.complaint().splitlines(), answers


def test_ordinary_use_says_nothing(tmp_path: Path) -> None:
    lines, answers = spoken(tmp_path)
    assert [answer.get("isError", False) for answer in answers] == [False, True]
    assert lines == []


def test_each_call_is_a_line_of_json(tmp_path: Path) -> None:
    lines, _ = spoken(tmp_path, "--log-level", "info", "--log-format", "json")
    rows = [json.loads(line) for line in lines]
    calls = [row for row in rows if row["event"] == "tool call"]
    assert [(row["tool"], row["note"], row["actor"], row["outcome"]) for row in calls] == [
        ("read", "a.md", "tester", "ok"),
        ("read", "missing.md", "tester", "NotFound"),
    ]
    assert all(row["milliseconds"] >= 0 and row["level"] == "info" for row in calls)
    assert all(row["time"].endswith("Z") for row in calls)
    assert "Secret" not in "".join(lines)


def test_each_call_is_a_line_of_text(tmp_path: Path) -> None:
    lines, _ = spoken(tmp_path, "--log-level=info")
    assert len(lines) == 2
    assert lines[0].startswith("commonplace: tool call read note=a.md actor=tester outcome=ok ")


@pytest.mark.parametrize(("flag", "value"), [("--log-level", "loud"), ("--log-format", "xml")])
def test_a_wrong_choice_is_refused(
    flag: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mcp", str(tmp_path), flag, value]) == 2
    assert f"{flag}: '{value}' is not one of" in capsys.readouterr().err
