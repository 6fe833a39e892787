"""What became of suggestions between two looks at a note."""

import pytest

from commonplace.core import critic
from commonplace.core.critic import rank
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.suggestions.ends.row_changes import (
    compared,
    decided,
    end_of,
    pending_rows,
)


def rows(marked: str) -> list[PendingRow]:
    return pending_rows("a.md", marked, critic.suggestions(marked))


def texts(found: list[PendingRow]) -> list[tuple[str, str]]:
    return [(row[4], row[5]) for row in found]


def test_what_waits_no_longer_is_gone() -> None:
    before = rows("{++one++} and {--two--} and {++three++}")
    gone, carried = compared(before, rows("{++one++} and  and {++three++}"))
    assert texts(gone) == [("two", "")]
    assert carried == []
    assert compared(before, before) == ([], [])


def test_one_whose_text_was_changed_goes_on_as_the_one_in_its_place() -> None:
    before, now = rows("{++one++} {++two++}"), rows("{++one++} {++2++}")
    gone, carried = compared(before, now)
    assert gone == []
    assert [(texts([old]), texts([new])) for old, new in carried] == [([("", "two")], [("", "2")])]


def test_of_very_many_only_what_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.vault.suggestions.ends.row_changes._COMPARED_MAX", 1)
    gone, carried = compared(rows("{++one++} {++two++}"), rows("{++one++} {++2++}"))
    assert (texts(gone), carried) == ([("", "two")], [])


def test_what_a_save_decided_is_told_from_the_rest() -> None:
    before, now = rows("{++one++} {++two++} {++three++}"), rows("one {++two++} ")
    by_hand = [rank(row[1]) for row in before[:2]]
    ended, rest = decided(before, now, by_hand)
    assert texts(ended) == [("", "one")]
    assert texts(rest) == [("", "two"), ("", "three")]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("The slow fox.", "accept"),
        ("The quick fox.", "reject"),
        ("Another text altogether.", "edited away"),
    ],
)
def test_the_text_tells_how_a_suggestion_ended(text: str, end: str) -> None:
    (row,) = rows("The {--quick--}{++slow++} fox.")
    assert end_of(text, row, "Ann")[:2] == (end, "Ann")
