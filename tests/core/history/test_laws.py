"""The laws of `commonplace.core.history`, on random histories of three people and two assistants.

Some hundred in each run. With `make laws`, deltas are replayed as often as its profile asks for,
and a fifth as many histories are blamed, and undone.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from commonplace.core.history import (
    Blame,
    Delta,
    Passage,
    PassageChange,
    Step,
    Undone,
    apply,
    between,
    decode,
    encode,
    inverse,
    spliced,
    started,
    undo,
)
from tests.core.history.histories import (
    ASSISTANTS,
    PEOPLE,
    History,
    Letter,
    authors,
    history_of,
    undone,
    without,
    written,
)

PROFILE = settings().max_examples
LONG = PROFILE > 100
REPLAYED = PROFILE if LONG else 60
BLAMED = UNDONE = PROFILE // 5 if LONG else 100
UNDONE_TWICE = PROFILE // 5 if LONG else 60
UNCLEAR_MAX = 0.05

seeds = st.integers(0, 2**62)
Undoing = Callable[[History, str], Undone]
Splice = Callable[[Blame, Delta, int], Blame]


def text_of(letters: list[Letter]) -> str:
    return "".join(letter.character for letter in letters)


def check_replay(history: History) -> None:
    text = history.base
    for made in history.made:
        text = apply(text, decode(encode(made.delta)))
    assert text == history.text
    for made in reversed(history.made):
        text = apply(text, inverse(made.delta))
    assert text == history.base


def check_blame(history: History, splice: Splice = spliced) -> None:
    blame = started(history.base)
    for made in history.made:
        blame = splice(blame, made.delta, made.number)
    assert sum(length for length, _ in blame) == len(history.text)
    assert [number for length, number in blame for _ in range(length)] == authors(history)


def check_undo(history: History, actor: str, undoing: Undoing = undone) -> Undone:
    """Compare with both oracles; what they differ in must be listed, and all else be the same."""
    found = undoing(history, actor)
    result = apply(history.text, found.delta)
    late = without(history, actor)
    early = {letter.id for letter in without(history, actor, late=False)}
    assert {letter.id for letter in late} == early
    listed = places_of(found.unclear)
    assert insert_all(result, found.unclear) == text_of(late)
    clear = [letter for index, letter in enumerate(late) if index not in listed]
    known = {letter.id for letter in clear}
    other = [letter for letter in without(history, actor, late=False) if letter.id in known]
    assert text_of(clear) == result
    assert [letter.id for letter in clear] == [letter.id for letter in other]
    return found


def check_redo(history: History) -> None:
    before = history.text
    first = undone(history, ASSISTANTS[0])
    history.add("person:Ann", first.delta, revives=True, redoes=True)
    once, number = history.text, len(history.made)
    blame = started(history.base)
    for made in history.made[:-1]:
        blame = spliced(blame, made.delta, made.number)
    step = Step(number, first.delta, inserts=True, deletes=True)
    back = undo(blame, before, [step], lambda each: each == number).delta if first.delta else ()
    history.add("person:Ann", back, revives=True, redoes=True)
    assert history.text == before
    again = undone(history, ASSISTANTS[0])
    assert apply(history.text, again.delta) == once
    assert [each.text for each in again.unclear] == [each.text for each in first.unclear]


def insert_all(text: str, passages: tuple[Passage, ...]) -> str:
    for passage in reversed(passages):
        text = text[: passage.place] + passage.text + text[passage.place :]
    return text


def places_of(passages: tuple[Passage, ...]) -> set[int]:
    """Where the passages would be in the text with all of them."""
    found: set[int] = set()
    for passage in passages:
        start = passage.place + len(found)
        found |= set(range(start, start + len(passage.text)))
    return found


@settings(max_examples=REPLAYED)
@given(seeds)
def test_replaying_deltas_gives_the_text_from_either_end(seed: int) -> None:
    check_replay(written(Random(seed)))


@settings(max_examples=BLAMED)
@given(seeds)
def test_blame_is_that_of_each_character(seed: int) -> None:
    check_blame(written(Random(seed), 20))


def test_undoing_an_assistant_equals_the_history_without_it() -> None:
    counts = [0, 0]

    @settings(max_examples=UNDONE)
    @given(seeds)
    def law(seed: int) -> None:
        for actor in ASSISTANTS:
            found = check_undo(written(Random(seed)), actor)
            counts[0] += len(found.passages)
            counts[1] += len(found.unclear)

    law()
    assert counts[0] > UNDONE // 2
    assert 0 < counts[1] <= UNCLEAR_MAX * counts[0]


@settings(max_examples=UNDONE_TWICE)
@given(seeds)
def test_undoing_the_undoing_gives_the_text_from_before(seed: int) -> None:
    history = written(Random(seed))
    before = history.text
    blame = started(history.base)
    for made in history.made:
        blame = spliced(blame, made.delta, made.number)
    delta = undone(history, ASSISTANTS[0]).delta
    back = undo(blame, before, [Step(99, delta, inserts=True, deletes=True)], lambda n: n == 99)
    assert not back.unclear
    assert apply(apply(before, delta), back.delta) == before


@settings(max_examples=UNDONE_TWICE)
@given(seeds)
def test_what_is_undone_stays_undone_and_comes_back_once(seed: int) -> None:
    random = Random(seed)
    history = written(random)
    history.add("person:Ann", undone(history, ASSISTANTS[0]).delta, revives=True)
    again = undone(history, ASSISTANTS[0])
    assert again.delta == ()
    text = history.text
    at = random.randint(0, len(text))
    history.add("person:Bo", (PassageChange(at, "", "\nmore\n"),))
    assert undone(history, ASSISTANTS[0]).delta == ()


@settings(max_examples=UNDONE_TWICE)
@given(seeds)
def test_an_undo_that_was_undone_can_be_made_again(seed: int) -> None:
    check_redo(written(Random(seed)))


@settings(max_examples=UNDONE_TWICE)
@given(seeds)
def test_text_that_was_put_back_is_still_of_those_who_wrote_it(seed: int) -> None:
    history = written(Random(seed))
    whose = authors(history)
    found = undone(history, ASSISTANTS[0])
    history.add("person:Ann", found.delta, revives=True)
    kept = [number for number in whose if history.actor(number) not in ASSISTANTS[:1]]
    back = [run for change in found.delta for run in change.origins for _ in range(run[0])]
    assert len(authors(history)) == len(kept) + len(back)
    assert len(history.made) not in authors(history) or not found.delta
    check_blame(history)


# -- the controls: careless variants that the laws must see


def forgets_to_list(history: History, actor: str) -> Undone:
    found = undone(history, actor)
    return replace(found, passages=tuple(p for p in found.passages if p.kind != "unclear"))


def guesses(history: History, actor: str) -> Undone:
    """Put unclear passages back anyway."""
    found = undone(history, actor)
    result = insert_all(apply(history.text, found.delta), found.unclear)
    clear = tuple(p for p in found.passages if p.kind != "unclear")
    return Undone(between(history.text, result), clear)


def reverts_each_edit(history: History, actor: str) -> Undone:
    """Take back an actor's deltas where they stood, without carrying them through later edits."""
    text = history.text
    for made in reversed(history.made):
        if made.actor == actor:
            edits = [
                (each.start, each.start + len(each.removed), each.added)
                for each in inverse(made.delta)
            ]
            for start, end, added in reversed(edits):
                text = text[:start] + added + text[end:]
    return Undone(between(history.text, text), ())


def removes_all_that_it_wrote_around(history: History, actor: str) -> Undone:
    """Take away what people wrote inside an assistant's words, too."""
    found = undone(history, actor)
    delta: Delta = ()
    if found.delta:
        start, end = found.delta[0].start, found.delta[-1].end
        delta = (PassageChange(start, history.text[start:end], ""),)
    return Undone(delta, found.passages)


@pytest.mark.parametrize(
    "careless", [forgets_to_list, guesses, reverts_each_edit, removes_all_that_it_wrote_around]
)
def test_the_law_of_undoing_can_fail(careless: Undoing) -> None:
    failed = 0
    for seed in range(60):
        try:
            check_undo(written(Random(seed)), ASSISTANTS[0], careless)
        except (AssertionError, ValueError):
            failed += 1
    assert failed


def test_the_laws_of_replay_and_blame_can_fail() -> None:
    history = written(Random(5))
    off = replace(history.made[-1], delta=(PassageChange(0, history.text[:1], "x"),))
    with pytest.raises((AssertionError, ValueError)):
        check_replay(History(history.base, [*history.made[:-1], off]))
    with pytest.raises(AssertionError):
        check_blame(written(Random(5), 20), lambda blame, delta, _: spliced(blame, delta, 1))


@pytest.mark.parametrize("seed", [1005812, 1005857])
def test_histories_that_were_once_undone_wrongly(seed: int) -> None:
    check_undo(written(Random(seed)), ASSISTANTS[1])


@pytest.mark.parametrize("seed", [310, 1478, 1783, 2026, 2703])
def test_undos_of_undos_that_were_once_made_again_wrongly(seed: int) -> None:
    """Between what came back something stood whose place is unclear."""
    check_redo(written(Random(seed)))


def test_a_persons_letters_inside_an_assistants_words_are_theirs() -> None:
    history = history_of("", (ASSISTANTS[0], "the cat"), (PEOPLE[0], "the big cat"))
    assert [history.actor(number) for number in authors(history)] == [
        *[ASSISTANTS[0]] * 4,
        *[PEOPLE[0]] * 4,
        *[ASSISTANTS[0]] * 3,
    ]
