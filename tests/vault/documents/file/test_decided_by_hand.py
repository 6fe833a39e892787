"""What a person decided in an editor: the story that leaves the least to be explained."""

import pytest

from commonplace.core import critic
from commonplace.core.critic import rank
from commonplace.core.text import edits
from commonplace.vault.documents.file.decided_by_hand import HandEnd, line_distance, nearest

HELD = "Buy {--apples--}{++pears++} today.\n\nCall {++dear ++}Bo.\n"


def told(saved: str, held: str = HELD) -> list[HandEnd | None]:
    ends = nearest(held, saved).ends()
    return [ends.get(rank(one.id)) for one in critic.suggestions(held)]


@pytest.mark.parametrize(
    ("saved", "ends"),
    [
        (HELD, [None, None]),
        ("Buy pears today.\n\nCall {++dear ++}Bo.\n", [HandEnd("accept"), None]),
        ("Buy apples today.\n\nCall dear Bo.\n", [HandEnd("reject"), HandEnd("accept")]),
        ("Buy pears now.\n\nCall Bo.\n", [HandEnd("accept"), HandEnd("reject")]),
        ("Buy pearls today.\n\nCall {++dear ++}Bo.\n", [HandEnd("modified", "pearls"), None]),
        ("New.\n\nBuy pears today.\n\nCall {++dear ++}Bo.\n", [HandEnd("accept"), None]),
    ],
)
def test_each_suggestion_ended_as_the_person_decided(
    saved: str, ends: list[HandEnd | None]
) -> None:
    assert told(saved) == ends


@pytest.mark.parametrize(
    "saved",
    [
        HELD,
        "",
        "Buy pears today.\n\nCall dear Bo.\n",
        "Something else altogether\n",
        HELD.replace("today", "{++soon++}"),
        HELD.replace("pears", "plums"),
    ],
)
def test_its_edits_make_the_save(saved: str) -> None:
    story = nearest(HELD, saved)
    assert edits.apply(HELD, story.edits()) == saved


def test_only_what_was_rejected_is_told_as_that() -> None:
    one, other = critic.suggestions(HELD)
    story = nearest(HELD, "Buy apples today.\n\nCall dear Bo.\n")
    assert story.rejected == {rank(one.id)}
    assert rank(other.id) not in story.rejected


def test_a_text_without_suggestions_has_no_decisions() -> None:
    story = nearest("one\ntwo\n", "one\n2\n")
    assert (story.decisions(), story.ends(), story.rejected) == ([], {}, frozenset())


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [("", "", 0), ("a\nb", "b\na", 0), ("a\na\n", "a\n", 1), ("a\n", "b\n", 2)],
)
def test_lines_are_counted_wherever_they_stand(one: str, other: str, far: int) -> None:
    assert line_distance(one, other) == far
