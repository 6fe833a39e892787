"""The query of the page's search box, taken apart."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core.search.query import CONDITIONS_MAX, SearchQuery, parse
from commonplace.core.text import words


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("bees in winter", SearchQuery(words=("bees", "in", "winter"))),
        ('"winter feed" bees', SearchQuery(words=("bees",), phrases=("winter feed",))),
        ("bees -wasps", SearchQuery(words=("bees",), without=("wasps",))),
        ('bees -"queen bee"', SearchQuery(words=("bees",), without=("queen bee",))),
        ("tag:garden", SearchQuery(tags=("garden",))),
        ("tag:#garden/herbs", SearchQuery(tags=("garden/herbs",))),
        (
            '-tag:draft path:"My Garden/2026"',
            SearchQuery(without_tags=("draft",), paths=("My Garden/2026",)),
        ),
        ("-path:Archive x", SearchQuery(words=("x",), without_paths=("Archive",))),
        ("is:pending", SearchQuery(pending=True)),
        ("IS:Pending Tag:a", SearchQuery(tags=("a",), pending=True)),
        ("-is:pending", SearchQuery(pending=False)),
        ("well-known e-mail", SearchQuery(words=("well-known", "e-mail"))),
        # what is no condition is a word
        ("is:new", SearchQuery(words=("is:new",))),
        ("tag:", SearchQuery(words=("tag:",))),
        ("a - b", SearchQuery(words=("a", "-", "b"))),
        ('say "so', SearchQuery(words=("say", '"so'))),
        ("see https://example.org", SearchQuery(words=("see", "https://example.org"))),
        ("", SearchQuery()),
    ],
)
def test_a_query_is_taken_apart(typed: str, wanted: SearchQuery) -> None:
    assert parse(typed) == wanted


def test_only_a_condition_narrows() -> None:
    assert not parse("bees in winter").narrows
    assert all(parse(each).narrows for each in ('"a b"', "-a", "tag:a", "-path:a", "-is:pending"))


def test_conditions_are_bounded() -> None:
    assert len(parse(" ".join(f"tag:t{n}" for n in range(100))).tags) == CONDITIONS_MAX


@given(st.text(max_size=200))
def test_any_text_is_a_query(typed: str) -> None:
    found = parse(typed)
    assert found.narrows or not words.query_terms(typed) or found.words


def test_a_phrase_is_asked_for_as_one() -> None:
    assert words.fts_phrase('winter "feed') == '"winter feed"'
    assert words.fts_phrase("今日は") == '"今日 日は"'
    assert words.fts_phrase(" -- ") == ""
