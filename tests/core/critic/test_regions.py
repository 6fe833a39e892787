"""What must be written anew for a change: whole suggestions, whole code blocks, whole words."""

import itertools

import pytest

from commonplace.core.critic.match import matches
from commonplace.core.critic.page import read
from commonplace.core.critic.regions import Region, regions

FENCED = "a\n```\none two\n```\nb"


def found(
    text: str, old: str, new: str, *, apart: bool = False, by_lines: bool = False
) -> list[Region]:
    page = read(text)
    wanted = matches(page.accepted.text, old, new, replace_all=True)
    return regions(page, wanted, apart=apart, by_lines=by_lines)


@pytest.mark.parametrize(
    ("text", "old", "new", "stretch", "base", "accepted"),
    [
        ("a cat b", "cat", "dog", "cat", "cat", "dog"),
        ("a {--cat--}{++dog++} b", "dog b", "fox b", "{--cat--}{++dog++} b", "cat b", "fox b"),
        ("a {--cat--}{++dog++} b", "dog", "cat", "{--cat--}{++dog++}", "cat", "cat"),
        ("one {++two++} three", "one two", "1 2", "one {++two++}", "one ", "1 2"),
        ("{++ab++}cd", "cd", "xy", "{++ab++}cd", "cd", "abxy"),
        ("{++ab ++}cd", "cd", "xy", "cd", "cd", "xy"),
        (FENCED, "one", "1", "```\none two\n```", "```\none two\n```", "```\n1 two\n```"),
        ("{++all++}", "all", "none", "{++all++}", "", "none"),
    ],
)
def test_a_region_cuts_nothing_in_two(
    text: str, old: str, new: str, stretch: str, base: str, accepted: str
) -> None:
    (region,) = found(text, old, new)
    assert text[region.start : region.end] == stretch
    assert (region.base, region.accepted) == (base, accepted)


def test_changes_in_one_suggestion_are_one_region_and_others_are_apart() -> None:
    both = found("{++a b a++} a", "a", "x")
    assert [len(region.changes) for region in both] == [2, 1]
    assert [(region.base, region.accepted) for region in both] == [("", "x b x"), ("a", "x")]
    assert all(one.end <= other.start for one, other in itertools.pairwise(both))


def test_code_may_be_taken_with_the_newlines_around_it() -> None:
    (region,) = found(FENCED, "one", "1", apart=True)
    assert FENCED[region.start : region.end] == "\n```\none two\n```\n"
    assert region.whole


def test_by_lines_whole_lines_are_taken() -> None:
    (region,) = found("x\na cat {>>why<<}b\ny", "cat", "dog", by_lines=True)
    assert (region.base, region.accepted) == ("a cat b", "a dog b")
