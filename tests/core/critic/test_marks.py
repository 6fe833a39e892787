"""Any text can be held by marks: cut, it is read back, and its seams are found again."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core.critic import Kind, accepted, base, parse, suggestions
from commonplace.core.critic.marks import Mark, Marked, cuts, has_delimiters, pieces, wrapped

PIECES = ("a", "{", "}", "+", "-", "++", "--", "{++", "++}", "{--", "--}", "~~", "{>>", "<<}", " ")
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)


@given(TEXTS)
def test_a_text_is_cut_so_that_marks_hold_it(text: str) -> None:
    for kind, side in ((Kind.INSERTED, accepted), (Kind.DELETED, base)):
        marked = wrapped(kind, "{}@@", text)
        assert side(marked) == text
        assert len(suggestions(marked)) == 1, "its marks meet at seams"


@pytest.mark.parametrize(
    ("kind", "text", "places"),
    [
        (Kind.DELETED, "a --} b", [3]),
        (Kind.INSERTED, "{++", [1]),
        (Kind.INSERTED, "x{+", [2]),
        (Kind.DELETED, "x{+", []),
        (Kind.INSERTED, "plain { }", []),
        (Kind.INSERTED, "", []),
    ],
)
def test_a_cut_is_inside_a_delimiter(kind: Kind, text: str, places: list[int]) -> None:
    assert cuts(kind, text) == places


def test_no_text_needs_no_mark() -> None:
    assert wrapped(Kind.INSERTED, "{}@@", "") == ""


def test_a_stretch_is_divided_at_the_places_inside_it() -> None:
    assert list(pieces(2, 8, [0, 2, 3, 8, 9])) == [(2, 3), (3, 8)]
    assert list(pieces(2, 2, [2])) == []


@pytest.mark.parametrize(
    ("text", "holds"),
    [("{++a++}", True), ("++} {--", True), ("{++ a", False), ("a --}", False), ("{+a+}", False)],
)
def test_delimiters_of_both_sorts_may_be_marks(text: str, holds: bool) -> None:
    assert has_delimiters(text) == holds


@pytest.mark.parametrize(
    ("text", "clean"), [("{++a++}{>>b<<}{==c==}", True), ("{++a++} {", False), ("", True)]
)
def test_a_brace_that_opens_no_mark_is_known(text: str, clean: bool) -> None:
    assert parse(text).has_no_other_braces == clean


def test_the_sides_of_a_mark_are_where_their_text_stands() -> None:
    text = "{~~old~>new~~}{++in++}{--out--}"
    sides = [(text[slice(*mark.old)], text[slice(*mark.new)]) for mark in parse(text).suggested]
    assert sides == [("old", "new"), ("", "in"), ("out", "")]
    assert Mark(Kind.INSERTED, 0, 3, 3, 5, 8, None).old == (3, 3)


def test_what_is_worked_out_is_made_once() -> None:
    marked = Marked("", [], [], [], [])
    assert marked.keep("one", lambda: [1]) is marked.keep("one", lambda: [2])
    assert marked.keep("two", lambda: [2]) == [2]
