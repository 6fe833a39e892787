"""Two texts that were made from one, as one text."""

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from commonplace.core.text.edits import diff
from commonplace.core.text.merge import merge3
from tests.core.text.versions import versions


@given(versions())
def test_a_merge_with_no_change_is_the_other_side(pair: tuple[str, str]) -> None:
    base, other = pair
    assert merge3(base, base, other) == merge3(base, other, base) == other
    assert merge3(base, other, other) == other


@settings(max_examples=300)
@given(versions(), versions())
def test_a_merge_loses_nothing_that_was_added(one: tuple[str, str], other: tuple[str, str]) -> None:
    base, ours, theirs = one[0], one[1], other[1]
    merged = Counter(merge3(base, ours, theirs))
    for side in (ours, theirs):
        assert not (Counter(side) - Counter(base)) - merged


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a b c", "A b c", "a b C", "A b C"),
        ("one\ntwo\n", "zero\none\ntwo\n", "one\ntwo\nthree\n", "zero\none\ntwo\nthree\n"),
        ("cat\n", "dog\n", "fox\n", "dogfox\n"),
        ("a long line here", "a line here", "a long line there", "a line there"),
        ("gone\nstays\n", "stays\n", "gone\nstays!\n", "stays!\n"),
        ("to end\n", "Two\nto end\n", "Ten\nto end\n", "Two\nTen\nto end\n"),
        ("to a\nb\n", "to a one\nb too a\n", "to a two\nb\n", "to a one two\nb too a\n"),
        ("an oak\n", "an elm\n", "an old oak\n", "an old elm\n"),
        ("end", "end here", "end\nnext", "end here\nnext"),
        ("\n\nend", "\nmine\nend", "\nyours\nend", "\nmine\nyours\nend"),
        ("\nend", " mine\nend", "yours\n\nend", "yours\n mine\nend"),
    ],
)
def test_a_merge_makes_both_changes(base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge3(base, ours, theirs) == merged


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[str, list[str], list[list[str]]]:
    """Draw a text, two changes of it that put in words and lines, and the words of each."""
    line = st.lists(st.sampled_from(["to", "the", "a", "oak", "elm", "of"]), max_size=5)
    base = [" ".join(words) for words in draw(st.lists(line, min_size=1, max_size=4))]
    sides: list[str] = []
    added: list[list[str]] = []
    for mark in "QZ":
        lines, words = list(base), list[str]()
        for _ in range(draw(st.integers(1, 2))):
            new = mark + draw(st.text("aetho", min_size=1, max_size=5))
            at = draw(st.integers(0, len(lines) - 1))
            if draw(st.booleans()):
                lines.insert(at, new)
            else:
                lines[at] = f"{lines[at]} {new}"
            words.append(new)
        sides.append("\n".join([*lines, ""]))
        added.append(words)
    return "\n".join([*base, ""]), sides, added


def has_whole_words(merged: str, added: list[list[str]]) -> bool:
    return all(word in merged for words in added for word in words)


@settings(max_examples=400)
@given(two_sides())
def test_a_merge_puts_nothing_into_a_word(case: tuple[str, list[str], list[list[str]]]) -> None:
    base, sides, added = case
    merged = merge3(base, *sides)
    assert has_whole_words(merged, added)
    assert not Counter(base.split()) - Counter(merged.split())


def merge_by_letters(base: str, ours: str, theirs: str) -> str:
    """Put each text where its change starts, ours first."""
    edits = [*diff(base, ours), *diff(base, theirs)]
    gone = {place for edit in edits for place in range(edit.start, edit.end)}
    return "".join(
        "".join(edit.text for edit in edits if edit.start == place)
        + ("" if place in gone else base[place : place + 1])
        for place in range(len(base) + 1)
    )


def test_a_merge_by_letters_puts_one_word_into_another() -> None:
    """The control."""
    base, words = "to a\nin lambda\n", [["Qdrwou", "Qcocua"], ["Zhu"]]
    ours, theirs = "to a Qdrwou\nin lambda Qjlubs Qmnel Qcocua\n", "to a Zhu\nin lambda\n"
    assert not has_whole_words(merge_by_letters(base, ours, theirs), words)
    assert has_whole_words(merge3(base, ours, theirs), words)
