"""Whose access token a request came with, and what the person behind it is called."""

import pytest
from starlette.types import Scope

from commonplace.server.access.identity import may, person, token_of, watching, who

NOBODY: Scope = {"type": "http"}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "someone"),
        ({"who": None}, "someone"),
        ({"who": "  "}, "someone"),
        ({"who": " Ada "}, "Ada"),
        ({"who": "A\nd\x1ba\u202e"}, "Ada"),
        ({"who": "\x00\n"}, "someone"),
        ({"who": "日" * 100}, "日" * 64),
        ({"who": ["Ada"]}, "['Ada']"),
    ],
)
def test_a_person_without_a_token_is_called_as_the_request_says(
    body: dict[str, object], name: str
) -> None:
    assert who(NOBODY, body) == name
    assert person(NOBODY, body) == f"person:{name}"


def test_who_needs_no_token_may_do_everything() -> None:
    assert token_of(NOBODY) is None
    assert may(NOBODY, "approve")
    with watching(NOBODY, pytest.fail):
        pass
