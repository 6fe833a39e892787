"""Words for the person, on stderr."""

import pytest

from commonplace.cli.messages import fail, notice
from commonplace.errors import (
    BadPath,
    CommonplaceError,
    Conflict,
    NotFound,
    Unavailable,
    Unreadable,
)


def test_a_notice_is_no_answer_and_drives_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    notice("a\x1b[2Jb \u202e\udcff 日本語")
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "commonplace: a<U+001B>[2Jb <U+202E><U+DCFF> 日本語\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadPath("no"), 2),
        (NotFound("no"), 2),
        (Conflict("no"), 1),
        (Unreadable("no"), 1),
        (Unavailable("no"), 1),
    ],
)
def test_whoever_asked_wrongly_gets_another_code(
    error: CommonplaceError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fail(error) == code
    assert capsys.readouterr().err == "commonplace: no\n"
