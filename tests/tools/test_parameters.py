"""Arguments that have passed their schema."""

import pytest

from commonplace.errors import BadArgument
from commonplace.tools.parameters import text, whole_number


def test_what_is_not_given_is_the_usual() -> None:
    assert text({}, "path", "") == ""
    assert text({"path": "a.md"}, "path") == "a.md"
    assert whole_number({}, "limit", 10, least=1) == 10


@pytest.mark.parametrize("given", [5, 5.0])
def test_a_whole_number_may_come_as_any_number(given: float) -> None:
    found = whole_number({"limit": given}, "limit", 10, least=1)
    assert (found, type(found)) == (5, int)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (1.5, "`limit` must be a whole number, got 1.5."),
        (0, "`limit` must be 1 or more, got 0."),
        (101, "`limit` must be at most 100, got 101."),
        (1e300, "`limit` must be at most 100"),
    ],
)
def test_any_other_number_is_refused_with_the_bound(given: float, complaint: str) -> None:
    with pytest.raises(BadArgument) as refused:
        whole_number({"limit": given}, "limit", 10, least=1, most=100)
    assert str(refused.value).startswith(complaint)
