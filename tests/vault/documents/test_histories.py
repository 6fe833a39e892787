"""Five replicas of one note, edited at once, over a network that reorders, repeats and drops."""

import random

import pytest
from hypothesis import given, settings, strategies as st
from pycrdt import Doc, Text

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import EarlyUpdate, LargeUpdate
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.trial_worker import join, try_update
from tests.core.yjs.updates import after, between, first, section, update

PIECES = [
    "a",
    "bc",
    " ",
    "\n",
    "\r\n",
    "é",
    "e\u0301",
    "漢字",
    "😀",
    "👩‍👧",
    "🇩🇪",
    "ش",
    "x" * 40,
    "",
]
REPLICAS = 5
EXAMPLES = max(400, min(2_000, settings().max_examples))

Step = tuple[int, int, int, int]
steps = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 3, 3, 3, 2, 4, 5]),
        st.integers(0, REPLICAS - 1),
        st.integers(0, 999),
        st.integers(0, 999),
    ),
    min_size=6,
    max_size=30,
)


class Replica:
    """A document, what its log holds, and the messages on their way to it."""

    def __init__(self, number: int) -> None:
        self.name = f"replica {number}"
        self.document = Document("note", draw_client=lambda: 2**52 + number)
        self.log: list[bytes] = []
        self.inbox: list[tuple[Replica, bytes]] = []

    def edit(self, a: int, b: int) -> bytes:
        def plan(text: str) -> list[Edit]:
            start = a % (len(text) + 1)
            end = min(len(text), start + b % 4)
            return [Edit(start, end, PIECES[(a + b) % len(PIECES)])]

        edited = self.document.edit(plan, self.name)
        self.keep(edited.record)
        return edited.update

    def keep(self, record: bytes) -> None:
        if record:
            self.log.append(record)

    def receive(self, sender: "Replica", update: bytes) -> None:
        try:
            self.keep(self.document.apply(update, sender.name).record)
        except EarlyUpdate:  # a deletion overtook what it deletes: the socket is closed
            self.connect(sender)

    def connect(self, other: "Replica") -> None:
        missing = other.document.update_since(self.document.state_vector())
        try:
            self.keep(self.document.apply(missing, other.name).record)
        except LargeUpdate:  # its order is not clear from itself: it is tried, and cut in pieces
            for piece in try_update("note", [self.document.full_update(), missing]):
                self.keep(self.document.apply(piece, other.name, tried=True).record)

    def reloaded(self) -> Document:
        document = Document("note")
        document.load(self.log)
        return document


def play(history: list[Step]) -> list[Replica]:
    replicas = [Replica(number) for number in range(REPLICAS)]
    for kind, who, a, b in history:
        here = replicas[who]
        if kind <= 2:
            update = here.edit(a, b)
            for other in replicas:
                if other is not here and update:
                    other.inbox.append((here, update))
        elif kind == 3 and here.inbox:
            at = a % len(here.inbox)
            message = here.inbox[at] if b % 3 == 0 else here.inbox.pop(at)
            here.receive(*message)
        elif kind == 4:
            here.connect(replicas[a % REPLICAS])
        elif kind == 5 and here.log:
            snapshot = here.document.snapshot()
            assert snapshot is not None
            here.log = [snapshot]
    return replicas


def settle(replicas: list[Replica], seed: int) -> None:
    """Deliver the rest in any order, then let everybody exchange what is still missing."""
    shuffle = random.Random(seed).shuffle
    for here in replicas:
        shuffle(here.inbox)
        for message in here.inbox:
            here.receive(*message)
    for here in replicas:
        for other in replicas:
            here.connect(other)


def check(history: list[Step], seed: int) -> None:
    replicas = play(history)
    settle(replicas, seed)
    texts = {here.document.text for here in replicas}
    assert len(texts) == 1
    assert {here.reloaded().text for here in replicas} == texts
    assert {tuple(sorted(here.document.known.items())) for here in replicas} == {
        tuple(sorted(replicas[0].document.known.items()))
    }


@settings(max_examples=100, deadline=None)
@given(steps, st.integers(0, 999))
def test_five_replicas_and_their_logs_agree(history: list[Step], seed: int) -> None:
    check(history, seed)


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None)
@given(steps, st.integers(0, 999))
def test_five_replicas_and_their_logs_agree_in_hundreds_of_histories(
    history: list[Step], seed: int
) -> None:
    check(history, seed)


@settings(max_examples=100, deadline=None)
@given(steps, st.integers(0, 999))
def test_updates_give_the_same_text_in_whatever_order_they_come(
    history: list[Step], seed: int
) -> None:
    here = Replica(0)
    updates = [update for _, _, a, b in history if (update := here.edit(a, b))]
    random.Random(seed).shuffle(updates)
    document = Document("note")
    document.load([*updates, *updates[: len(updates) // 2]])
    assert document.text == here.document.text


def typed() -> list[bytes]:
    """Four letters typed by one client: a, ab, cab, cadb."""
    here = Replica(0)
    edits = [Edit(0, 0, "a"), Edit(1, 1, "b"), Edit(0, 0, "c"), Edit(2, 2, "d")]
    return [here.document.edit(lambda _, e=edit: [e], "someone").update for edit in edits]


def test_the_engine_alone_loses_text_that_comes_out_of_order() -> None:
    """The control: if this fails, the engine was mended and the gate may go."""
    updates = typed()
    naive: Doc[Text] = Doc()
    text = naive.get("contents", type=Text)
    for at in (0, 2, 3, 1):
        naive.apply_update(updates[at])
    assert str(text) == "cab"


def test_the_gate_keeps_that_text() -> None:
    updates = typed()
    document = Document("note")
    for at, shown in ((0, "a"), (2, "a"), (3, "a"), (1, "cadb")):
        document.apply(updates[at], "someone")
        assert document.text == shown


def backwards() -> tuple[bytes, bytes, bytes]:
    """A text, one more letter behind it, and one that says it stands between the last and first."""
    return (
        update(section(1, 0, first("abcd"))),
        update(section(2, 0, after(1, 3, "e"))),
        update(section(3, 0, between((2, 0), (1, 0), "X"))),
    )


def test_what_waited_is_dropped_if_its_neighbours_are_out_of_order() -> None:
    text, last, wrong = backwards()
    document = Document("note")
    log = [document.apply(sent, "someone").record for sent in (text, wrong, last)]
    assert document.text == "abcde"
    assert 3 not in document.known
    loaded = Document("note")
    loaded.load(log)
    assert (loaded.text, loaded.known) == (document.text, document.known)
    joined, _, _ = join("note", log)
    loaded.load([joined])
    assert (loaded.text, loaded.known) == (document.text, document.known)


def test_control_what_waited_and_is_in_order_is_let_in() -> None:
    text, last, _ = backwards()
    right = update(section(3, 0, between((1, 3), (2, 0), "X")))
    document = Document("note")
    log = [document.apply(sent, "someone").record for sent in (text, right, last)]
    assert document.text == "abcdXe"
    joined, _, _ = join("note", log)
    loaded = Document("note")
    for logged in (log, [joined]):
        loaded.load(logged)
        assert loaded.text == document.text
