"""A passage is unreadable in every text of its history, however it came together."""

import itertools

import pytest

from commonplace.core.history import MASK, Delta, apply, between
from commonplace.core.history.forget import masked, unreadable


def texts(start: str, deltas: list[Delta]) -> list[str]:
    found = [start]
    for delta in deltas:
        found.append(apply(found[-1], delta))
    return found


def history(*versions: str) -> tuple[str, list[Delta]]:
    pairs = itertools.pairwise(versions)
    return versions[0], [between(old, new) for old, new in pairs]


@pytest.mark.parametrize(
    ("versions", "after"),
    [
        (["a secret b", "b"], ["a ██████ b", "b"]),
        (["x", "x secret", "x"], ["x", "x ██████", "x"]),
        (["sec", "secr", "secret!", "ret!"], ["███", "████", "██████!", "███!"]),
        (["secretsecret", ""], [MASK * 12, ""]),
    ],
)
def test_each_character_of_it_is_masked_wherever_it_stood(
    versions: list[str], after: list[str]
) -> None:
    clean = masked(*history(*versions), "secret")
    assert clean is not None
    assert texts(*clean) == after


def test_passages_that_overlap_are_masked_whole() -> None:
    clean = masked("ababa", [], "aba")
    assert clean == (MASK * 5, [])


def test_what_a_history_never_had_leaves_it_alone() -> None:
    assert masked(*history("a b", "b"), "secret") is None
    assert masked("a", [], "") is None
    # Its letters were there, but never together.
    assert masked(*history("sec", "", "ret"), "secret") is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("say a long secret, twice: a long secret", f"say {MASK * 13}, twice: {MASK * 13}"),
        ("long sec", MASK * 8),
        (" long sec\n", MASK * 10),
        ("secret", "secret"),
        ("", ""),
        ("else", "else"),
    ],
)
def test_a_text_beside_the_history_is_masked_where_it_can_only_be_the_passage(
    text: str, after: str
) -> None:
    assert unreadable(text, "a long secret") == after
