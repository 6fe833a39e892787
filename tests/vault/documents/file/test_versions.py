"""From which state a save was made: one that decides suggestions by hand has seen them."""

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import apply
from commonplace.vault.documents.file.decided_by_hand import HandEnd
from commonplace.vault.documents.file.versions import Held, made_from

OLD = "Bring the red folder.\nAnd a pen.\n"
MARKED = "Bring the {--red folder--}{++blue folder++}.\nAnd a pen.\n"
TWO = "Bring the {--red folder--}{++blue folder++}.\nAnd a {--pen--}{++pencil++}.\n"
BEFORE = [Held(b"old", OLD, 0.0)]


@pytest.mark.parametrize(
    ("marked", "saved"),
    [
        (MARKED, "Bring the blue folder.\nAnd a pen.\n"),
        (MARKED, "Bring the blue folder.\nAnd two pens.\n"),
        (MARKED, "Please bring the blue folder.\nAnd a pen.\n"),
        (TWO, "Bring the blue folder.\nAnd a pen.\n"),
        (TWO, "Bring the red folder.\nAnd a pencil.\n"),
        (TWO, "Bring the blue folder.\nAnd a {--pen--}{++pencil++}.\n"),
    ],
)
def test_a_save_that_decides_by_hand_was_made_from_the_marked_text(marked: str, saved: str) -> None:
    assert made_from(b"marked", marked, BEFORE, saved).base == b"marked"


@pytest.mark.parametrize(
    "saved",
    [
        OLD,  # put back exactly as it was
        "Bring the red folder.\nAnd two pens.\n",
        "Bring my red folder.\nAnd a pen.\n",
        OLD + "More.\n",
    ],
)
def test_a_save_that_has_not_seen_the_suggestion_was_made_from_the_older(saved: str) -> None:
    """The control: nobody decided anything here, or rejected; which of both, nobody can tell."""
    origin = made_from(b"marked", MARKED, BEFORE, saved)
    assert (origin.base, origin.doubts) == (b"old", ids(MARKED))


def ids(marked: str) -> set[str]:
    return {critic.rank(each.id) for each in critic.suggestions(marked)}


def test_only_what_came_after_the_text_was_read_is_in_doubt() -> None:
    between = "Bring the {--red folder--}{++blue folder++}.\nAnd a pen.\n"
    states = [*BEFORE, Held(b"between", between, 0.0)]
    last = ids(TWO) - ids(between)
    for saved in (between, "Bring the blue folder.\nAnd a pen.\n"):
        origin = made_from(b"two", TWO, states, saved)
        assert (origin.base, origin.doubts) == (b"between", last), saved


def test_who_left_a_later_suggestion_as_it_is_has_seen_the_earlier() -> None:
    states = [*BEFORE, Held(b"between", MARKED, 0.0)]
    saved = "Bring the red folder.\nAnd a {--pen--}{++pencil++}.\n"
    origin = made_from(b"two", TWO, states, saved)
    assert (origin.base, origin.doubts) == (b"two", set())
    assert origin.ends == dict.fromkeys(ids(MARKED), HandEnd("reject"))


def test_what_people_typed_and_another_program_took_back_is_a_wish() -> None:
    assert made_from(b"typed", OLD + "More.\n", BEFORE, OLD).base == b"typed"


@pytest.mark.parametrize(
    ("saved", "end"),
    [
        ("Bring the blue folder.\nAnd a pen.\n", HandEnd("accept")),
        ("Bring the red folder.\nAnd a pen.\n", HandEnd("reject")),
        ("Fetch my blue folder!\nAnd a pen.\n", HandEnd("accept")),
        ("Fetch my red folder!\nAnd a pen.\n", HandEnd("reject")),
        ("Bring the dark blue folder.\nAnd a pen.\n", HandEnd("accept")),
        ("Bring the blue new folder.\nAnd a pen.\n", HandEnd("modified", "blue new folder")),
        ("Bring the bag.\nAnd a pen.\n", None),
        (MARKED + "More.\n", None),
    ],
)
def test_how_a_suggestion_ended_is_told_by_what_was_made_of_it(
    saved: str, end: HandEnd | None
) -> None:
    ends = made_from(b"marked", MARKED, [], saved).ends
    assert ends == ({} if end is None else dict.fromkeys(ids(MARKED), end))


def test_what_else_was_changed_touches_no_word_that_stays() -> None:
    """Else the marks that somebody made around it meanwhile would stand around nothing."""
    old, saved = "cdhcd gffffc ffccdbhg\n", "cdhcd egaadahf fgbcc aedbfd ffccdbhg\n"
    origin = made_from(b"new", "cdhcd gffffc {--ffccdbhg--}\n", [Held(b"old", old, 0.0)], saved)
    assert origin.base == b"old"
    assert apply(old, origin.edits) == saved
    assert all(edit.end <= old.index(" ffccdbhg") for edit in origin.edits)
