"""Where code begins and ends, as in CommonMark; markup belongs to no line of it."""

import pytest

from commonplace.core.critic.fences import PREFIX_MAX, Fences


def blocks(text: str) -> list[str]:
    fences = Fences(text)
    fences.before(len(text))
    assert not fences.ahead
    return [text[start:end] for start, end in fences.blocks]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a\n```\nb\n```\nc", ["```\nb\n```"]),
        ("~~~js\nb\n~~~", ["~~~js\nb\n~~~"]),
        ("```\nopen to the end", ["```\nopen to the end"]),
        ("````\n```\n````\n", ["````\n```\n````"]),
        ("```\n~~~\n```\n", ["```\n~~~\n```"]),
        ("```\n``` no\n```", ["```\n``` no\n```"]),
        ("``` in `line`", []),
        ("a ``` b", []),
        ("> ```\n> a\nb", ["```\n> a\n"]),
        ("> ```\n> a\n> ```\nb", ["```\n> a\n> ```"]),
        ("- ```\n  a\nb", ["```\n  a\n"]),
        ("1. ```\n   a\n\n   ```\nb", ["```\n   a\n\n   ```"]),
        ("```\n    ```\n```", ["```\n    ```\n```"]),
        ("```\r\na\r\n```\r\nb", ["```\r\na\r\n```"]),
        ("```\na\n```{++x++}\nb", ["```\na\n```"]),
        ("```==}", []),
        ("```\na\n```\nb\n~~~\nc\n~~~", ["```\na\n```", "~~~\nc\n~~~"]),
        ("", []),
    ],
)
def test_a_block_goes_from_its_fence_to_the_one_that_closes_it(text: str, code: list[str]) -> None:
    assert blocks(text) == code


def test_a_line_that_begins_too_far_to_the_right_opens_nothing() -> None:
    assert blocks("> " * (PREFIX_MAX // 2 - 1) + "```\na") != []
    assert blocks("> " * (PREFIX_MAX // 2) + "```\na") == []


def test_markup_before_a_fence_is_left_out_of_its_line() -> None:
    text = "{++x++}```\ncode\n```"
    assert blocks(text) == ["```"], "as text, it is the last fence alone that begins a line"
    fences = Fences(text)
    assert fences.before(0) == 0
    fences.leave_out(0, 7)
    assert fences.before(len(text)) == len(text)
    assert fences.blocks == [(7, len(text))]


def test_fences_inside_what_is_left_out_are_none() -> None:
    text = "{++```\n++}a\n"
    fences = Fences(text)
    fences.leave_out(0, text.index("a"))
    assert not fences.ahead
    assert fences.blocks == []
