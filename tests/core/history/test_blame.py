"""Each character is of the revision that wrote it, also when it comes back."""

import pytest

from commonplace.core.history.blame import begun_by, spliced, started
from commonplace.core.history.deltas import Delta, PassageChange


def change(start: int, removed: str, added: str, *origins: tuple[int, int]) -> PassageChange:
    return PassageChange(start, removed, added, origins)


def test_an_empty_text_has_no_runs() -> None:
    assert started("") == ()
    assert started("ab", 3) == ((2, 3),)


@pytest.mark.parametrize(
    ("delta", "after"),
    [
        ((), ((2, 1), (3, 2))),
        ((change(0, "", "x"),), ((1, 9), (2, 1), (3, 2))),
        ((change(5, "", "x"),), ((2, 1), (3, 2), (1, 9))),
        ((change(1, "bc", ""),), ((1, 1), (2, 2))),
        ((change(1, "bc", "xyz"),), ((1, 1), (3, 9), (2, 2))),
        ((change(0, "abcde", ""),), ()),
        ((change(0, "a", ""), change(3, "", "x")), ((1, 1), (1, 2), (1, 9), (2, 2))),
        ((change(2, "", "xy", (1, 4), (1, 2)),), ((2, 1), (1, 4), (4, 2))),
        ((change(2, "cde", ""),), ((2, 1),)),
    ],
)
def test_what_a_delta_adds_is_of_its_revision_and_what_it_puts_back_of_its_writers(
    delta: Delta, after: tuple[tuple[int, int], ...]
) -> None:
    assert spliced(((2, 1), (3, 2)), delta, 9) == after


def test_suggestions_are_of_those_who_wrote_their_first_marks() -> None:
    blame = ((2, 0), (3, 1), (3, 2), (1, 3))
    assert begun_by(blame, (change(2, "xyz", ""),)) == {1}
    assert begun_by(blame, (change(3, "yzq", ""), change(5, "qr", ""))) == {1, 2}
    assert begun_by(blame, (change(0, "a", ""), change(4, "", "new"))) == set()
    assert begun_by(blame, ()) == set()
