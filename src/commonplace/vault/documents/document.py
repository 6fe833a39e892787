"""One live document: a text that people, programs and assistants edit at once.

The server's own edits are made on a scratch copy under the client id of their actor, and only the
finished delta touches the document: a plan that fails leaves no trace, and every character has an
author. What others send is refused before it touches anything.

Nothing here awaits, and nothing is thread safe.
"""

import hashlib
from collections.abc import Mapping, Sequence

from commonplace.core.text.edits import Edit, apply, diff
from commonplace.core.yjs.encoding import HostileUpdate, LargeUpdate
from commonplace.core.yjs.order import pairs_to_ask, refuse_order, since
from commonplace.core.yjs.policy import LOGGED
from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import Id, Pair, Scanned, first_update
from commonplace.errors import Unavailable
from commonplace.vault.documents.changes import (
    ChangeListener,
    Edited,
    Ingested,
    Plan,
    Taken,
    refuse_unwritable,
    too_long,
)
from commonplace.vault.documents.document_state import STEPS_MAX, DocumentState
from commonplace.vault.documents.engine.replica import ROOT, EngineFault, Replica
from commonplace.vault.files.reader import NOTE_BYTES_MAX
from commonplace.vault.log.log import Author

_MIRROR_MIN = 16 * 1024


class Document(DocumentState):
    """A text that many edit at once."""

    def edit(self, plan: Plan, actor: str) -> Edited:
        """Change the text by a plain function from the text to edits, all or nothing."""
        before = self.text
        edits = list(plan(before))
        after = apply(before, edits)
        refuse_unwritable(edits, after)
        if after == before:
            return Edited(b"", b"", (), before, edits, before)
        author = self._authors.own(actor, self._gate.known)
        mirror = self._mirror_of(author.client)
        taken = self._take_own(mirror.write(edits, after), author)
        self._mirror = mirror if self._size > _MIRROR_MIN else None
        if self.text != after:
            self.spoil()
            raise EngineFault("an edit gave another text than it should")
        return Edited(taken.update, taken.record, taken.authors, before, edits, after)

    def ingest(
        self, base: bytes, text: str, actor: str, edits: Sequence[Edit] | None = None
    ) -> Ingested:
        """Merge what changed between a base state and a text that was made from it.

        By which edits it was made is worked out where nobody says it.
        """
        self._refuse_broken()
        author = self._authors.own(actor, self._gate.known)
        scratch = _copy(base, author.client)
        if self._gate.known.get(author.client, 0) > scratch.known().get(author.client, 0):
            # the base does not know all that was written under this id: its clocks would be
            # used twice, for different text
            author = Author(_client_from(self.id, base, text), actor, ours=False)
            scratch = _copy(base, author.client)
        edits = diff(scratch.text, text) if edits is None else edits
        refuse_unwritable(edits, text)
        if not edits:
            return Ingested(b"", b"", (), self.text, base)
        taken = self._take_own(scratch.write(edits, text), author)
        return Ingested(taken.update, taken.record, taken.authors, self.text, scratch.update())

    def apply(self, update: bytes, actor: str, *, tried: bool = False) -> Taken:
        """Take in an update from outside; what is not ready yet is kept until it is.

        What was not `tried` before must be small, else it is a `LargeUpdate`.
        """
        self._refuse_broken()
        scanned = self._gate.check(update, self._policy if tried else self._at_once)
        if not tried and self._gate.steps(scanned) > STEPS_MAX:
            raise LargeUpdate("The update may take long.")
        if not tried and self._policy.text:
            self._refuse_disorder(scanned)
        self._refuse_growth(scanned, len(update))
        self._refuse_forgery(scanned)
        known = self._gate.known
        # of what waits, another one may have come before under the same clocks
        whole = bool(scanned.items) and scanned.ready(known)
        last = since(scanned.items[-1], known) if whole else None
        try:
            heard, record = self._take(update, scanned)
        except EngineFault:
            raise HostileUpdate("The update could not be applied to the note.") from None
        if last is not None:
            self._runs[last.client] = last
        return Taken(heard, record, self._authors.meet(scanned.spans, actor) if record else ())

    def expect_order(self, pairs: Sequence[Pair]) -> None:
        """Refuse an update unless of each pair the first stands before the second."""
        if pairs and not self._replica.stand_in_order(pairs):
            refuse_order()

    def observe(self, listener: ChangeListener) -> None:
        """Hear of each change once it is saved."""
        self.listeners.append(listener)

    def unobserve(self, listener: ChangeListener) -> None:
        """Hear no more."""
        self.listeners.remove(listener)

    def snapshot(self) -> bytes | None:
        """Make a full update, or nothing if it would not load as the same document."""
        update = self.full_update()
        copy = Document(self.id)
        try:
            copy.load([update])
        except Unavailable:
            return None
        if copy.text != self.text or copy.known != self.known:
            return None
        self.recount(self.items - copy.items)
        return update

    def _take_own(self, delta: bytes, author: Author) -> Taken:
        heard, record = self._take(delta, scan(delta, policy=LOGGED))
        return Taken(heard, record, self._authors.register((author,) if record else ()))

    def _mirror_of(self, client: int) -> Replica:
        """Make a scratch copy; that of a large document is kept for its actor's next edit."""
        mirror, self._mirror = self._mirror, None
        if mirror is None or mirror.client != client:
            mirror = Replica(client)
        mirror.follow(self._replica)
        return mirror

    def _refuse_disorder(self, scanned: Scanned) -> None:
        """Refuse items that Yjs would put elsewhere than the engine does.

        Those whose neighbours have not arrived wait at the gate, which asks when they have.
        """
        known = self._gate.known
        try:
            pairs = pairs_to_ask(scanned.items, known, self._runs)
        except LargeUpdate:
            if scanned.ready(known):
                raise
            return
        self.expect_order([pair for pair in pairs if all(_is_known(id, known) for id in pair)])

    def _refuse_growth(self, scanned: Scanned, size: int) -> None:
        if self._size + size <= NOTE_BYTES_MAX:
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


def _is_known(id: Id, known: Mapping[int, int]) -> bool:
    return id[1] < known.get(id[0], 0)


def _copy(state: bytes, client: int) -> Replica:
    replica = Replica(client)
    replica.apply([state])
    return replica


def _client_from(id: str, base: bytes, text: str) -> int:
    digest = hashlib.sha256(b"\0".join((id.encode(), base, text.encode()))).digest()
    return int.from_bytes(digest[:7]) >> 3
