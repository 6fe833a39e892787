"""A decision in one note outlives the process as plain values."""

import json

from commonplace.core.text.edits import Edit
from commonplace.vault.suggestions.ledger import Credit, Decision
from commonplace.vault.suggestions.note_decision import NoteDecision

DECISION = Decision(
    2.0, "Ann", "accept", "d1", "é.md", "id", "old", "new\n", "Claude", "process:1", "", made=1.0
)
ONE = NoteDecision(
    "d1",
    "é.md",
    "one {--漢字--} 😀\n",
    (Edit(4, 7, ""), Edit(9, 12, "x\n")),
    {"id": Credit("process:1", "Claude", 1.0, ((None, "Bo"),), created=True)},
    (DECISION,),
    removed=True,
)


def test_it_is_the_same_once_it_was_packed() -> None:
    assert NoteDecision.unpacked(json.loads(json.dumps(ONE.packed()))) == ONE
    empty = NoteDecision("d", "a.md", "", (), {}, ())
    assert NoteDecision.unpacked(json.loads(json.dumps(empty.packed()))) == empty


def test_what_it_made_follows_from_what_it_changed() -> None:
    assert ONE.after == "one 漢字x\n 😀\n"
