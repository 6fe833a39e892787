"""The ledger's rows as they are kept."""

import json

from commonplace.vault.suggestions.ledger import Decision, decision_of, plain

ONE = Decision(
    time=2.0,
    who="Ann",
    decision="accept",
    document="d1",
    path="Garden/Tools and notes.md",
    id="a1",
    old="spade",
    new="shovel",
    author="Claude",
    actor="process:1234",
    reason="",
    actors=("process:1234", "process:5678"),
    made=1.0,
)


def test_a_kept_decision_is_the_same_again() -> None:
    assert decision_of(json.loads(json.dumps(plain(ONE)))) == ONE


def test_kept_decisions_share_what_they_have_in_common() -> None:
    """Ten thousand are in memory: each with texts of its own took twice as much."""
    one, other = map(decision_of, json.loads(json.dumps([plain(ONE)] * 2)))
    assert one is not other
    assert one.path is other.path
    assert one.actors[1] is other.actors[1]


def test_a_decision_that_an_older_program_kept_is_read() -> None:
    kept = {name: value for name, value in plain(ONE).items() if name not in ("actors", "by")}
    assert decision_of(kept).actors == ()
