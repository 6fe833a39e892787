"""What a conversation consists of: every text of an agent is bounded, and can be kept and sent."""

from dataclasses import replace

import pytest

from commonplace.agent.events import (
    INPUT_CHARS_MAX,
    Question,
    full_input,
    input_of,
    mapping_of,
    text_of,
)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("日 😀", "日 😀"),
        ("\ud800 x", "? x"),
        ("", ""),
        (None, ""),
        (5, ""),
        (["x"], ""),
        ("abcde", "abcde"),
        ("abcdef", "abcde… (1 more characters)"),
    ],
)
def test_a_text_is_bounded_and_can_be_sent(given: object, text: str) -> None:
    assert text_of(given, 5) == text


def _deep() -> object:
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    return deep


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, ""),
        ({}, "{}"),
        ({"command": "ls -l\n"}, "ls -l\n"),
        ({"command": "ls", "cwd": "/日"}, 'ls\n{\n "cwd": "/日"\n}'),
        ({"command": ["ls"]}, '{\n "command": [\n  "ls"\n ]\n}'),
        ("text", '"text"'),
        (float("nan"), "NaN"),
        (_deep(), "(too deep to show)"),
    ],
    ids=["none", "empty", "command", "more", "words", "text", "odd", "deep"],
)
def test_an_input_is_shown_with_all_of_it(given: object, shown: str) -> None:
    assert full_input(given) == shown


def test_a_long_input_says_how_much_is_left_out() -> None:
    shown = input_of({"command": "x" * (INPUT_CHARS_MAX + 7)})
    assert shown.endswith("… (7 more characters)")


def test_what_is_no_object_has_no_fields() -> None:
    assert mapping_of([1]) == mapping_of(None) == {}
    assert mapping_of({"a": 1}) == {"a": 1}


def test_an_answer_for_the_conversation_holds_for_exactly_this() -> None:
    asked = Question("1", "Run", "execute", "ls", ("/a",))
    assert replace(asked, step="2", diffs=({},)).key == asked.key
    others = (
        replace(asked, title="Run it"),
        replace(asked, tool="edit"),
        replace(asked, given="ls -l"),
        replace(asked, paths=("/b",)),
    )
    assert asked.key not in {other.key for other in others}
