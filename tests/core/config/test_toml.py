"""An entry of TOML is the block under its header, and its sub-tables."""

import tomllib

import pytest

from commonplace.core.config import toml


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", "[s.n]\nk = 1\n"),
        ("a = 1", "a = 1\n\n[s.n]\nk = 1\n"),
        ("a = 1\n", "a = 1\n\n[s.n]\nk = 1\n"),
        ("a = 1\r\n", "a = 1\r\n\r\n[s.n]\r\nk = 1\r\n"),
        ("[s.n]\nold = 1\n[z]\n", "[s.n]\nk = 1\n[z]\n"),
        ('["s"."n"]\nold = 1\n\n# of z\n[z]\n', "[s.n]\nk = 1\n\n# of z\n[z]\n"),
        ("[s.n]\na = 1\n[z]\n[s.n.env]\nb = 2\n", "[s.n]\nk = 1\n[z]\n"),
    ],
)
def test_an_entry_stands_at_the_end_or_where_an_older_one_stood(text: str, after: str) -> None:
    assert toml.put(text, "s", "n", {"k": 1}) == after
    assert toml.put(after, "s", "n", {"k": 1}) == after


@pytest.mark.parametrize("name", ["plain", "a b", 'quo"te', "é", "dot.ted", "", "a-b_1"])
def test_any_name_is_read_back(name: str) -> None:
    assert toml.read(toml.put("", name, name, {name: "x"})) == {name: {name: {name: "x"}}}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a = 1\n\n[s.n]\nk = 1\n\n[z]\n", "a = 1\n\n[z]\n"),
        ("[s.n]\nk = 1\n[s.n.env]\nb = 2\n", ""),
        ("[s.other]\nk = 1\n", "[s.other]\nk = 1\n"),
        ("[s]\nn = 1\n", "[s]\nn = 1\n"),
        ('[s.n] # mine\nk = """\n[z]\n"""\n', '[z]\n"""\n'),
    ],
)
def test_an_entry_is_cut_out_to_the_next_header(text: str, after: str) -> None:
    """What looks like a header inside a value is found out where the result is read."""
    assert toml.remove(text, "s", "n", keep=False) == after


def test_a_mark_of_the_byte_order_is_no_part_of_the_text() -> None:
    assert toml.read("\ufeffa = 1\r\n") == {"a": 1}
    with pytest.raises(tomllib.TOMLDecodeError):
        toml.read("a = ")
