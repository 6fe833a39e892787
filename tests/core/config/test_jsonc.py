"""JSON with comments is read as its editors read it, or refused with the place of the fault."""

import json

import pytest
from hypothesis import given, strategies as st

from commonplace.core.config import jsonc

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(VALUES, st.sampled_from([None, 0, 2, "\t"]))
def test_plain_json_is_read_as_json(value: object, indent: int | str | None) -> None:
    assert jsonc.read(json.dumps(value, indent=indent)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ("[1, 2,]", [1, 2]),
        ("{} // behind", {}),
        ('/* before */ {"a" /* b */ : /* c */ 1 // d\n}', {"a": 1}),
        (
            '{"a": "// no comment", "b": "/* nor this */"}',
            {"a": "// no comment", "b": "/* nor this */"},
        ),
    ],
)
def test_comments_and_last_commas_say_nothing(text: str, value: object) -> None:
    assert jsonc.read(text) == value


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{} {}", "something follows the end, at character 3"),
        ("{ /* ", "a comment has no end"),
        ('{"a" 1}', "a name and a colon are missing at character 1"),
        ("{1: 2}", "a name and a colon are missing at character 1"),
        ("[1 2]", "a comma is missing at character 3"),
        ('{"a": 1', "a comma is missing"),
        ("[" * 102 + "]" * 102, "nested too deep"),
        ("", "Expecting value"),
    ],
)
def test_what_is_no_json_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        jsonc.read(text)


def test_as_deep_as_is_allowed_is_read() -> None:
    assert json.dumps(jsonc.read("[" * 101 + "]" * 101)) == "[" * 101 + "]" * 101


@pytest.mark.parametrize("text", ['{"s": {"a": 1}, "s": {}}', '{"s": {"n": 1, "n": 2}}'])
def test_a_member_that_is_there_twice_is_not_changed(text: str) -> None:
    with pytest.raises(ValueError, match="stands in it twice"):
        jsonc.put(text, "s", "n", {})
    with pytest.raises(ValueError, match="stands in it twice"):
        jsonc.remove(text, "s", "n", keep=False)


@pytest.mark.parametrize(
    ("text", "keep", "after"),
    [
        ('{"s": {"n": 1}}', False, "{}"),
        ('{"s": {"n": 1}}', True, '{"s": {}}'),
        ('{"s": {"n": 1 /* why */}}', False, '{"s": { /* why */}}'),
        ('{"s": {"a": 1, "n": 2}}', False, '{"s": {"a": 1}}'),
        ('{"s": {"n": 1, "a": 2}}', False, '{"s": { "a": 2}}'),
        ('{"s": {"a": 1,\n "n": 2,\n}}', False, '{"s": {"a": 1,\n}}'),
        ('{"t": {"n": 1}}', False, '{"t": {"n": 1}}'),
    ],
)
def test_a_member_is_cut_out_with_what_is_its_own(text: str, keep: bool, after: str) -> None:
    assert jsonc.remove(text, "s", "n", keep=keep) == after
