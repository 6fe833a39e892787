"""What undoing somebody's revisions does to one note, read from the revisions themselves."""

import pytest

from commonplace.core.critic import Signature, accepted, base
from commonplace.core.history import Passage, apply, between
from commonplace.vault.history.history import Revision
from commonplace.vault.undo.plan import Past, after, offered, shown

ME, ANN = "assistant:Claude", "person:Ann"


def past(start: str, *made: tuple[str, str, str, str]) -> tuple[Past, str]:
    """A past of (actor, cause, old path, text), and the text now; mine is to be undone."""
    revisions: list[Revision] = []
    text = start
    for number, (actor, cause, note, then) in enumerate(made, 1):
        delta = between(text, then)
        revisions.append(Revision(number, "d", "a.md", 0, 0, actor, cause, "", note, delta))
        text = then
    mine = frozenset(each.id for each in revisions if each.actor == ME)
    return Past("d", "a.md", start, ((len(start), 0),) if start else (), revisions, mine), text


@pytest.mark.parametrize(
    ("made", "whole"),
    [
        ([(ME, "create", "", "x")], "trash"),
        ([(ME, "create", "", "x"), (ANN, "rename", "b.md", "x")], ""),
        ([(ME, "delete", "", "")], "restore"),
        ([(ME, "rename", "b.md", "x")], "rename"),
        ([(ME, "rename", "", "x")], ""),
        ([(ME, "restore", "", "x")], "trash"),
        ([(ANN, "create", "", "x"), (ME, "call", "", "y")], ""),
        ([], ""),
    ],
)
def test_the_last_that_happened_to_the_whole_note_counts(
    made: list[tuple[str, str, str, str]], whole: str
) -> None:
    assert past("", *made)[0].whole == whole


def test_a_renamed_note_goes_back_to_its_first_name() -> None:
    made = ((ME, "rename", "one.md", "x"), (ME, "rename", "two.md", "x"))
    assert past("x", *made)[0].old_path == "one.md"
    assert past("x", (ANN, "rename", "one.md", "x"))[0].old_path == "a.md"


def test_the_text_is_what_it_would_be_without_them() -> None:
    found, now = past("a cat sat", (ME, "call", "", "a dog sat"), (ANN, "typing", "", "a dog sat!"))
    assert apply(now, found.undone(now).delta) == "a cat sat!"
    saved = "so a dog sat!"  # by another program, and not taken in yet
    assert apply(saved, found.undone(saved).delta) == "so a cat sat!"
    assert after("a cat sat", found.revisions) == now


@pytest.mark.parametrize(
    ("others", "nothing"),
    [
        ([], True),
        ([(ANN, "typing", "", "mine and Ann's")], False),
        ([(ANN, "rename", "", "mind")], True),
    ],
)
def test_a_note_in_which_nobody_else_wrote_leaves_nothing(
    others: list[tuple[str, str, str, str]], nothing: bool
) -> None:
    found, now = past("", (ME, "create", "", "mine"), *others)
    assert found.is_new
    assert found.leaves_nothing(now) == nothing


def test_a_note_that_came_back_counts_while_nobody_else_writes() -> None:
    back = (ME, "restore", "", "x")
    assert past("x", back)[0].came_back
    assert not past("x", back, (ANN, "typing", "", "y"))[0].came_back
    assert not past("x", (ANN, "restore", "", "x"))[0].came_back


def test_unclear_passages_are_offered_as_suggestions() -> None:
    passages = [Passage("unclear", 0, "cat ", 1, 2), Passage("unclear", 0, "dog ", 1, 7)]
    text, failed = offered("a bird sat", passages, Signature("Claude"))
    assert failed == []
    assert base(text) == "a bird sat"
    assert accepted(text) == "a cat bird dog sat"


def test_what_is_shown_is_bounded() -> None:
    found, now = past("", *((ME, "call", "", "x " * (at + 1)) for at in range(3)))
    plain = shown("a.md", found, found.undone(now), "trash")
    assert (plain["path"], plain["whole"], plain["to"], plain["needs_you"]) == (
        "a.md",
        "trash",
        "",
        0,
    )
