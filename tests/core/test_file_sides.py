"""What has to happen to a file in two places: laws over every combination of three sides."""

from itertools import product

import pytest
from hypothesis import given, strategies as st

from commonplace.core.file_sides import Sides, is_too_many, lost, moves, next_step

EVERY = [Sides(*one) for one in product((None, "a", "b", "c"), repeat=3)]


@pytest.mark.parametrize("sides", EVERY)
@pytest.mark.parametrize("mergeable", [True, False])
def test_what_differs_from_the_base_is_never_given_up(sides: Sides, mergeable: bool) -> None:
    step = next_step(sides, mergeable=mergeable)
    changed_here = sides.here not in (None, sides.base, sides.there)
    changed_there = sides.there not in (None, sides.base, sides.here)
    if changed_here:
        assert step in ("send", "set_aside")
    if changed_there:
        assert step in ("fetch", "send", "set_aside")
    if changed_here and changed_there and not (mergeable and sides.base is not None):
        assert step == "set_aside"


@pytest.mark.parametrize("sides", EVERY)
def test_a_file_is_removed_only_where_it_is_as_both_had_it(sides: Sides) -> None:
    step = next_step(sides, mergeable=True)
    if step == "remove_here":
        assert sides.here == sides.base is not None
    if step == "remove_there":
        assert sides.there == sides.base is not None


@pytest.mark.parametrize("sides", EVERY)
def test_two_places_that_agree_need_nothing(sides: Sides) -> None:
    done = sides.here == sides.there
    agreed = sides.base == sides.here
    expected = (
        ("nothing" if agreed else "forget" if sides.here is None else "agree") if done else None
    )
    step = next_step(sides, mergeable=True)
    assert step == expected if done else step not in ("nothing", "agree", "forget")


def test_a_file_with_the_same_content_has_got_another_name() -> None:
    files = {
        "old.md": Sides("x", None, "x"),
        "new.md": Sides(None, "x", None),
        "other.md": Sides("y", "y", "y"),
    }
    assert moves(files) == {"new.md": "old.md"}


@pytest.mark.parametrize(
    "files",
    [
        # changed there meanwhile
        {"old.md": Sides("x", None, "z"), "new.md": Sides(None, "x", None)},
        # two that are alike
        {
            "old.md": Sides("x", None, "x"),
            "one.md": Sides(None, "x", None),
            "two.md": Sides(None, "x", None),
        },
        # the name is taken there
        {"old.md": Sides("x", None, "x"), "new.md": Sides(None, "x", "w")},
        # it was only copied
        {"old.md": Sides("x", "x", "x"), "new.md": Sides(None, "x", None)},
    ],
)
def test_what_is_not_plain_is_no_rename(files: dict[str, Sides]) -> None:
    assert moves(files) == {}


def test_a_file_that_only_got_another_name_is_not_lost() -> None:
    files = {
        "old": Sides("x", None, "x"),
        "new": Sides(None, "x", None),
        "gone": Sides("y", None, "y"),
    }
    assert lost(["old", "gone"], files, "here") == 1


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_a_fifth_and_more_than_ten_are_too_many(deletions: int, known: int) -> None:
    assert is_too_many(deletions, known) == (deletions > 10 and deletions > known / 5)
