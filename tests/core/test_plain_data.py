"""What a value that came as JSON may not hold."""

import pytest

from commonplace.core.plain_data import NESTING_MAX, flaw_in


def nested(depth: int) -> object:
    value: object = "x"
    for level in range(depth):
        value = [value] if level % 2 else {"key": value}
    return value


@pytest.mark.parametrize(
    ("value", "flaw"),
    [
        ({"a": [1, 2.5, True, None, "text"]}, None),
        ("\0", "holds a NUL"),
        ({"\0": 1}, "holds a NUL"),
        ([{"a": "\ud800"}], "half of a surrogate pair"),
        ([float("nan")], "finite"),
        ([float("inf")], "finite"),
        (nested(NESTING_MAX), None),
        (nested(NESTING_MAX + 1), "levels deep"),
        (nested(200_000), "levels deep"),
    ],
)
def test_a_flaw_is_found_however_deep_it_is(value: object, flaw: str | None) -> None:
    found = flaw_in(value)
    assert found is None if flaw is None else found is not None and flaw in found
