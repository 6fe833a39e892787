"""Properties undone key by key: each has the value that others gave it last."""

from dataclasses import dataclass, field

import pytest

from commonplace.core.history import Step, apply, between, started, undo
from commonplace.vault.history.history import Revision
from commonplace.vault.undo.properties import with_properties

MINE = "assistant"


@dataclass
class Note:
    """A note's texts, each of its author."""

    text: str
    first: str = field(init=False)
    revisions: list[Revision] = field(default_factory=list[Revision])

    def __post_init__(self) -> None:
        self.first = self.text

    def save(self, actor: str, text: str) -> None:
        number = len(self.revisions) + 1
        delta = between(self.text, text)
        made = Revision(number, "d", "a.md", 0, 0, actor, "call", "", "", delta)
        self.revisions.append(made)
        self.text = text

    def undone(self) -> str:
        mine = {each.id for each in self.revisions if each.actor == MINE}
        steps = [
            Step(each.id, each.delta, each.id in mine, each.id in mine) for each in self.revisions
        ]
        found = undo(started(self.first), self.first, steps, mine.__contains__)
        whole = with_properties(
            found, self.text, self.first, self.revisions, lambda each: each.id in mine
        )
        return apply(self.text, whole.delta)


def block(*lines: str, body: str = "body\n") -> str:
    return "---\n" + "".join(f"{line}\n" for line in lines) + f"---\n{body}"


@pytest.mark.parametrize(
    ("before", "mine", "theirs", "after"),
    [
        (block("a: 1"), block("a: 2"), block("a: 2", "b: 3"), block("a: 1", "b: 3")),
        (block("a: 1"), block("a: 2"), block("a: 5"), block("a: 5")),
        (block("a: 1"), block("a: 1", "b: 2"), block("a: 1", "b: 9"), block("a: 1", "b: 9")),
        (block("a: 1", "b: 2"), block("a: 1"), block("a: 4"), block("a: 4", "b: 2")),
        (
            block("a: one"),
            block("status: one"),
            block("status: two"),
            block("status: two", "a: one"),
        ),
        (
            block("a: 1"),
            block("a: 2", body="mine\n"),
            block("a: 2", body="mine\nx\n"),
            block("a: 1", body="body\nx\n"),
        ),
    ],
)
def test_each_property_is_as_others_left_it(
    before: str, mine: str, theirs: str, after: str
) -> None:
    note = Note(before)
    note.save(MINE, mine)
    note.save("person", theirs)
    assert note.undone() == after


def test_a_note_without_properties_is_undone_by_its_text() -> None:
    note = Note("one two\n")
    note.save(MINE, "one 2\n")
    note.save("person", "one 2 three\n")
    assert note.undone() == "one two three\n"


def test_a_block_that_cannot_be_read_is_left_to_its_text() -> None:
    note = Note(block("a: 1"))
    note.save(MINE, block("a: ["))
    note.save("person", block("a: [", "b: 2"))
    assert note.undone() == block("a: 1", "b: 2")


def test_suggested_properties_are_left_to_their_text() -> None:
    note = Note(block("a: 1"))
    note.save(MINE, block("a: {--1--}{++2++}"))
    assert note.undone() == block("a: 1")
