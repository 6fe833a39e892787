"""Which failures of a request a client may see, and as what."""

import logging

import pytest

from commonplace.errors import BadPath, Forbidden, NotFound, Unavailable
from commonplace.server.mcp.direct.failures import INTERNAL_ERROR, INVALID_PARAMS, failure_of

HALF = UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (BadPath("No."), INVALID_PARAMS, "No."),
        (NotFound("No note a.md"), INVALID_PARAMS, "No note a.md"),
        (Forbidden("No."), INTERNAL_ERROR, "No."),
        (Unavailable("Later."), INTERNAL_ERROR, "Later."),
        (HALF, INVALID_PARAMS, "A parameter holds half of a surrogate pair"),
    ],
)
def test_what_a_client_can_mend_is_said(error: Exception, code: int, text: str) -> None:
    found, said = failure_of(error, "tools/call")
    assert (found, said[: len(text)]) == (code, text)


def test_a_bug_goes_to_the_log_and_nothing_of_it_to_the_client(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.ERROR)
    code, text = failure_of(KeyError("/srv/secret"), "tools/call")
    assert (code, "secret" in text) == (INTERNAL_ERROR, False)
    assert "request tools/call failed" in caplog.text
    assert "/srv/secret" in caplog.text
