"""A large update cut into pieces is the same update."""

import random

import pytest
from pycrdt import Doc, Text

from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate, decode_state_vector
from commonplace.core.yjs.pieces import PIECE_STRUCTS_MAX, cut
from commonplace.core.yjs.policy import ANYTHING, PLAIN_TEXT
from commonplace.core.yjs.scan import scan
from tests.core.yjs.updates import after, deleting, first, section, update


def shared(seed: int) -> "Doc[Text]":
    """A text that three wrote, each now and then hearing of the others."""
    rng = random.Random(seed)
    docs: list[Doc[Text]] = [Doc(client_id=client) for client in rng.sample(range(1_000), 3)]
    for _ in range(900):
        doc = rng.choice(docs)
        text = doc.get("contents", type=Text)
        at = rng.randint(0, len(text))
        if len(text) > at and rng.random() < 0.3:
            del text[at : at + 1]
        else:
            text.insert(at, "ab")
        if rng.random() < 0.2:
            rng.choice(docs).apply_update(doc.get_update())
    for doc in docs:
        docs[0].apply_update(doc.get_update())
    return docs[0]


@pytest.mark.parametrize("seed", range(5))
def test_pieces_give_the_same_text_and_each_is_ready_in_its_turn(seed: int) -> None:
    whole = shared(seed)
    pieces = [piece.update for piece in cut(whole.get_update(), {}, PLAIN_TEXT)]
    assert len(pieces) > 2
    copy: Doc[Text] = Doc()
    known: dict[int, int] = {}
    for piece in pieces:
        scanned = scan(piece, policy=PLAIN_TEXT)
        assert scanned.ready(known)
        assert scanned.structs + len(scanned.deletions) <= PIECE_STRUCTS_MAX
        known |= {client: scanned.reach(client, known) for client in scanned.spans}
        copy.apply_update(piece)
    assert str(copy.get("contents", type=Text)) == str(whole.get("contents", type=Text))
    assert decode_state_vector(copy.get_state()) == decode_state_vector(whole.get_state())


def test_what_is_known_is_left_out() -> None:
    typed = update(section(7, 0, first("ab"), after(7, 1, "cd")), deletes=deleting((7, 0, 1)))
    assert [piece.update for piece in cut(typed, {7: 2}, ANYTHING)] == [
        update(section(7, 2, after(7, 1, "cd"))),
        update(deletes=deleting((7, 0, 1))),
    ]


def test_what_builds_on_missing_edits_is_early() -> None:
    with pytest.raises(EarlyUpdate):
        cut(update(section(7, 0, after(8, 0, "x"))), {}, ANYTHING)


def test_edits_that_each_build_on_the_other_are_refused() -> None:
    circle = update(section(2, 0, after(3, 0, "x")), section(3, 0, after(2, 0, "y")))
    with pytest.raises(HostileUpdate):
        cut(circle, {}, ANYTHING)
