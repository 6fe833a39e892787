"""The tree of errors: each says what happened and then what to do, and has a name in JSON."""

from collections.abc import Iterator

import pytest

from commonplace import errors
from commonplace.errors import (
    CODES,
    BadArgument,
    BadPattern,
    ChangedSinceRead,
    CommonplaceError,
    Denied,
    NotFound,
    NotRead,
    PartRead,
)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NotFound("No note a.md"), "No note a.md"),
        (NotFound("No note a.md", "Did you mean b.md?"), "No note a.md. Did you mean b.md?"),
        (Denied(), "User denied permission"),
        (Denied("notes are read-only"), "User denied permission: notes are read-only"),
        (Denied(reason="not today"), 'User denied permission (reason: "not today")'),
        (Denied("x", reason="y"), 'User denied permission: x (reason: "y")'),
        (BadPattern("unclosed group"), "Invalid regex pattern: unclosed group"),
    ],
)
def test_an_error_says_what_happened_and_what_to_do(error: CommonplaceError, words: str) -> None:
    assert str(error) == words


def test_what_helps_on_can_be_had_alone() -> None:
    assert NotFound("No note a.md", "Did you mean b.md?").hint == "Did you mean b.md?"
    assert NotFound("No note a.md").hint == ""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ChangedSinceRead(), "re-read and try again"),
        (NotRead("Plans/a.md"), 'file_path: "Plans/a.md"'),
        (PartRead("a.md", 12_000), "a.md (12,000 lines)"),
    ],
)
def test_an_assistant_is_told_how_to_go_on(error: CommonplaceError, words: str) -> None:
    assert words in str(error)


def _derived(kind: type[CommonplaceError]) -> Iterator[type[CommonplaceError]]:
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__:
            yield each
        yield from _derived(each)


def test_every_error_has_one_name_in_json() -> None:
    kinds = [*_derived(CommonplaceError)]
    assert len(kinds) > 10
    for kind in kinds:
        names = [name for name, known in CODES.items() if issubclass(kind, known)]
        assert len(names) == 1, kind
    assert issubclass(BadPattern, BadArgument)
