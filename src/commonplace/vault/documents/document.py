"""One live document: a text that people, programs and assistants edit at once.

Every change passes the gate (`core.yjs_gate`), so the engine sees updates in causal order alone
and readers hear of complete changes alone. The server's own edits are made on a scratch copy under
the client id of their actor, and only the finished delta touches the document: a plan that fails
leaves no trace, and every character has an author.

A document that the engine choked on is broken: it says so until its owner (`vault.live`) loads it
again from the log. Nothing here awaits, and nothing is thread safe.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping

from commonplace.core.edits import Edit, apply, diff
from commonplace.core.yjs import (
    NO_UPDATE,
    HostileUpdate,
    decode_state_vector,
    encode_state_vector,
)
from commonplace.core.yjs_gate import Gate
from commonplace.core.yjs_scan import scan
from commonplace.core.yjs_update import LOGGED, PLAIN_TEXT, Policy, Scanned, first_update
from commonplace.errors import Unavailable
from commonplace.vault.authors import Authors
from commonplace.vault.changes import (
    TEXT_MAX,
    Change,
    Edited,
    Ingested,
    Listener,
    Plan,
    Taken,
    refuse_unwritable,
    too_long,
)
from commonplace.vault.engine import ROOT, EngineFault, Replica, merged
from commonplace.vault.log import Author

__all__ = [
    "Change",
    "Document",
    "Edited",
    "Ingested",
    "Listener",
    "Plan",
    "Taken",
    "imported",
]

_MIRROR_MIN = 16 * 1024
_UNREADABLE = "The note's log cannot be replayed; run `commonplace doctor`."


class Document:
    """A text that many edit at once."""

    def __init__(
        self,
        id: str,
        *,
        policy: Policy = PLAIN_TEXT,
        draw_client: Callable[[], int] = lambda: secrets.randbits(53),
    ) -> None:
        self.id = id
        self._policy = policy
        self._draw_client = draw_client
        self.listeners: list[Listener] = []
        self.load(())

    def load(self, updates: Iterable[bytes], authors: Iterable[Author] = ()) -> None:
        """Become what the log says, whatever was here before."""
        self.broken = False
        self._gate = Gate()
        self._authors = Authors(self._draw_client, authors)
        self._replica = self._fresh()
        self._mirror: Replica | None = None
        self._text: str | None = None
        self._size = 0
        try:
            self._replay(updates)
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

    def edit(self, plan: Plan, actor: str) -> Edited:
        """Change the text by a plain function from the text to edits, all or nothing."""
        before = self.text
        edits = list(plan(before))
        after = apply(before, edits)
        refuse_unwritable(edits, after)
        if after == before:
            return Edited(b"", b"", (), before)
        author = self._authors.own(actor, self._gate.known)
        mirror = self._mirror_of(author.client)
        taken = self._take_own(mirror.write(edits, after), author)
        self._mirror = mirror if self._size > _MIRROR_MIN else None
        if self.text != after:
            self.spoil()
            raise EngineFault("an edit gave another text than it should")
        return Edited(taken.update, taken.record, taken.authors, after)

    def ingest(self, base: bytes, text: str, actor: str) -> Ingested:
        """Merge what changed between a base state and a text that was made from it."""
        self._refuse_broken()
        author = self._authors.own(actor, self._gate.known)
        if self._gate.known.get(author.client, 0) > _reach(base, author.client):
            # the base does not know all that was written under this id: its clocks would be
            # used twice, for different text
            author = Author(_client_from(self.id, base, text), actor, ours=False)
        scratch = Replica(author.client)
        scratch.apply([base])
        edits = diff(scratch.text, text)
        refuse_unwritable(edits, text)
        if not edits:
            return Ingested(b"", b"", (), self.text, base)
        taken = self._take_own(scratch.write(edits, text), author)
        return Ingested(taken.update, taken.record, taken.authors, self.text, scratch.update())

    def apply(self, update: bytes, actor: str) -> Taken:
        """Take in an update from outside; what is not ready yet is kept until it is."""
        self._refuse_broken()
        scanned = self._gate.check(update, self._policy)
        self._refuse_growth(scanned, len(update))
        self._refuse_forgery(scanned)
        try:
            heard, record = self._take(update, scanned)
        except EngineFault:
            raise HostileUpdate("The update could not be applied to the note.") from None
        return Taken(heard, record, self._authors.meet(scanned.spans, actor) if record else ())

    def observe(self, listener: Listener) -> None:
        """Hear of each change once it is saved."""
        self.listeners.append(listener)

    def unobserve(self, listener: Listener) -> None:
        """Hear no more."""
        self.listeners.remove(listener)

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

    def snapshot(self) -> bytes | None:
        """Make a full update, or nothing if it would not load as the same document."""
        update = self.full_update()
        copy = Document(self.id)
        try:
            copy.load([update])
        except Unavailable:
            return None
        return update if copy.text == self.text and copy.known == self.known else None

    def spoil(self) -> None:
        """Give up what is in memory: it must be loaded again before it can be used."""
        self.broken = True
        self._text = self._mirror = None
        self._replica = self._fresh()

    def _fresh(self) -> Replica:
        return Replica()

    def _replay(self, updates: Iterable[bytes]) -> None:
        ready: list[bytes] = []
        for update in updates:
            self._size += len(update)
            ready += self._gate.admit(update, scan(update, policy=LOGGED)).ready
        self._replica.apply(ready)
        self._replica.expect(self._gate.known)

    def _take_own(self, delta: bytes, author: Author) -> Taken:
        heard, record = self._take(delta, scan(delta, policy=LOGGED))
        return Taken(heard, record, self._authors.register((author,) if record else ()))

    def _take(self, update: bytes, scanned: Scanned) -> tuple[bytes, bytes]:
        """Let an update in, as far as it is ready; tells what is heard of it, and what is kept."""
        admitted = self._gate.admit(update, scanned)
        try:
            heard = self._replica.apply(admitted.ready)
            _expect(scanned if heard == update else _read(heard), admitted.moved)
        except EngineFault:
            self.spoil()
            raise
        self._text = None if heard else self._text
        record = update if admitted.kept else heard
        self._size += len(record)
        return heard, record

    def _mirror_of(self, client: int) -> Replica:
        """Make a scratch copy; that of a large document is kept for its actor's next edit."""
        mirror, self._mirror = self._mirror, None
        if mirror is None or mirror.client != client:
            mirror = Replica(client)
        mirror.follow(self._replica)
        return mirror

    def _refuse_broken(self) -> None:
        if self.broken:
            raise Unavailable("The note is being loaded again; try once more.")

    def _refuse_growth(self, scanned: Scanned, size: int) -> None:
        if self._size + size <= TEXT_MAX:
            return  # a text is never longer than the updates that made it
        known = self._gate.known
        fresh = sum(scanned.reach(client, known) - known.get(client, 0) for client in scanned.spans)
        if too_long(self.text, min(3 * fresh, size)):
            raise HostileUpdate("The update makes the note too long.")

    def _refuse_forgery(self, scanned: Scanned) -> None:
        """Refuse edits under a client id of ours that follow on others we never made.

        They would wait here until our own next edit takes the clocks between, and then stand for
        another text than ours at every client that heard of them.
        """
        if self._authors.are_ours(scanned.spans) and not scanned.ready(self._gate.known):
            raise HostileUpdate("The update holds edits of the server's that it never made.")


def imported(id: str, text: str, actor: str) -> Taken:
    """Begin a document with a text: the same note always begins with the same update."""
    if not text:
        return Taken(b"", b"", ())
    refuse_unwritable([Edit(0, 0, text)], text)
    client = _client_from(id, b"", text)
    update = first_update(client, ROOT, text)
    return Taken(update, update, (Author(client, actor, ours=False),))


def _read(heard: bytes) -> Scanned:
    """Read what the engine tells of a change: an update that cannot be read must not be kept."""
    try:
        return scan(heard or NO_UPDATE, policy=LOGGED)
    except HostileUpdate:
        raise EngineFault("an update of the engine cannot be read") from None


def _expect(told: Scanned, moved: Mapping[int, int]) -> None:
    if {client: spans[-1][1] for client, spans in told.spans.items()} != moved:
        raise EngineFault("not all that was ready was integrated")


def _reach(state: bytes, client: int) -> int:
    return scan(state, policy=LOGGED).reach(client, {})


def _client_from(id: str, base: bytes, text: str) -> int:
    digest = hashlib.sha256(b"\0".join((id.encode(), base, text.encode()))).digest()
    return int.from_bytes(digest[:7]) >> 3
