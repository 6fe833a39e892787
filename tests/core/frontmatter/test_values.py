"""What a block says as JSON values; what cannot be read is told with its line."""

import pytest

from commonplace.core.frontmatter.values import Fault, load, normalised, same, same_properties
from commonplace.errors import BadArgument


@pytest.mark.parametrize(
    ("yaml", "values"),
    [
        ("", {}),
        ("# nothing\n", {}),
        ("a: [[Note]]", {"a": "[[Note]]"}),
        ("a: [[[Note]]]", {"a": ["[[Note]]"]}),
        ("a: [[b, c]]", {"a": [["b", "c"]]}),
        ("a: 123456789012345678901", {"a": "123456789012345678901"}),
        ("a: [99999999999999999999, 1]", {"a": ["99999999999999999999", 1]}),
        ("a: .nan\nb: -.inf\nc: .inf", {"a": ".nan", "b": "-.inf", "c": ".inf"}),
        ("2: a\ntrue: b\nnull: c", {"2": "a", "true": "b", "null": "c"}),
    ],
)
def test_a_block_says(yaml: str, values: dict[str, object]) -> None:
    assert load(yaml) == values


@pytest.mark.parametrize(
    ("yaml", "line", "reason"),
    [
        ("- a\n- b\n", 1, "not made of `name: value` lines"),
        ("just text\n", 1, "not made of"),
        ("a: 1\nb: [\n", 2, ""),
        ("a: 1\nb: 2\na: 3\n", 3, "duplicate entry"),
        ("1: a\n1.0: b\n", 1, "cannot be told apart"),
        ("1: a\ntrue: b\n", 1, "cannot be told apart"),
        ("a: " + "[" * 501 + "]" * 501, 1, "nested too deep"),
        ("é: 1\nb: \x00\n", 2, ""),
    ],
)
def test_a_fault_is_told_with_its_line(yaml: str, line: int, reason: str) -> None:
    found = load(yaml)
    assert isinstance(found, Fault)
    assert found.line == line
    assert reason in found.reason


def test_what_is_given_reads_as_it_will_be_written() -> None:
    given = {"a": [["x"]], "b": (1, float("nan")), "c": {"d": None}}
    assert normalised(given) == {"a": "[[x]]", "b": [1, ".nan"], "c": {"d": None}}
    with pytest.raises(BadArgument, match="cannot be a set"):
        normalised({"a": {1}})
    with pytest.raises(BadArgument, match="duplicate entry"):
        normalised({"a": {1: "x", "1": "y"}})


def test_values_are_the_same_only_if_they_are_written_the_same() -> None:
    assert same(1, 1)
    assert not same(1, 1.0)
    assert not same(1, True)
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert same_properties({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same_properties({"a": 1}, {"a": 1, "b": 2})
    assert not same_properties({"a": 1}, {"a": True})
