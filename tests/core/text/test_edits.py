from time import process_time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.text.edits import BRIDGE_MAX, Edit, apply, diff, distance, shift
from tests.core.text.versions import texts, versions

SLACK = 4


@given(versions())
def test_the_edits_of_a_diff_give_the_new_text(pair: tuple[str, str]) -> None:
    old, new = pair
    for bridge in (0, BRIDGE_MAX):
        edits = diff(old, new, bridge=bridge)
        assert apply(old, edits) == new
        assert edits == sorted(edits)
        assert all(old[edit.start : edit.end] != edit.text for edit in edits)


@given(versions())
def test_by_words_an_edit_gives_the_same_text_and_leaves_equal_words_alone(
    pair: tuple[str, str],
) -> None:
    old, new = pair
    edits = diff(old, new, bridge=0, by_words=True)
    assert apply(old, edits) == new
    assert edits == sorted(edits)


def test_by_words_no_edit_reaches_into_a_word_that_stays() -> None:
    old, new = "baaaac baacc bbcb", "bbcbc bbba baacc babbb"
    start = old.index("baacc")
    end = start + len("baacc")

    def reaches(edits: list[Edit]) -> bool:
        return any(edit.start < end and edit.end > start for edit in edits)

    assert not reaches(diff(old, new, bridge=0, by_words=True))
    assert reaches(diff(old, new, bridge=0))  # the control: by characters it does


@given(versions())
def test_the_distance_is_no_more_than_what_the_edits_change(pair: tuple[str, str]) -> None:
    old, new = pair
    changed = sum(edit.end - edit.start + len(edit.text) for edit in diff(old, new, bridge=0))
    assert distance(old, new) <= changed
    assert (distance(old, new) == 0) == (old == new)


@given(texts, texts)
def test_any_two_texts_can_be_compared(old: str, new: str) -> None:
    assert apply(old, diff(old, new)) == new


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("", "", []),
        ("same", "same", []),
        ("", "new", [Edit(0, 0, "new")]),
        ("old", "", [Edit(0, 3)]),
        ("The cat sat.", "The dog sat.", [Edit(4, 7, "dog")]),
        ("one\ntwo\nthree\n", "one\n2\nthree\n", [Edit(4, 7, "2")]),
        ("one\nthree\n", "one\ntwo\nthree\n", [Edit(4, 4, "two\n")]),
        ("abc def ghi jkl", "abc dEf ghi jKl", [Edit(5, 6, "E"), Edit(13, 14, "K")]),
        ("abcdefghi", "AbcdEfghi", [Edit(0, 5, "AbcdE")]),
        ("completely other", "nothing alike!", [Edit(0, 16, "nothing alike!")]),
    ],
)
def test_a_diff_is_small(old: str, new: str, edits: list[Edit]) -> None:
    assert diff(old, new) == edits


def test_short_equal_stretches_are_kept_if_asked_for() -> None:
    assert diff("abcdefghi", "AbcdEfghi", bridge=0) == [Edit(0, 1, "A"), Edit(4, 5, "E")]


def test_moved_lines_are_few_edits() -> None:
    lines = [f"line {number}\n" for number in range(100)]
    moved = lines[50:51] + lines[:50] + lines[51:]
    assert len(diff("".join(lines), "".join(moved))) == 2


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(3, 2)],
        [Edit(0, 9)],
        [Edit(-1, 0)],
        [Edit(2, 4), Edit(3, 5)],
        [Edit(3, 4), Edit(0, 1)],
    ],
)
def test_edits_that_overlap_or_leave_the_text_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlaps another or leaves the text"):
        apply("abcdef", edits)


def test_edits_at_one_place_are_made_in_order() -> None:
    assert apply("ad", [Edit(1, 1, "b"), Edit(1, 1, "c")]) == "abcd"
    assert apply("axd", [Edit(1, 1, "b"), Edit(1, 2, "c")]) == "abcd"


@pytest.mark.parametrize(
    ("position", "before", "after"),
    [(0, 0, 0), (2, 2, 5), (3, 6, 6), (5, 6, 8), (6, 8, 8), (9, 11, 11)],
)
def test_positions_move_with_the_text(position: int, before: int, after: int) -> None:
    edits = [Edit(2, 2, "new"), Edit(3, 6, "xy")]
    assert shift(position, edits) == before
    assert shift(position, edits, after=True) == after


@given(versions(), st.integers(0, 50))
def test_a_character_that_stays_is_found_again(pair: tuple[str, str], place: int) -> None:
    old, new = pair
    edits = diff(old, new)
    if place < len(old) and not any(edit.start <= place < edit.end for edit in edits):
        assert new[shift(place, edits, after=True)] == old[place]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n" * 1_000_000, "\n" * 999_999 + "x" + "\n" * 3),
        ("a\nb\n" * 250_000, "b\na\n" * 200_000),
        ("ab" * 500_000, "ba" * 500_000),
        ("".join(f"{n} {'text ' * 10}\n" for n in range(20_000)), "x\ny\n" * 100_000),
        ("ab " * 6000 + "\n" + "cd " * 6000, "ab. " * 5000 + "\n" + "cd. " * 5000),
        (
            "\n".join(f"{n % 7} " + "ab " * 300 for n in range(1000)),
            "\n".join(f"{n % 5} " + "aB " * 290 for n in range(1000)),
        ),
    ],
    ids=["newlines", "few lines", "one line", "rewritten", "long lines", "alike"],
)
def test_the_worst_texts_are_compared_in_bounded_time(old: str, new: str) -> None:
    start = process_time()
    edits = diff(old, new)
    assert process_time() - start < 0.6 * SLACK
    assert apply(old, edits) == new


def test_a_megabyte_with_thirty_changes_is_compared_quickly() -> None:
    lines = [f"{number} some text on a line of its own\n" for number in range(25_000)]
    old = "".join(lines)
    for number in range(0, 25_000, 800):
        lines[number] = f"{number} some text on another line\n"
    new = "".join(lines)
    start = process_time()
    edits = diff(old, new)
    assert process_time() - start < 0.1 * SLACK
    assert apply(old, edits) == new
    assert len(edits) < 70
