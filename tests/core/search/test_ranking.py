import pytest
from hypothesis import given, strategies as st

from commonplace.core.search.ranking import NearPassage, best_passages, fuse

NOTES = st.integers(1, 12)
BM25 = st.floats(0.001, 60)
COSINES = st.floats(0, 1)
TEXT = st.dictionaries(NOTES, BM25, max_size=8)
MEANING = st.dictionaries(NOTES, COSINES, max_size=8)


def order(text: dict[int, float], meaning: dict[int, float]) -> list[int]:
    return [ranked.note for ranked in fuse(text, meaning)]


@given(TEXT, MEANING)
def test_every_note_found_is_ranked_once_best_first(
    text: dict[int, float], meaning: dict[int, float]
) -> None:
    ranked = fuse(text, meaning)
    assert sorted(hit.note for hit in ranked) == sorted({*text, *meaning})
    scores = [hit.score for hit in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@given(TEXT, MEANING)
def test_a_hit_says_what_it_was_found_by(text: dict[int, float], meaning: dict[int, float]) -> None:
    for hit in fuse(text, meaning):
        assert (hit.text, hit.meaning) == (text.get(hit.note), meaning.get(hit.note))


@given(st.dictionaries(NOTES, st.integers(1, 1000).map(float)), MEANING)
def test_the_unit_of_the_text_score_does_not_matter(
    text: dict[int, float], meaning: dict[int, float]
) -> None:
    assert order(text, meaning) == order({note: 4 * s for note, s in text.items()}, meaning)


@given(TEXT)
def test_words_alone_keep_their_order(text: dict[int, float]) -> None:
    assert order(text, {}) == sorted(
        text, key=lambda note: (-text[note] / max(text.values()), note)
    )
    assert all(hit.score == 1 for hit in fuse(text, {})[:1])


@given(st.dictionaries(NOTES, st.floats(0.01, 1), min_size=1))
def test_meaning_alone_is_scored_by_its_cosine(meaning: dict[int, float]) -> None:
    for hit in fuse({}, meaning):
        assert hit.score == pytest.approx(meaning[hit.note])


def test_what_both_found_comes_before_what_one_found() -> None:
    assert order({1: 9.0, 2: 8.5}, {2: 0.6, 3: 0.62, 4: 0.2})[0] == 2


def test_a_strong_word_match_beats_a_list_that_knows_nothing() -> None:
    crowd = {note: 0.30 - note / 1000 for note in range(2, 12)}
    assert order({1: 20.0, 2: 6.0}, crowd)[0] == 1


def test_a_note_not_embedded_yet_counts_as_the_last_of_the_near_ones() -> None:
    meaning = {1: 0.8, 2: 0.4}
    ranked = {hit.note: hit for hit in fuse({2: 5.0, 3: 5.0}, meaning)}
    assert ranked[3].score == pytest.approx(ranked[2].score)
    assert ranked[3].meaning is None


def test_a_question_that_nothing_answers_scores_low() -> None:
    assert fuse({1: 3.0}, {1: 0.08, 2: 0.05})[0].score < 0.1


def test_words_still_rank_when_every_cosine_is_nothing() -> None:
    assert order({2: 1.0, 3: 2.0}, {1: 0.0, 2: 0.0, 3: 0.0}) == [3, 2, 1]


def test_equals_are_ranked_by_their_number() -> None:
    assert order({3: 1.0, 1: 1.0, 2: 1.0}, {}) == [1, 2, 3]


@given(st.lists(st.builds(NearPassage, NOTES, st.integers(), COSINES)))
def test_the_best_passage_of_each_note_is_chosen(passages: list[NearPassage]) -> None:
    best = best_passages(passages)
    assert set(best) == {passage.note for passage in passages}
    assert all(best[passage.note].score >= passage.score for passage in passages)
    assert all(passage in passages for passage in best.values())
