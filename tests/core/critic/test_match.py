"""Which stretch a call means, and whether it came before."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import critic
from commonplace.core.critic.match import matches, narrow, occurrences, straight
from commonplace.core.text.edits import apply


@pytest.mark.parametrize(
    ("document", "old", "new"),
    [
        ("The cat sat.", "cat", "dog"),
        ("The cat sat.", "cat", "cat dog"),
        ("The cat sat.", "cat", "dog cat fish"),
        ("The cat sat.", "cat ", ""),
        ("a\nb\n", "a", "a\n\nmore"),
        ("aaa", "aaa", "aa"),
        ("a\n```\ncode\n```\nb", "code", "more code"),
        ("say “no”", 'say "no"', 'say "yes"'),
        ("{++a cat++} sat", "cat", "cat dog"),
        pytest.param("a\n> ~~~\n> code\n", "> ~", "> ", id="a part of a fence, and one is left"),
    ],
)
def test_a_call_that_comes_twice_changes_nothing_more(document: str, old: str, new: str) -> None:
    first = critic.suggest(document, old, new)
    again = critic.suggest(first.text, old, new)
    assert not first.repeated
    assert again.repeated
    assert critic.suggest(first.text, old, new).repeated
    assert (again.edits, again.text, again.count) == ([], first.text, first.count)


def test_replacing_all_twice_changes_nothing_more() -> None:
    first = critic.suggest("cat, cat and cat", "cat", "cat dog", replace_all=True)
    again = critic.suggest(first.text, "cat", "cat dog", replace_all=True)
    assert first.count == again.count == 3
    assert again.repeated


def test_the_same_change_elsewhere_is_no_repetition() -> None:
    first = critic.suggest("a cat, a dog", "cat", "fox").text
    there = first + " and a cat"
    assert critic.suggest(there, "cat", "fox").text.endswith("and a {--cat--}{++fox++}")
    grown = "cat{++ dog++}, another cat"
    assert not critic.suggest(grown, "another cat", "another cat dog").repeated


def test_a_call_that_only_looks_like_a_pending_one_is_made() -> None:
    document = "{--cat--}{++dog++} and cat"
    made = critic.suggest(document, "cat", "dog")
    assert made.text == "{--cat--}{++dog++} and {--cat--}{++dog++}"


def test_text_that_is_not_there() -> None:
    with pytest.raises(critic.NoMatch):
        critic.suggest("cat", "dog", "fox")


def test_deleted_text_is_not_there() -> None:
    with pytest.raises(critic.NoMatch):
        critic.suggest("a {--cat--}", "cat", "dog")


def test_text_that_is_there_twice() -> None:
    with pytest.raises(critic.NotUnique) as refusal:
        critic.suggest("cat {++cat++} cat", "cat", "dog")
    assert refusal.value.count == 3


def test_no_change() -> None:
    with pytest.raises(critic.NoChange):
        critic.suggest("cat", "cat", "cat")
    with pytest.raises(critic.NoChange):
        critic.suggest("“cat”", '"cat"', "“cat”")


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("cat", "dog", (0, 3, "dog")),
        ("a cat", "a big cat", (2, 2, "big ")),
        ("a big cat", "a cat", (2, 6, "")),
        ("one\nthree\n", "one\ntwo\nthree\n", (4, 4, "two\n")),
        ("aaa", "aa", (0, 1, "")),
        ("", "x", (0, 0, "x")),
        ("x", "", (0, 1, "")),
    ],
)
def test_what_is_only_added_or_only_removed_is_narrowed(
    old: str, new: str, part: tuple[int, int, str]
) -> None:
    assert narrow(old, new) == part


@given(st.text(alphabet="ab \n", max_size=12), st.text(alphabet="ab \n", max_size=12))
def test_what_is_narrowed_says_the_same(old: str, new: str) -> None:
    for begins_line in (False, True):
        start, end, insert = narrow(old, new, begins_line=begins_line)
        assert old[:start] + insert + old[end:] == new


@pytest.mark.parametrize(
    ("text", "part", "places"),
    [("aaaa", "aa", [0, 2]), ("a b a", "a", [0, 4]), ("b", "a", []), ("", "a", [])],
)
def test_occurrences_are_those_that_replace_takes(text: str, part: str, places: list[int]) -> None:
    assert list(occurrences(text, part)) == places
    assert text.count(part) == len(places)


def test_curly_quotes_are_straightened_in_place() -> None:
    text = "‘a’ “b” „c‟"
    assert straight(text) == '\'a\' "b" "c"'
    assert len(straight(text)) == len(text)


def test_an_exact_match_goes_before_one_with_other_quotes() -> None:
    (found,) = matches('say “no” and "no"', '"no"', '"yes"', replace_all=False)
    assert (found.start, found.end) == (13, 17)
    (curly,) = matches("say “no”", '"no"', '"yes"', replace_all=False)
    assert apply("say “no”", [curly.edit]) == "say “yes”"


def test_of_many_occurrences_those_that_change_are_returned() -> None:
    found = matches("a a a", "a", "b", replace_all=True)
    assert [(match.start, match.end) for match in found] == [(0, 1), (2, 3), (4, 5)]
    with pytest.raises(critic.NotUnique):
        matches("a a", "a", "b", replace_all=False)
