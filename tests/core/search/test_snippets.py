import time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.search.snippets import SNIPPET_MAX, snippet

FILLER = "Alpha beta gamma delta. " * 60
WORDS = st.lists(st.sampled_from(["note", "Café", "embedding", "汉字", "x", "😀"]), max_size=300)


def shown(text: str, *terms: str) -> str:
    return snippet(text, terms, 0, len(text))


@given(WORDS.map(" ".join) | st.text(), st.lists(st.text(max_size=8), max_size=4), st.data())
def test_a_snippet_is_a_line_of_the_passage(
    text: str, terms: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = snippet(text, terms, start, end)
    assert len(found) <= SNIPPET_MAX
    assert "\n" not in found
    bare = found.removeprefix("…").removesuffix("…").strip()
    assert bare in " ".join(text[start:end].split()) or "…" in text


def test_a_short_passage_is_shown_whole_on_one_line() -> None:
    assert shown("One\n\n  two\tthree") == "One two three"


def test_only_the_passage_is_shown() -> None:
    assert snippet("before the passage after", ["before"], 7, 18) == "the passage"


def test_the_terms_are_in_view_between_whole_words() -> None:
    found = shown(FILLER + "The starter needs feeding. " + FILLER, "starter", "feed")
    assert "The starter needs feeding." in found
    assert found.startswith("…")
    assert found.endswith("…")
    words = found.strip("…").split()
    assert set(words) <= set((FILLER + "The starter needs feeding.").split())


def test_the_place_where_most_terms_meet_wins() -> None:
    text = f"{FILLER}bread bread bread {FILLER}bread and butter {FILLER}"
    assert "butter" in shown(text, "bread", "butter")


@pytest.mark.parametrize(
    ("term", "word"),
    [
        ("cafe", "Café"),
        ("café", "CAFE"),
        ("notes", "note"),
        ("embeddings", "embedding"),
        ("σοφια", "Σοφία"),
        ("智能", "人工智能研究"),
        ("한국", "대한국어"),
    ],
)
def test_words_match_without_case_accents_or_endings(term: str, word: str) -> None:
    assert word in shown(f"{FILLER}{word} {FILLER}", term)
    assert word not in shown(f"{FILLER}{word} {FILLER}", "other")


def test_a_term_inside_another_word_is_not_a_match() -> None:
    text = f"{FILLER}scatter {FILLER}{FILLER}cat {FILLER}"
    assert "scatter" not in shown(text, "cat")


def test_no_character_is_cut_in_two() -> None:
    family = "👩\u200d👩\u200d👧"
    found = shown("e\u0301" * 400 + family * 200, "x")
    assert not found.removesuffix("…").endswith("e")
    found = shown(family * 200)
    assert found.removesuffix("…") == family * (len(found) // len(family))


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "a " * 500_000, " " * 1_000_000, "\u0301" * 9**6]
)
def test_a_hostile_passage_takes_little_time(text: str) -> None:
    started = time.process_time()
    assert len(shown(text, *("a" * size for size in range(40)))) <= SNIPPET_MAX
    assert time.process_time() - started < 1
