"""Long notes stay quick and hostile ones linear. The limits leave slack for a busy machine."""

from collections.abc import Callable
from functools import partial
from time import process_time

import pytest

from commonplace.core import critic

MEGABYTE = 1_000_000
LINE = "Some plain text - with dashes -- and {braces} and more, again and again.\n"
SLACK = 4

HOSTILE = (
    *(
        "{++",
        "{--{--",
        "{--}",
        "{--{--}",
        "{>>",
        "{>>{++",
        "{++ {>>",
        "{==",
        "{==}",
        "{~~",
        "{~~~>",
    ),
    *(
        "++}",
        "<<}",
        "{++++}",
        "{--a--}",
        "{~~a~>b~~}",
        "{++==}",
        "{----}{++++}",
        '{++{"a":',
        "{++{",
    ),
    *("`", "```\n", "> ```\n", "- ```\n", "~~~", "``` {++", "{++ ``` ++}", "\n", ">\n", "> " * 50),
    *(" {++a++}", "{++a++}```\n", "{>>a<<}", "{==a==}"),
)


def long_note(pending: int) -> str:
    """A note of one megabyte with as many suggestions, and one place that they leave alone."""
    text = LINE * (MEGABYTE // len(LINE))
    step = len(text) // pending
    parts = [text[at : at + step] + "{--cat--}{++dog++}" for at in range(0, len(text), step)]
    return "".join(
        [*parts[: pending // 2], "\n```\ncode\n```\nTHE PLACE\n", *parts[pending // 2 :]]
    )


def seconds(work: Callable[[], object], fresh: Callable[[], None], times: int = 3) -> float:
    spent: list[float] = []
    for _ in range(times):
        fresh()
        start = process_time()
        work()
        spent.append(process_time() - start)
    return min(spent)


def nothing_remembered() -> None:
    critic.parse.cache_clear()


def test_a_megabyte_with_2000_suggestions_is_edited_in_50_ms() -> None:
    note = long_note(2000)
    spent = seconds(lambda: critic.suggest(note, "THE PLACE", "that place"), nothing_remembered)
    assert spent < 0.05 * SLACK


def test_a_megabyte_with_2000_suggestions_is_read_in_30_ms() -> None:
    note = long_note(2000)
    assert seconds(lambda: critic.accepted(note), nothing_remembered) < 0.03 * SLACK


def test_a_megabyte_without_markup_is_read_in_no_time() -> None:
    text = LINE.replace("{", "(").replace("}", ")") * (MEGABYTE // len(LINE))
    assert seconds(lambda: critic.accepted(text), nothing_remembered) < 0.005 * SLACK


def test_an_ordinary_note_is_edited_in_5_ms() -> None:
    note = long_note(2000)[:20_000] + "THE PLACE"
    spent = seconds(lambda: critic.suggest(note, "THE PLACE", "that place"), nothing_remembered)
    assert spent < 0.005 * SLACK


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_at_a_megabyte_a_second(piece: str) -> None:
    text = piece * (MEGABYTE // 10 // len(piece))
    for hostile in (text, f"```\n{text}", f"> ```\n{text}", f"{{++{text}++}}"):
        assert seconds(partial(critic.parse, hostile), nothing_remembered, 1) < 0.1 * SLACK


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("{++" * 100_000 + "cat", "cat", "dog"),
        ("{--a--}{++b++}" * 20_000, "b" * 20_000, "dog"),
        ("x" + "{--a--}" * 40_000 + "cat", "xcat", "x" + "a" * 40_000 + "cat"),
        ("{==a==}" * 40_000 + "cat", "a" * 40_000 + "cat", "dog"),
        ("{--{--}{----x--}" * 20_000 + "cat", "cat", "dog"),
        ("```\na\n```\n" * 30_000 + "cat", "a\n```\ncat", "dog"),
        ("{++ab++}" * 40_000 + "cat", "cat", "dog"),
        ("ab" * 500_000, "ab" * 500_000, "ab" * 500_001),
        ("“ab”" * 250_000, '"ab"' * 250_000, '"cd"' * 250_000),
    ],
    ids=lambda value: value[:20],
)
def test_a_hostile_note_is_edited_in_linear_time(text: str, old: str, new: str) -> None:
    assert seconds(lambda: critic.suggest(text, old, new), nothing_remembered, 1) < 1.5 * SLACK


def test_replacing_a_thousand_occurrences_is_quick() -> None:
    text = "and more " * 1000
    spent = seconds(
        lambda: critic.suggest(text, "more", "less", replace_all=True), nothing_remembered
    )
    assert spent < 0.15 * SLACK
