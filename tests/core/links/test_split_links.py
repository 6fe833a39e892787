"""Links that a suggestion runs through are spelled anew where both views mean them."""

import time

import pytest

from commonplace.core.links import respell
from commonplace.core.text import edits


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("[[Old Name{--|x--}{++|y++}]]", "[[New{--|x--}{++|y++}]]"),
        ("[[Old Name{++#h++}]] [[Old Name]]", "[[New{++#h++}]] [[New]]"),
        ("{++see [++}{++[Old Name]]++}", "{++see [++}{++[New]]++}"),
        ("[[{--old name--}{++Old Name++}]]", "[[New]]"),
        ("[[{~~old~>Old~~} {--name--}{++Name++}|a]]", "[[New|a]]"),
        ("[[{--Other--}{++Old Name++}]]", "[[{--Other--}{++New++}]]"),
        ("{==[==}[Old Name]]", "{==[==}[New]]"),
        ("é😀 [t](old{++%20++}{-- --}name.md)", None),
    ],
)
def test_a_link_that_a_suggestion_runs_through_follows_if_both_views_mean_it(
    text: str, after: str | None
) -> None:
    spellings = {(False, "Old Name"): "New", (False, "old name"): "New"}
    changes, left = respell.rewrites(text, spellings)
    assert edits.apply(text, changes) == (text if after is None else after)
    assert left == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[[Ol{--d--}{++d Name++}]]", ["[[Old Name]]"]),
        ("[[Old Name{++ Two++}]]", ["[[Old Name]]"]),
        ("[[Old{>>why?<<} Name]]", ["[[Old Name]]"]),
        ("[[{--Old--}{++New++} Name]] [[Old Name]]", ["[[Old Name]]"]),
    ],
)
def test_a_link_that_one_view_alone_means_is_left_and_said_so(text: str, left: list[str]) -> None:
    changes, found = respell.rewrites(text, {(False, "Old Name"): "New"})
    after = edits.apply(text, changes)
    assert after.partition("]] [[")[0] == text.partition("]] [[")[0]
    assert found == left


def test_thousands_of_split_links_take_no_longer_than_they_must() -> None:
    text = "[[Ol{--d--}{++d Name++}]] [[{--old name--}{++Old Name++}]]\n" * 5_000
    start = time.process_time()
    changes, left = respell.rewrites(text, {(False, "Old Name"): "N", (False, "old name"): "N"})
    assert (len(changes), left) == (5_000, ["[[Old Name]]"])
    assert time.process_time() - start < 20
