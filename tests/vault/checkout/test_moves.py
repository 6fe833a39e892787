"""Which files are others under another name: their content has to tell plainly."""

import pytest

from commonplace.vault.checkout.moves import NewFile, paired

LONG = "one two three four five six"


@pytest.mark.parametrize(
    ("gone", "inodes", "fresh", "found"),
    [
        ({"a": LONG}, {"a": 1}, [NewFile("b", 1, LONG)], {"b": "a"}),
        ({"a": LONG}, {"a": 1}, [NewFile("b", 2, LONG)], {"b": "a"}),
        ({"a": LONG}, {"a": 1}, [NewFile("b", 1, "one two three new")], {"b": "a"}),
        ({"a": LONG}, {"a": 1}, [NewFile("b", 1, "one two new words")], {}),
        ({"a": LONG}, {"a": 1}, [NewFile("b", 2, "one two three four five")], {}),
        ({"a": LONG, "c": LONG}, {}, [NewFile("b", 2, LONG)], {}),
        ({"a": LONG}, {}, [NewFile("b", 2, LONG), NewFile("c", 3, LONG)], {}),
        ({"a": LONG, "c": LONG}, {"a": 1}, [NewFile("b", 1, LONG)], {"b": "a"}),
        (
            {"a": LONG, "c": "x"},
            {"a": 1},
            [NewFile("b", 1, LONG), NewFile("d", 4, "x")],
            {"b": "a", "d": "c"},
        ),
        ({"a": ""}, {"a": 1}, [NewFile("b", 2, "")], {}),
        ({"a": ""}, {"a": 1}, [NewFile("b", 1, "")], {"b": "a"}),
        ({}, {}, [NewFile("b", 1, LONG)], {}),
    ],
)
def test_a_file_is_another_under_a_new_name(
    gone: dict[str, str], inodes: dict[str, int], fresh: list[NewFile], found: dict[str, str]
) -> None:
    assert paired(gone, inodes, fresh) == found
