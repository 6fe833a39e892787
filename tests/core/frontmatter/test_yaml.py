"""Properties as YAML that every reader understands alike."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core.frontmatter.values import Json, load
from commonplace.core.frontmatter.yaml import KEY_CHARS_MAX, Style, dump, entry, item, key, scalar
from commonplace.errors import BadArgument

TEXTS = st.text(alphabet="ab:#- \n\"'[]{},|é\u2028\x7f", max_size=10)
STYLES = st.builds(
    Style,
    dash=st.sampled_from(("", "  ", "    ")),
    flow=st.booleans(),
    quote=st.sampled_from(("", "'", '"')),
    plain_dates=st.booleans(),
)


@given(TEXTS, st.one_of(TEXTS, st.lists(TEXTS, max_size=3), st.integers()), STYLES)
def test_in_any_style_a_property_reads_back(name: str, value: Json, style: Style) -> None:
    assert load(entry(key(name), value, style)) == {name: value}


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (None, Style(), "a:\n"),
        ("plain text", Style(), "a: plain text\n"),
        ("no", Style(), 'a: "no"\n'),
        ("2024-01-01", Style(), 'a: "2024-01-01"\n'),
        ("2024-01-01", Style(plain_dates=True), "a: 2024-01-01\n"),
        ("it's", Style(quote="'"), "a: 'it''s'\n"),
        ("x: y", Style(), 'a: "x: y"\n'),
        ("one\ntwo", Style(), "a: |-\n  one\n  two\n"),
        ("one\ntwo\n", Style(), "a: |\n  one\n  two\n"),
        (["x", 1], Style(), "a:\n  - x\n  - 1\n"),
        (["x", 1], Style(dash=""), "a:\n- x\n- 1\n"),
        (["x", "a,b"], Style(flow=True), 'a: [x, "a,b"]\n'),
        ([], Style(), "a: []\n"),
        ({"b": {"c": 1}}, Style(), "a:\n  b:\n    c: 1\n"),
        ([{"b": 1, "c": [2]}], Style(), "a:\n  - b: 1\n    c:\n      - 2\n"),
        (1e16, Style(), "a: 1.0e+16\n"),
        (1.5e-7, Style(), "a: 1.5e-07\n"),
        (True, Style(), "a: true\n"),
        ("\u2028", Style(), 'a: "\\u2028"\n'),
    ],
)
def test_a_property_is_written(value: Json, style: Style, text: str) -> None:
    assert entry("a", value, style) == text


def test_an_item_has_its_lines_behind_a_dash() -> None:
    assert item({"a": 1, "b": [2]}) == ["- a: 1", "  b:", "    - 2"]
    assert item("one\n\ntwo") == ["- |-", "  one", "", "  two"]
    assert item([]) == ["- []"]


def test_whole_numbers_beyond_64_bits_are_text() -> None:
    assert [scalar(number) for number in (2**64 - 1, 2**64, -(2**63), -(2**63) - 1)] == [
        "18446744073709551615",
        '"18446744073709551616"',
        "-9223372036854775808",
        '"-9223372036854775809"',
    ]


def test_a_name_has_its_bound() -> None:
    assert key("k" * KEY_CHARS_MAX) == "k" * KEY_CHARS_MAX
    with pytest.raises(BadArgument, match="Shorten it"):
        key("k" * (KEY_CHARS_MAX + 1))
    assert dump({}) == ""
