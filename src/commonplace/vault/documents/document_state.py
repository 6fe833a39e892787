"""The state of a live document: what is known of it, and the replica that holds it all.

Every change passes the gate (`core.yjs.gate`), so the engine sees updates in causal order alone
and readers hear of complete changes alone. A document that the engine choked on is broken: it says
so until its owner (`documents`) loads it again from the log.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from commonplace.core.yjs.encoding import (
    NO_UPDATE,
    HostileUpdate,
    LargeUpdate,
    decode_state_vector,
    encode_state_vector,
)
from commonplace.core.yjs.gate import Gate, OrderQuestion
from commonplace.core.yjs.policy import LOGGED, PLAIN_TEXT, Policy
from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import Item, Scanned
from commonplace.errors import Unavailable
from commonplace.vault.documents.authors import Authors
from commonplace.vault.documents.changes import ChangeListener
from commonplace.vault.documents.engine.replica import EngineFault, NeighbourOrder, Replica, merged
from commonplace.vault.log.log import Author

# What is applied at once must not hold up everybody else; decision 16 says what else is done.
STEPS_MAX = 300_000
STRUCTS_MAX = 1_000
_LOGGED_SMALL = replace(LOGGED, bounds=replace(LOGGED.bounds, structs_max=STRUCTS_MAX))
_UNREADABLE = "The note's log cannot be replayed; run `commonplace doctor`."


class DocumentState:
    """What a document knows: all updates that it was made by."""

    def __init__(
        self,
        id: str,
        *,
        policy: Policy = PLAIN_TEXT,
        draw_client: Callable[[], int] = lambda: secrets.randbits(53),
    ) -> None:
        self.id = id
        self._policy = policy
        bounds = replace(policy.bounds, structs_max=STRUCTS_MAX, clients_max=STRUCTS_MAX)
        self._at_once = replace(policy, bounds=bounds)
        self._draw_client = draw_client
        self.listeners: list[ChangeListener] = []
        self.load(())

    def load(
        self, updates: Iterable[bytes], authors: Iterable[Author] = (), *, tried: bool = True
    ) -> None:
        """Become what the log says, whatever was here before.

        What was not `tried` must be small, else it is a `LargeUpdate`.
        """
        self.broken = False
        self._gate = Gate()
        self._authors = Authors(self._draw_client, authors)
        self._replica = self._fresh()
        self._mirror: Replica | None = None
        self._runs: dict[int, Item] = {}
        self._text: str | None = None
        self._size = 0
        try:
            self._replay(updates, tried=tried)
        except LargeUpdate:
            self.spoil()
            raise
        except (EngineFault, HostileUpdate):
            self.spoil()
            raise Unavailable(_UNREADABLE) from None

    @property
    def text(self) -> str:
        """The text as it stands."""
        if self._text is None:
            self._refuse_broken()
            self._text = self._replica.text
        return self._text

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes."""
        return 8192 + 4 * self._size * (2 if self._mirror else 1)

    @property
    def authors(self) -> dict[int, str]:
        """Which actor wrote under each client id."""
        return self._authors.actors()

    @property
    def known(self) -> Mapping[int, int]:
        """How far each client's edits are known."""
        return self._gate.known

    def state_vector(self) -> bytes:
        """Tell how far each client's edits are known here."""
        self._refuse_broken()
        return encode_state_vector(self._gate.known)

    def update_since(self, state_vector: bytes) -> bytes:
        """Tell another side what it lacks."""
        self._refuse_broken()
        known = self._gate.aligned(decode_state_vector(state_vector))
        return self._replica.update(encode_state_vector(known))

    def state(self) -> bytes:
        """Tell all that is part of the text or of its past, as one update."""
        self._refuse_broken()
        return self._replica.update()

    def full_update(self) -> bytes:
        """Tell the state and what still waits for missing edits, as one update."""
        held = self._gate.held()
        return merged([self.state(), *held]) if held else self.state()

    def digest(self) -> bytes:
        """Tell one content, and what is known, from another."""
        known = encode_state_vector(dict(sorted(self.known.items())))
        return hashlib.sha256(known + self._content()).digest()

    def recount(self, fewer: int) -> None:
        """Count fewer items: the engine has joined those that follow on one another."""
        self._gate.items -= fewer

    def _content(self) -> bytes:
        return self.text.encode(errors="surrogatepass")

    @property
    def policy(self) -> Policy:
        """What it takes."""
        return self._policy

    @property
    def items(self) -> int:
        """How many parts its history has at most."""
        return self._gate.items

    @property
    def large(self) -> bool:
        """Whether to replay it may take long."""
        return self._gate.items**2 > STEPS_MAX

    def spoil(self) -> None:
        """Give up what is in memory: it must be loaded again before it can be used."""
        self.broken = True
        self._text = self._mirror = None
        self._replica = self._fresh()

    def _fresh(self) -> Replica:
        return Replica()

    def _replay(self, updates: Iterable[bytes], *, tried: bool) -> None:
        ready: list[bytes] = []
        for update in updates:
            ready += self._admit(update, tried=tried, before=ready)[1]
        self._replica.apply(ready)
        self._replica.expect(self._gate.known)

    def _admit(
        self, update: bytes, *, tried: bool, before: Sequence[bytes] = ()
    ) -> tuple[Scanned, list[bytes]]:
        """Let an update of the log in; tells what it holds, and what can be applied now.

        Those `before` it are about to be applied.
        """
        scanned = scan(update, policy=LOGGED if tried else _LOGGED_SMALL)
        self._size += len(update)
        if not tried and self._gate.steps(scanned) > STEPS_MAX:
            raise LargeUpdate("The history may take long.")
        return scanned, self._gate.admit(update, scanned, self._order(before)).ready

    def _order(self, before: Sequence[bytes] = ()) -> OrderQuestion | None:
        """Return how to ask for the order of neighbours, if it matters here."""
        return NeighbourOrder(self._replica, before).stands if self._policy.text else None

    def _take(self, update: bytes, scanned: Scanned) -> tuple[bytes, bytes]:
        """Let an update in, as far as it is ready; tells what is heard of it, and what is kept."""
        try:
            admitted = self._gate.admit(update, scanned, self._order())
            heard = self._replica.apply(admitted.ready)
            _expect(scanned if heard == update else _read(heard), admitted.moved)
        except EngineFault:
            self.spoil()
            raise
        self._text = None if heard else self._text
        record = update if admitted.kept else heard
        self._size += len(record)
        return heard, record

    def _refuse_broken(self) -> None:
        if self.broken:
            raise Unavailable("The note is being loaded again; try once more.")


def _read(heard: bytes) -> Scanned:
    """Read what the engine tells of a change: an update that cannot be read must not be kept."""
    try:
        return scan(heard or NO_UPDATE, policy=LOGGED)
    except HostileUpdate:
        raise EngineFault("an update of the engine cannot be read") from None


def _expect(told: Scanned, moved: Mapping[int, int]) -> None:
    if {client: spans[-1][1] for client, spans in told.spans.items()} != moved:
        raise EngineFault("not all that was ready was integrated")
