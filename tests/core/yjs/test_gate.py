import pytest

from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate
from commonplace.core.yjs.gate import HELD_BYTES_MAX, HELD_MAX, Gate
from commonplace.core.yjs.policy import PLAIN_TEXT
from commonplace.core.yjs.scan import scan
from tests.core.yjs.updates import after, before, between, deleting, first, section, skip, update

HELLO = update(section(1, 0, first("hello")))
WORLD = update(section(1, 5, after(1, 4, " world")))
BANG = update(section(1, 11, after(1, 10, "!")))


def admit(gate: Gate, written: bytes) -> list[bytes]:
    return gate.admit(written, gate.check(written, PLAIN_TEXT)).ready


def test_what_is_ready_passes_as_it_came() -> None:
    gate = Gate()
    assert admit(gate, HELLO) == [HELLO]
    assert admit(gate, WORLD) == [WORLD]
    assert gate.known == {1: 11}
    assert not gate.waiting


def test_what_comes_too_early_waits_and_follows_in_order() -> None:
    gate = Gate()
    assert admit(gate, BANG) == []
    assert admit(gate, WORLD) == []
    assert gate.waiting
    assert admit(gate, HELLO) == [HELLO, WORLD, BANG]
    assert gate.known == {1: 12}
    assert not gate.waiting


def test_a_block_waits_for_the_block_of_another_client_that_it_follows() -> None:
    gate = Gate()
    reply = update(section(2, 0, after(1, 10, "?")))
    assert admit(gate, HELLO) == [HELLO]
    assert admit(gate, reply) == []
    assert admit(gate, WORLD) == [WORLD, reply]


def test_two_updates_that_need_parts_of_each_other_are_let_in_block_by_block() -> None:
    gate = Gate()
    one = update(section(1, 0, first("a")), section(2, 1, after(2, 0, "d")))
    two = update(section(2, 0, after(1, 0, "b")))
    assert admit(gate, one) == [update(section(1, 0, first("a")))]
    assert admit(gate, two) == [two, update(section(2, 1, after(2, 0, "d")))]


def test_a_gap_that_is_never_filled_holds_up_nothing_else() -> None:
    gate = Gate()
    assert admit(gate, update(section(9, 100, after(9, 99, "lost")))) == []
    assert admit(gate, WORLD) == []
    assert admit(gate, HELLO) == [HELLO, WORLD]
    assert gate.waiting


def test_a_merged_update_with_a_gap_is_let_in_as_far_as_it_goes() -> None:
    gate = Gate()
    merged = update(section(1, 0, first("hello"), skip(6), after(1, 10, "!")))
    assert admit(gate, merged) == [HELLO]
    assert admit(gate, WORLD) == [WORLD, BANG]


def test_what_is_known_already_is_let_go_silently() -> None:
    gate = Gate()
    admit(gate, BANG)
    admit(gate, update(section(1, 5, after(1, 4, " world!"))))
    assert admit(gate, HELLO) == [HELLO, update(section(1, 5, after(1, 4, " world!")))]
    assert gate.known == {1: 12}
    assert not gate.waiting


def test_something_is_kept_only_when_it_is_new() -> None:
    gate = Gate()
    assert gate.admit(BANG, scan(BANG)).kept
    assert not gate.admit(BANG, scan(BANG)).kept
    assert not gate.admit(HELLO, scan(HELLO)).kept


def test_deletions_wait_for_what_they_delete() -> None:
    gate = Gate()
    gone = update(deletes=deleting((1, 4, 3)))
    assert gate.admit(gone, scan(gone)).ready == []
    assert admit(gate, HELLO) == [HELLO]
    assert admit(gate, WORLD) == [WORLD, gone]


def test_deletions_of_what_nobody_wrote_are_refused_from_outside() -> None:
    gate = Gate()
    admit(gate, HELLO)
    with pytest.raises(EarlyUpdate):
        gate.check(update(deletes=deleting((1, 4, 3))), PLAIN_TEXT)
    admit(gate, BANG)  # waits, but was seen: its sender may delete what is before it
    gate.check(update(deletes=deleting((1, 4, 3))), PLAIN_TEXT)


def test_what_waits_can_be_told_and_taken_up_again() -> None:
    gate, copy = Gate(), Gate()
    admit(gate, BANG)
    gone = update(deletes=deleting((1, 5, 1)))
    gate.admit(gone, scan(gone))
    for held in gate.held():
        copy.admit(held, scan(held))
    assert copy.held() == gate.held() != []
    assert admit(copy, HELLO) == [HELLO]


EMOJI = update(section(1, 0, first("a😀b")))
HALVES = {
    "after the first half": update(section(2, 0, after(1, 1, "x"))),
    "before the second half": update(section(2, 0, before(1, 2, "x"))),
    "between the halves": update(section(2, 0, between((1, 1), (1, 2), "x"))),
    "deleting the first half": update(deletes=deleting((1, 1, 1))),
    "deleting from the second half": update(deletes=deleting((1, 2, 2))),
    "its own character": update(section(2, 0, after(1, 3, "😀"), after(2, 0, "x"))),
}
WHOLES = {
    "after it": update(section(2, 0, after(1, 2, "x"))),
    "before it": update(section(2, 0, before(1, 1, "x"))),
    "deleting it": update(deletes=deleting((1, 1, 2))),
}


@pytest.mark.parametrize("name", HALVES)
def test_cutting_a_character_in_half_is_refused(name: str) -> None:
    """Honest editors can do it, seldom: CodeMirror takes 😁 put for 😀 as a change of one half.

    Our page widens such edits (`web/src/text/whole.ts`); any other client is told why it is closed.
    """
    gate = Gate()
    admit(gate, EMOJI)
    with pytest.raises(HostileUpdate, match="in half"):
        gate.check(HALVES[name], PLAIN_TEXT)


@pytest.mark.parametrize("name", WHOLES)
def test_editing_around_a_character_is_not(name: str) -> None:
    gate = Gate()
    admit(gate, EMOJI)
    assert admit(gate, WHOLES[name]) == [WHOLES[name]]


def test_a_clock_inside_a_character_is_moved_before_it() -> None:
    gate = Gate()
    admit(gate, EMOJI)
    assert gate.aligned({1: 2, 5: 9}) == {1: 1, 5: 9}
    assert gate.aligned({1: 1}) == {1: 1}
    assert gate.aligned({1: 3}) == {1: 3}


def test_a_flood_of_edits_that_cannot_be_integrated_is_refused() -> None:
    gate = Gate()
    for client in range(HELD_MAX):
        admit(gate, update(section(client, 5, after(client, 4, "x"))))
    with pytest.raises(EarlyUpdate, match="connect again"):
        gate.check(update(section(HELD_MAX, 5, after(HELD_MAX, 4, "x"))), PLAIN_TEXT)
    assert admit(gate, update(section(2**40, 0, first("still taken")))) != []
    with pytest.raises(EarlyUpdate):
        Gate().check(update(section(1, 5, after(1, 4, "x" * HELD_BYTES_MAX))), PLAIN_TEXT)


def test_a_long_chain_of_waiting_clients_is_let_go_at_once() -> None:
    gate = Gate()
    for client in range(HELD_MAX, 1, -1):
        admit(gate, update(section(client, 0, after(client - 1, 0, "x"))))
    assert len(admit(gate, update(section(1, 0, first("x"))))) == HELD_MAX


def test_two_clients_that_wait_for_each_other_wait_for_ever_and_harm_nobody() -> None:
    gate = Gate()
    assert admit(gate, update(section(2, 0, after(3, 0, "x")))) == []
    assert admit(gate, update(section(3, 0, after(2, 0, "y")))) == []
    assert admit(gate, HELLO) == [HELLO]
    assert gate.waiting
