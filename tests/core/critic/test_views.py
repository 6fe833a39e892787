"""The three texts in one, and the maps between them."""

import itertools

import pytest
from hypothesis import given, strategies as st

from commonplace.core.critic import accepted, accepted_view, base, base_view, marked_by_line, parse
from commonplace.core.critic.views import Role, between, runs, text_between

PIECES = ("a", "\n", "{++b++}", "{--c--}", "{~~d~>e~~}", "{>>f<<}", "{==g==}", "{++h {>>i<<}++}")
TEXTS = st.lists(st.sampled_from((*PIECES, "{==j {--k--}==}", "{", "++}")), max_size=8).map("".join)


@given(TEXTS)
def test_each_character_of_a_view_has_its_place_in_the_marked_text(text: str) -> None:
    marked = parse(text)
    for view, side in ((accepted_view(marked), accepted(text)), (base_view(marked), base(text))):
        assert view.text == side
        places = [view.marked(at) for at in range(len(side))]
        assert places == sorted(set(places))
        assert "".join(text[place] for place in places) == side
        assert [view.position(place) for place in places] == list(range(len(side)))
        assert view.position(len(text)) == len(side)


def test_a_place_outside_a_view_is_none() -> None:
    view = accepted_view(parse("a{--b--}c"))
    for position in (-1, 2):
        with pytest.raises(IndexError):
            view.marked(position)
    assert view.position(0) == 0
    assert [view.position(place) for place in range(1, 9)] == [1] * 8


@given(TEXTS, st.data())
def test_a_stretch_shows_what_a_view_has_between_its_ends(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    marked = parse(text)
    for view, side in ((accepted_view(marked), Role.NEW), (base_view(marked), Role.OLD)):
        shown = view.text[view.position(start) : view.position(end)]
        assert text_between(marked, start, end, side) == shown
    parts = runs(marked, start, end)
    assert "".join(text[run.start : run.end] for run in parts) == text[start:end]
    assert all(one.end == other.start for one, other in itertools.pairwise(parts))


def test_marks_that_a_stretch_reaches_into_are_found() -> None:
    marks = parse("{++a++} {++b++} {++c++}").suggested
    assert between(marks, 7, 8) == []
    assert between(marks, 7, 9) == [marks[1]]
    assert between(marks, 0, 17) == marks
    assert between(marks, 3, 3) == [marks[0]]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{++one\ntwo++}", "{++one++}\n{++two++}"),
        ("{--a\n\nb--} c", "{--a--}\n\n{--b--} c"),
        ('{~~{"author":"Ann"}@@a~>b\nc~~}', "{--a--}{++b++}\n{++c++}"),
        ("{>>a\nb<<} {==c==}", "{>>a\nb<<} {==c==}"),
        ("plain {", "plain {"),
    ],
)
def test_a_suggestion_is_marked_anew_in_each_line(text: str, shown: str) -> None:
    assert marked_by_line(text) == shown
