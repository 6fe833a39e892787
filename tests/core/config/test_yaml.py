"""An entry of YAML is a key and the lines that are indented below it."""

import pytest

from commonplace.core.config import yaml


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", "s:\n  n:\n    k: 1\n"),
        ("a: 1", "a: 1\ns:\n  n:\n    k: 1\n"),
        ("a: 1\r\n", "a: 1\r\ns:\r\n  n:\r\n    k: 1\r\n"),
        ("s: {}\nz: 1\n", "s:\n  n:\n    k: 1\nz: 1\n"),
        ("s:\n    a: 1\n# of z\nz: 1\n", "s:\n    a: 1\n    n:\n        k: 1\n# of z\nz: 1\n"),
        ("s:\n  n:\n    old: 1\n  b: 2\n", "s:\n  n:\n    k: 1\n  b: 2\n"),
        ("'s':\n  \"n\":\n    old: 1\n", "'s':\n  n:\n    k: 1\n"),
        ("sun: 1\ns:\n  no: 1\n", "sun: 1\ns:\n  no: 1\n  n:\n    k: 1\n"),
    ],
)
def test_an_entry_is_written_as_its_neighbours_are(text: str, after: str) -> None:
    assert yaml.put(text, "s", "n", {"k": 1}) == after
    assert yaml.put(after, "s", "n", {"k": 1}) == after


@pytest.mark.parametrize(
    ("text", "keep", "after"),
    [
        ("s:\n  n:\n    k: 1\n", False, ""),
        ("s:\n  n:\n    k: 1\nz: 1\n", True, "s: {}\nz: 1\n"),
        ("s:\n  a: 1\n  n:\n    k: 1\n\n    l: 2\n  b: 2\n", False, "s:\n  a: 1\n  b: 2\n"),
        ("s:\n  a: 1\n", False, "s:\n  a: 1\n"),
        ("t:\n  n: 1\n", False, "t:\n  n: 1\n"),
        ("s: {}\n", False, "s: {}\n"),
    ],
)
def test_an_entry_goes_with_its_lines_and_no_others(text: str, keep: bool, after: str) -> None:
    assert yaml.remove(text, "s", "n", keep=keep) == after


@pytest.mark.parametrize("name", ["plain", "a b", 'quo"te', "é", "no", "1", "a: b"])
def test_any_name_and_value_is_read_back(name: str) -> None:
    entry = {"text": name, "list": [name, 1], "on": True, "none": None}
    assert yaml.read(yaml.put("", "s", name, entry)) == {"s": {name: entry}}
