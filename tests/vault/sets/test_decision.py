"""A decision on a change set: its steps in order, and how it is kept."""

import itertools

from commonplace.vault.sets.decision import SetDecision, in_order

NOTE = {"path": "a.md"}


def write(operation: str) -> dict[str, object]:
    return {"parked": {"operation": operation}}


def test_steps_are_taken_in_one_order_however_they_come() -> None:
    steps = [NOTE, *map(write, ("create", "update", "rename", "delete"))]
    for mixed in itertools.permutations(steps):
        ordered = in_order(mixed)
        assert ordered.first == tuple(map(write, ("create", "update", "rename")))
        assert ordered.notes == (NOTE,)
        assert ordered.last == (write("delete"),)
        assert ordered.steps == (*ordered.first, NOTE, write("delete"))


def test_they_are_taken_back_the_other_way_round() -> None:
    ordered = in_order([NOTE, *map(write, ("create", "update", "delete"))])
    assert ordered.back.steps == (write("delete"), NOTE, write("update"), write("create"))
    assert ordered.back.back == ordered


def test_a_decision_is_kept_as_text() -> None:
    decision = SetDecision(7, 3, "reject", "Änne", 'no "reason"', 1.5, 4)
    assert SetDecision.unpacked(decision.packed()) == decision
