"""Some revisions taken back, by cases that a person would name."""

from random import Random

import pytest

from commonplace.core.history import (
    PassageChange,
    Step,
    apply,
    undo,
)
from tests.core.history.histories import (
    ASSISTANTS,
    History,
    history_of,
    undone,
    words,
)

A = ASSISTANTS[0]


P = "person:Ann"


@pytest.mark.parametrize(
    ("base", "texts", "result", "unclear"),
    [
        ("a cat sat", [(A, "a dog sat")], "a cat sat", []),
        ("a cat sat", [(A, "a dog sat"), (P, "so a dog sat down")], "so a cat sat down", []),
        ("A cat sat", [(A, "A dog sat"), (P, "So a dog sat")], "So a cat sat", []),
        ("a cat sat", [(A, "a dog sat"), (P, "a bird sat")], "a bird sat", ["cat"]),
        ("a cat sat", [(A, "a sat"), (P, "a big sat")], "a big sat", ["cat "]),
        ("ein zwo drei", [(A, "ein drei"), (P, "")], "", ["zwo "]),
        ("x", [(A, "x The quick fox."), (P, "x The quick brown fox.")], "xbrown", []),
    ],
)
def test_undoing_by_name(
    base: str, texts: list[tuple[str, str]], result: str, unclear: list[str]
) -> None:
    history = history_of(base, *texts)
    found = undone(history, A)
    assert apply(history.text, found.delta).strip() == result
    assert [each.text for each in found.unclear] == unclear


def test_a_long_history_is_played_in_little_time() -> None:
    random = Random(3)
    history = History(words(random, 800))
    for number in range(2_000):
        at = random.randint(0, len(history.text) - 9)
        history.add(P if number % 9 else A, (PassageChange(at, history.text[at : at + 4], "abcd"),))
    assert undone(history, A).passages


def step(number: int, *changes: PassageChange, mine: bool = False, **flags: bool) -> Step:
    return Step(number, changes, inserts=mine, deletes=mine, **flags)


def test_what_comes_back_stays_of_those_who_wrote_it() -> None:
    steps = [step(1, PassageChange(2, "cat", ""), mine=True)]
    found = undo(((7, 5),), "a cat b", steps, lambda number: number == 1)
    (change,) = found.delta
    assert (change.start, change.added, change.origins) == (2, "cat", ((3, 5),))
    (passage,) = found.passages
    assert (passage.kind, passage.text, passage.revision, passage.place) == ("restore", "cat", 5, 2)


def test_what_goes_with_the_marks_of_a_suggestion_goes_in_their_writers_name() -> None:
    """A person accepts what an assistant suggested: undoing the assistant brings the text back."""
    accepted = step(2, PassageChange(2, "{--cat--}", ""), accepts=True)
    written = [
        step(9, PassageChange(2, "", "{--"), PassageChange(5, "", "--}"), mine=True),
        accepted,
    ]
    found = undo(((7, 0),), "a cat b", written, lambda number: number == 9)
    assert apply("a  b", found.delta) == "a cat b"


def test_an_unclear_passage_that_was_put_to_a_person_is_not_listed_again() -> None:
    steps = [
        step(1, PassageChange(2, "cat", ""), mine=True),
        step(2, PassageChange(2, "", "bird")),
    ]
    assert [each.text for each in undo((), "a cat b", steps, lambda _: False).unclear] == ["cat"]
    told = [*steps, step(3, settles=True)]
    assert undo((), "a cat b", told, lambda _: False).passages == ()


def test_without_revisions_nothing_is_undone() -> None:
    assert undo((), "text", [], lambda _: True).delta == ()
    assert undo(((4, 1),), "text", [], lambda number: number == 1).delta == (
        PassageChange(0, "text", ""),
    )
