"""Texts that a regular expression cannot match without."""

import re

import pytest
from hypothesis import given, strategies as st

from commonplace.core.search.literals import literals


def texts(regex: str, *, ignore_case: bool = False) -> set[str] | None:
    found = literals(regex, 1, ignore_case=ignore_case)
    return None if found is None else {text.decode() for text in found.texts}


@pytest.mark.parametrize(
    ("regex", "held"),
    [
        ("garden", {"garden"}),
        ("gar.*den", {"gar"}),
        (r"a\.b", {"a.b"}),
        ("bees?", {"bee"}),
        ("bees+", {"bees"}),
        ("(?:one|two) three", {" three"}),
        ("one|two", {"one", "two"}),
        ("x*", None),
        ("a|b*", None),
        (r"\d+", None),
        ("", None),
    ],
)
def test_what_every_match_holds(regex: str, held: set[str] | None) -> None:
    assert texts(regex) == held


def test_a_plain_text_is_the_whole_match() -> None:
    found = literals("garden", 1, ignore_case=False)
    assert found is not None
    assert found.whole
    other = literals("garden.", 1, ignore_case=False)
    assert other is not None
    assert not other.whole


def test_short_texts_are_of_no_use() -> None:
    assert literals("ab.*", 3, ignore_case=False) is None
    assert literals("a" * 3, 3, ignore_case=False) is not None


atoms = st.sampled_from(["a", "b", "ab", ".", "a*", "b+", "(?:a|b)", "[ab]", "ba?", "x|y"])


@given(st.lists(atoms, max_size=5).map("".join), st.text("abxy", max_size=8))
def test_no_text_matches_without_one_of_them(regex: str, text: str) -> None:
    held = texts(regex)
    if held is not None and (found := re.search(regex, text)) is not None:
        assert any(each in found[0] for each in held)
