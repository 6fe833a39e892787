"""What `read` shows below the lines, word for word."""

import json

import pytest

from commonplace.core.render import remarks
from commonplace.core.render.remarks import PendingLine
from tests.core.case_files import cases


@pytest.mark.parametrize(("source", "answer"), cases("render_pending.md"))
def test_pending_suggestions(source: str, answer: str) -> None:
    suggestions = [PendingLine(**json.loads(row)) for row in source.splitlines()]
    assert remarks.pending_list(suggestions) == answer


def test_no_pending_suggestions_say_nothing() -> None:
    assert remarks.pending_list([]) is None
