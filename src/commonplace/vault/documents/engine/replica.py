"""A replica of one text in the CRDT engine, whose surprises end here.

Offsets are UTF-8 bytes and unchecked: an offset inside a character writes
at the end of the text, deletes the rest, or panics. So edits come in code points, are converted
in one place, applied last to first in one transaction, and the result is compared. A transaction
has no way back: whoever meets an `EngineFault` must throw the replica away. An observer left on a
document keeps it in memory for ever: here each is taken off with its replica. Nothing is thread
safe.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from weakref import finalize

from pycrdt import Doc, Text, merge_updates
from pycrdt._pycrdt import decode_sticky_index

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import NO_UPDATE, decode_state_vector, varuint
from commonplace.core.yjs.update import Id, Pair, behind_update
from commonplace.errors import Unavailable

ROOT = "contents"
NOTHING_KNOWN = b"\0"

_AFTER, _BEFORE = b"\0", b"\x41"  # what a place sticks to, at the end of its encoding
_LOWEST = 0
_ASKED_MAX = 20  # more are sooner found by one look at a copy


class EngineFault(Unavailable):
    """The engine failed, or did something else than it was told; the replica is spoilt."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"The note could not be changed ({detail}); try once more.")


class Replica:
    """A text, and the client id under which this replica writes."""

    def __init__(self, client: int | None = None) -> None:
        self.client = client
        self._doc: Doc[Text] = Doc(client_id=client)
        self._root = self._doc.get(ROOT, type=Text)
        # The engine itself: every keystroke is applied, and its wrapper takes as long again.
        self._bare = self._doc._doc  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        self._heard: list[bytes] = []
        self._observed = False

    @property
    def text(self) -> str:
        """The text as it stands."""
        with FAULTS:
            return str(self._root)

    def update(self, since: bytes = NOTHING_KNOWN) -> bytes:
        """Tell all that a state vector lacks."""
        with FAULTS:
            transaction = self._bare.create_transaction()
            try:
                return self._bare.get_update(transaction, since)
            finally:
                transaction.drop()

    def follow(self, other: "Replica") -> None:
        """Catch up with another replica."""
        with FAULTS:
            self._doc.apply_update(other.update(self._doc.get_state()))

    def apply(self, updates: Sequence[bytes]) -> bytes:
        """Integrate updates in one transaction; answers the update that tells what changed.

        They must come in causal order.
        """
        if not updates:
            return b""
        self._observe()
        with FAULTS:
            transaction = self._bare.create_transaction()
            try:
                for update in updates:
                    self._bare.apply_update(transaction, update)
                transaction.commit()
            finally:
                transaction.drop()
        return self._told()

    def known(self) -> dict[int, int]:
        """Return how far each client's edits are known."""
        with FAULTS:
            state = self._doc.get_state()
            return decode_state_vector(state, clients_max=len(state))

    def expect(self, known: Mapping[int, int]) -> None:
        """Fault unless each client's edits are known exactly so far."""
        if self.known() != known:
            raise EngineFault("the clocks are not where they should be")

    def stand_in_order(self, pairs: Sequence[Pair]) -> bool:
        """Tell whether of each pair the first stands before the second, deleted or not."""
        if len(pairs) > _ASKED_MAX:
            return self._probe(pairs)
        unclear: list[Pair] = []
        for left, right in pairs:
            one, one_shown = self._place(left)
            other, other_shown = self._place(right)
            if one > other or (one == other and one_shown):
                return False
            if one == other and not other_shown:
                unclear.append((left, right))
        return not unclear or self._probe(unclear)

    def _place(self, id: Id) -> tuple[int, bool]:
        """Return how much text stands before something, and whether it is shown itself."""
        name = b"\0" + varuint(id[0]) + varuint(id[1])
        with FAULTS:
            transaction = self._bare.create_transaction()
            try:
                start = decode_sticky_index(name + _AFTER).get_offset(transaction)
                end = decode_sticky_index(name + _BEFORE).get_offset(transaction)
            finally:
                transaction.drop()
        return start, end > start

    def _probe(self, pairs: Sequence[Pair]) -> bool:
        """Look on a copy which of two deleted ones stands first.

        A client id below all others puts its items right behind their left neighbours.
        """
        copy = Replica()
        copy.follow(self)
        mark = "\0"
        while mark in copy.text:
            mark += "\0"
        ids = list(dict.fromkeys(chain(*pairs)))
        probes = {id: f"{mark}{n};" for n, id in enumerate(ids)}
        copy.apply([behind_update(_LOWEST, copy.known().get(_LOWEST, 0), probes)])
        found = re.findall(rf"{mark}(\d+);", copy.text)
        places = {ids[int(n)]: place for place, n in enumerate(found)}
        return all(places[left] < places[right] for left, right in pairs)

    def write(self, edits: Sequence[Edit], after: str) -> bytes:
        """Make edits that turn the text into `after`; answers the update that tells of them."""
        self._observe()
        with FAULTS, self._doc.transaction():
            for start, end, text in reversed(_in_bytes(str(self._root), edits)):
                # Deleted first, the new text would stand behind what is gone, beside whatever
                # somebody else has written there.
                if text:
                    self._root.insert(start, text)
                if end > start:
                    size = len(text.encode())
                    del self._root[start + size : end + size]
        if self.text != after:
            raise EngineFault("an edit gave another text than it should")
        return self._told()

    def _observe(self) -> None:
        """Hear of changes from now on, for as long as this replica lives."""
        self._heard.clear()
        if not self._observed:
            self._observed = True
            heard = self._heard  # the engine keeps what it calls: that must not know the replica
            subscription = self._bare.observe(lambda event: heard.append(event.update))
            finalize(self, subscription.drop).atexit = False

    def _told(self) -> bytes:
        """One transaction tells of its changes once; of none, not at all or in an empty update."""
        told = self._heard[0] if self._heard else b""
        return told if told != NO_UPDATE else b""


class NeighbourOrder:
    """Asks a replica for the order of neighbours once some updates more are applied.

    They are applied to a copy, which is made at the first question.
    """

    def __init__(self, replica: Replica, before: Sequence[bytes]) -> None:
        self._replica = replica
        self._before = before
        self._copy: Replica | None = None
        self._applied = 0

    def stands(self, updates: Sequence[bytes], pair: Pair) -> bool:
        """Tell whether a pair stands in order; each time there may be more updates."""
        if self._copy is None:
            self._copy = Replica()
            self._copy.follow(self._replica)
            self._copy.apply(self._before)
        self._copy.apply(updates[self._applied :])
        self._applied = len(updates)
        return self._copy.stand_in_order([pair])


def text_of(state: bytes) -> str:
    """Read the text that a state has."""
    replica = Replica()
    replica.apply([state])
    return replica.text


def merged(updates: Sequence[bytes]) -> bytes:
    """Join updates into one, whatever is missing between them."""
    with FAULTS:
        return merge_updates(*updates)


def _in_bytes(text: str, edits: Sequence[Edit]) -> list[tuple[int, int, str]]:
    converted: list[tuple[int, int, str]] = []
    at = offset = 0
    for edit in edits:
        start = offset + len(text[at : edit.start].encode())
        offset = start + len(text[edit.start : edit.end].encode())
        at = edit.end
        converted.append((start, offset, edit.text))
    return converted


class _EngineFaults:
    """Turns whatever the engine raises into an `EngineFault`."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: object, _: object) -> None:
        # a panic derives from BaseException, and its type cannot be imported
        if kind is not None and (
            issubclass(kind, RuntimeError | ValueError) or kind.__name__ == "PanicException"
        ):
            raise EngineFault(str(error)) from None


FAULTS = _EngineFaults()


def _check_offsets() -> None:
    text = Doc[Text]().get(ROOT, type=Text)
    text.insert(0, "😀")
    if len(text) != 4:
        raise ImportError("This pycrdt does not count text in UTF-8 bytes; install 0.14.10.")


_check_offsets()
