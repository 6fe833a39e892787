"""Deciding changes what is decided, and nothing beside it."""

import pytest

from commonplace.core import critic
from commonplace.core.critic.decide import accepted_as, choices, outcome
from commonplace.core.text.edits import Edit, apply


def test_once_a_twin_is_decided_the_ids_of_all_are_others() -> None:
    document = "{++a++} {++b++} {++a++} {++a++}"
    first, other, second, third = critic.suggestions(document)
    after = apply(document, critic.accept(document, [second.id]))
    left = critic.suggestions(after)
    assert after == "{++a++} {++b++} a {++a++}"
    assert left[1].id == other.id
    assert {left[0].id, left[2].id}.isdisjoint({first.id, second.id, third.id})
    for gone in (first, second, third):
        with pytest.raises(critic.Undecidable, match="changed or decided meanwhile"):
            critic.reject(after, [gone.id])


def test_deciding_deletes_only_delimiters_and_the_discarded_side() -> None:
    document = "The {--cat--}{++dog++} and {~~a~>b~~}."
    first, second = critic.suggestions(document)
    assert critic.accept(document, [first.id]) == [Edit(4, 13), Edit(13, 16), Edit(19, 22)]
    assert critic.reject(document, [second.id]) == [Edit(27, 30), Edit(31, 37)]


def test_several_are_decided_at_once() -> None:
    document = "{++a++} {--b--} {~~c~>d~~}"
    one, two, three = critic.suggestions(document)
    assert apply(document, critic.accept(document, [three.id, one.id])) == "a {--b--} d"
    assert apply(document, critic.reject(document, [two.id, three.id])) == "{++a++} b c"


def test_comments_and_highlights_outlive_the_decision() -> None:
    document = "{==a {--b--}{++c {>>in<<}++}==}{>>out<<}"
    assert apply(document, critic.accept_all(document)) == "{==a c {>>in<<}==}{>>out<<}"
    assert apply(document, critic.reject_all(document)) == "{==a b==}{>>out<<}"


def test_a_suggestion_that_is_gone_cannot_be_decided() -> None:
    document = "The {--cat--}{++dog++} sat."
    (one,) = critic.suggestions(document)
    after = apply(document, critic.accept(document, [one.id]))
    with pytest.raises(critic.Undecidable, match="changed or decided"):
        critic.accept(after, [one.id])


def test_a_fence_is_not_accepted_over_other_suggestions() -> None:
    document = "{++```\n++}code {++x++}\n{++```\n++}"
    fence, inner, end = critic.suggestions(document)
    with pytest.raises(critic.Undecidable, match="Decide them together"):
        critic.accept(document, [fence.id])
    together = critic.accept(document, [fence.id, inner.id, end.id])
    assert apply(document, together) == "```\ncode x\n```\n"
    assert apply(document, critic.reject(document, [fence.id])) == "code {++x++}\n{++```\n++}"


def test_the_choices_of_each_suggestion_are_those_of_deciding_it_alone() -> None:
    document = "a {--cat--}{++dog++} and {~~x~>y~~} {++z++} ```"
    found = choices(document)
    assert [one.id for one in found] == [one.id for one in critic.suggestions(document)]
    for one in found:
        assert apply(document, one.accept) == apply(document, critic.accept(document, [one.id]))
        assert apply(document, one.reject) == apply(document, critic.reject(document, [one.id]))
    assert choices("no { markup") == []


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("here a dog sat down", "accept"),
        ("here a cat sat down", "reject"),
        ("here a bird sat down", None),
        ("here a dog sat down, here a cat sat down", None),
        ("here a dog has sat down", "accept"),
        ("", None),
    ],
)
def test_what_stands_between_the_words_around_tells_how_it_was_decided(
    text: str, verdict: str | None
) -> None:
    assert outcome(text, "here a ", " sat down", "cat", "dog") == verdict


def test_words_that_stand_everywhere_tell_nothing() -> None:
    assert outcome("a dog b", "a", "b", "cat", "dog") is None
    assert outcome("adogb", "", "", "cat", "dog") is None


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("The note says nine o'clock on Monday.", "nine o'clock"),
        ("The note says ten o'clock on Monday.", "ten o'clock"),
        ("The note says 10 on Monday.", None),
        ("The note says  on Monday.", None),
        ("Something else.", None),
        ("The note says x on Monday. The note says y on Monday.", None),
    ],
)
def test_what_a_person_made_of_it_counts_if_more_of_it_is_the_suggestions(
    text: str, made: str | None
) -> None:
    found = accepted_as(text, "The note says ", " on Monday.", "noon", "nine o'clock")
    assert found == made


def test_what_is_nearer_to_the_old_text_was_not_accepted() -> None:
    before, after = "The note says ", " on Monday."
    assert accepted_as(f"{before}abcde{after}", before, after, "abcdf", "abzzz") is None
