"""Suggestions that end, or change, by somebody's hand: in the text itself, or with its note.

Tools and decisions tell the ledger themselves. What people type and what other programs save is
seen here, from the index: what waited in a note before and waits no longer. A suggestion whose text
was changed goes on as the one that stands in its place now, with whoever changed it as an author.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Collection

import anyio

from commonplace.core import critic
from commonplace.core.critic import rank
from commonplace.errors import CommonplaceError
from commonplace.vault.documents.changes import Change
from commonplace.vault.documents.file.decided_by_hand import HandEnd
from commonplace.vault.documents.file.known_file import Save
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Intents
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.index.reader import Index
from commonplace.vault.suggestions.ends.end_record import (
    ANOTHER_PROGRAM,
    IN_THE_FILE,
    Ended,
    EndRecord,
)
from commonplace.vault.suggestions.ends.row_changes import compared, decided, pending_rows
from commonplace.vault.suggestions.ends.unseen_suggestions import UnseenSuggestions
from commonplace.vault.suggestions.ledger import Ledger

# An assistant's tool writes the ledger right after the text; only what is not there by then is
# ours. What people decide is there once its intent has ended, which is waited for.
LEDGER_LAG_SECONDS = 1.0
_BY_HAND = frozenset(("call", "typing", "file"))

TextOf = Callable[[str], Awaitable[str]]

logger = logging.getLogger(__name__)


class Ends:
    """Watches what waits in each note."""

    def __init__(
        self,
        index: Index,
        notes: LiveNotes,
        ledger: Ledger,
        marked_text: TextOf,
        unseen: UnseenSuggestions,
        intents: Intents,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._index = index
        self._marked_text = marked_text
        self._notes = notes
        self._ledger = ledger
        self._record = EndRecord(ledger, clock)
        self._clock = clock
        self._known: dict[str, list[PendingRow]] | None = None
        self._unseen = unseen
        self._intents = intents
        self._begun = 0.0
        self._ids: dict[str, str | None] = {}
        self._looked: dict[str, float] = {}
        self._changed: dict[str, NoteChange] = {}
        self._hands: dict[str, str] = {}
        self._by_hand: dict[str, dict[str, HandEnd]] = {}
        """How suggestions in a document ended in another program's saves, by rank."""
        self._woken = anyio.Event()
        self._one = anyio.Lock()
        notes.documents.follow(self._typed)
        notes.follow_saves(self._saved)

    def heard(self, change: NoteChange) -> None:
        """Hear from the index that a note came, changed or went."""
        self._changed[change.path] = change
        self._woken.set()

    def suggested(self, path: str, marked: str, ids: Collection[str]) -> Awaitable[None]:
        """Hear that an assistant has made suggestions: they may be gone before the index sees."""
        return self._unseen.add(path, pending_rows(path, marked, critic.some(marked, ids)))

    def follow(self, old: str, new: str) -> None:
        """Let what is known of a note that was renamed follow it."""
        self._unseen.follow(old, new)
        if self._known is not None and old in self._known:
            self._known[new] = self._known.pop(old)
            self._ids[new] = self._ids.pop(old, None)

    async def run(self, current: Callable[[], Awaitable[object]]) -> None:
        """Once the index is current, look at each note that changes, until cancelled."""
        await current()
        await self._notes.ids.learn()
        self.begin()
        while True:
            await self._woken.wait()
            self._woken = anyio.Event()
            await anyio.sleep(LEDGER_LAG_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Put on record what has ended in the notes that changed."""
        if self._known is None:
            return
        async with self._one:
            changed, self._changed = self._changed, {}
            for change in changed.values():
                self._follow_move(change)
            for path, change in changed.items():
                try:
                    await self._look_at(path, change)
                except CommonplaceError as error:
                    logger.warning("What ended in %s is not on record. %s", path, error)
            await self._unseen.forget_seen()

    def begin(self) -> None:
        """Take what waits now as what is known; whatever changes from here on is looked at."""
        self._changed.clear()
        self._begun = self._clock()
        self._known = {}
        for row in self._index.pending.of(list(self._index.pending.counts())):
            self._known.setdefault(row[0], []).append(row)
        self._ids = {path: self._notes.ids.known_id(path) for path in self._known}

    def _follow_move(self, change: NoteChange) -> None:
        was, path = change.was, change.path
        if change.kind == "gone" and (id := self._ids.get(path)) is not None:
            was, path = path, self._notes.ids.known_path(id) or path
        if was is not None and path != was and self._index.about(path) is not None:
            self.follow(was, path)

    def _typed(self, change: Change) -> None:
        """Remember who typed or saved last; those who decide tell the ledger themselves."""
        if change.cause in _BY_HAND:
            self._hands[change.id] = change.actor

    async def _saved(self, save: Save) -> None:
        if save.origin.ends:
            self._by_hand.setdefault(save.id, {}).update(save.origin.ends)

    async def _look_at(self, path: str, change: NoteChange) -> None:
        assert self._known is not None
        gone = change.kind == "gone"
        document = self._ids.get(path) or self._notes.ids.known_id(path)
        if document is not None and not gone and self._notes.is_live(path):
            # The index may have seen a save first, which is merged with what it had not seen.
            await self._notes.queue.catch_up(document)
            await self._notes.queue.flush(document)
        before, now = self._known.get(path, []), self._index.pending.of([path])
        if not self._intents.is_idle or (not gone and await self._is_ahead(path, before, now)):
            self._changed.setdefault(path, change)
            self._woken.set()
            return
        self._known.pop(path, None)
        self._ids.pop(path, None)
        since = self._looked.pop(path, self._begun) - 2 * LEDGER_LAG_SECONDS
        if now:
            self._known[path], self._looked[path] = now, self._clock()
            self._ids[path] = document
        by_hand = self._by_hand.pop(document or "", {})
        fresh = self._unseen.of(path).keys() - {rank(row[1]) for row in before}
        by_save, rest = decided(before, now, by_hand)
        # What an assistant has suggested since stands in no other's place.
        ended, carried = compared(rest, [row for row in now if rank(row[1]) not in fresh])
        ended += by_save
        passed = await self._passed(path, before, now, gone=gone)
        if not ended and not carried and not passed:
            return
        await self._ledger.load()
        if document is None:
            document = "" if gone else await self._notes.ids.id_of(path)
        who = _name(self._hands.pop(document, ""))
        ended += passed
        if gone:
            await self._record.add_gone(document, path, ended, since)
            return
        text = await self._marked_text(path) if ended else ""
        await self._record.add(document, Ended(path, ended, carried, since), who, text, by_hand)

    async def _is_ahead(self, path: str, before: list[PendingRow], now: list[PendingRow]) -> bool:
        """Tell whether the index misses a suggestion that stands in the text.

        It has seen a save that the document is yet to take in, or the half of one.
        """
        missed = {rank(row[1]) for row in before} - {rank(row[1]) for row in now}
        if not missed:
            return False
        return any(rank(id) in missed for id, _, _ in critic.places(await self._marked_text(path)))

    async def compare(
        self, path: str, before: list[PendingRow], unseen: list[PendingRow], marked: str
    ) -> bool:
        """Put on record what ended in a note while nobody looked; tell whether anything did.

        The index had seen what waited `before`, and had not what is `unseen`.
        """
        now = pending_rows(path, marked, critic.suggestions(marked))
        new, there = {rank(row[1]) for row in unseen}, {rank(row[1]) for row in now}
        missed = [row for row in unseen if rank(row[1]) not in there]
        # What is there and was not seen stands in no other's place.
        waited = sorted([*before, *missed], key=lambda row: row[3])
        ended, carried = compared(waited, [row for row in now if rank(row[1]) not in new])
        if not ended and not carried:
            return False
        document = await self._notes.ids.id_of(path)
        since = await self._record.since(document, waited)
        await self._record.add(document, Ended(path, ended, carried, since), IN_THE_FILE, marked)
        return True

    async def lose(self, path: str, before: list[PendingRow]) -> None:
        """Put on record that suggestions are gone with their note, while nobody looked."""
        document = self._notes.ids.known_id(path) or ""
        since = await self._record.since(document, before)
        await self._record.add_gone(document, path, before, since)

    async def _passed(
        self, path: str, before: list[PendingRow], now: list[PendingRow], *, gone: bool
    ) -> list[PendingRow]:
        """Return the suggestions that came and went between two looks."""
        there = {rank(row[1]) for row in (*before, *now)}
        passing = {id: row for id, row in self._unseen.of(path).items() if id not in there}
        if not passing or gone:
            self._unseen.put(path, {})
            return list(passing.values())
        waiting = {rank(id) for id, _, _ in critic.places(await self._marked_text(path))}
        late = {id: row for id, row in passing.items() if id in waiting}
        self._unseen.put(path, late)  # the index has yet to see them
        return [row for id, row in passing.items() if id not in waiting]


def _name(actor: str) -> str:
    """Name whoever changed a note last, as far as that is known."""
    kind, _, name = actor.partition(":")
    if kind in ("", "file", "assistant"):
        # Tools tell the ledger themselves: the index saw a save before the document took it in.
        return IN_THE_FILE
    if kind != "person":
        return name or ANOTHER_PROGRAM
    return "a person" if name.isdigit() else name
