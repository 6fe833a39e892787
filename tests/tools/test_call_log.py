"""The line that a tool call leaves in the log."""

import logging
from collections.abc import Mapping
from typing import Any

import pytest

from commonplace.tools import call_log
from commonplace.tools.call_log import CallTimer


def events(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [record.__dict__["event"] for record in caplog.records]


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ({"file_path": "a.md", "path": "b.md"}, "a.md"),
        ({"path": 5, "folder": "Plans"}, "Plans"),  # what is no text names nothing
        ({"content": "secret", "query": "secret"}, ""),
        ({}, ""),
    ],
)
def test_a_line_names_the_note_and_nothing_else_of_the_arguments(
    caplog: pytest.LogCaptureFixture, arguments: Mapping[str, object], note: str
) -> None:
    caplog.set_level(logging.INFO, call_log.__name__)
    CallTimer("read", arguments, "Claude").end("NotFound")
    (event,) = events(caplog)
    assert event.pop("milliseconds") >= 0
    assert event == {"tool": "read", "note": note, "actor": "Claude", "outcome": "NotFound"}


def test_what_a_caller_writes_begins_no_line_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, call_log.__name__)
    CallTimer("read", {"path": "a\nb\x1b[2J.md"}, "An\nna").end("ok")
    (event,) = events(caplog)
    assert event["note"].isprintable()
    assert event["actor"].isprintable()


def test_nothing_is_written_where_nobody_wants_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, call_log.__name__)
    CallTimer("read", {}, "Claude").end("ok")
    assert events(caplog) == []
