"""The properties that name a note or sort it, however people write them."""

import pytest

from commonplace.core.markdown import properties


@pytest.mark.parametrize(
    ("value", "title"),
    [(" Named ", "Named"), (1984, "1984"), (True, ""), (None, ""), (["no"], ""), ({"no": 1}, "")],
)
def test_a_title_is_a_text_or_a_number(value: object, title: str) -> None:
    assert properties.title({"title": value}) == title


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"aliases": ["One two", " Three ", "", None, 4]}, ("One two", "Three", "4")),
        ({"aliases": "One two, Three\nFour,"}, ("One two", "Three", "Four")),
        ({"alias": "One", "Aliases": ["One", "one"]}, ("One", "one")),
        ({"aliases": {"no": 1}}, ()),
        ({}, ()),
    ],
)
def test_other_names_come_in_order_and_once_each(
    given: dict[str, object], names: tuple[str, ...]
) -> None:
    assert properties.aliases(given) == names


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"tags": "a, #b c\nd"}, ["a", "b", "c", "d"]),
        ({"TAG": ["two words", "#x/", "/", "#", "##y"]}, ["two words", "x", "#y"]),
        ({"tags": [True, None, 2024]}, ["2024"]),
    ],
)
def test_tags_are_named_without_their_sign(given: dict[str, object], names: list[str]) -> None:
    assert properties.tags(given) == names
