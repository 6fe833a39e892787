"""Suggestions that ended while nothing ran: decided by a person in the file, with no one to see it.

What waited when the vault was last open is in the index, which is told of the latest at the end;
if there was no such end, the rest is in the log (`unseen_suggestions`). It is compared with the
files: with each before anybody reads it, and with all once the index is current. Suggestions follow
a note that was moved meanwhile, and are gone with one that was deleted.
"""

from dataclasses import dataclass, field

import anyio
import anyio.to_thread

from commonplace.core.critic import rank
from commonplace.errors import NotFound, Unreadable
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Intents
from commonplace.vault.index.indexer import Indexer
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.index.reader import Index
from commonplace.vault.suggestions.ends.ends import Ends, TextOf
from commonplace.vault.suggestions.ends.unseen_suggestions import UnseenSuggestions

_WAIT_SECONDS_MAX = 5.0


@dataclass(slots=True)
class _Waited:
    """What waited in a note, as far as the index had seen it, and what it had not."""

    seen: list[PendingRow] = field(default_factory=list[PendingRow])
    unseen: list[PendingRow] = field(default_factory=list[PendingRow])


class Absence:
    """What waited when the vault was last open, as far as it was not compared yet."""

    def __init__(
        self,
        index: Index,
        indexer: Indexer,
        notes: LiveNotes,
        ends: Ends,
        marked_text: TextOf,
        unseen: UnseenSuggestions,
        intents: Intents,
    ) -> None:
        self._index = index
        self._indexer = indexer
        self._notes = notes
        self._ends = ends
        self._marked_text = marked_text
        self._unseen = unseen
        self._intents = intents
        self._waited: dict[str, _Waited] = {}
        self._comparing = anyio.Lock()
        self._anywhere_else: bool | None = None
        """Whether some of it is in notes that are not where they were."""

    async def remember(self) -> None:
        """Take over what the index and the log know, before the index learns what has changed."""
        for row in self._index.pending.of(list(self._index.pending.counts())):
            self._waited.setdefault(row[0], _Waited()).seen.append(row)
        for path, rows in (await self._unseen.left()).items():
            waited = self._waited.get(path, _Waited())
            known = {rank(row[1]) for row in waited.seen}
            if unseen := [row for row in rows if rank(row[1]) not in known]:
                self._waited.setdefault(path, waited).unseen += unseen

    def heard(self, change: NoteChange) -> None:
        """Hear from the index that a note came by a rename: what waited follows it."""
        if change.was in self._waited and change.path != change.was:
            waited = self._waited.pop(change.was)
            moved = _Waited(_at(change.path, waited.seen), _at(change.path, waited.unseen))
            self._waited.setdefault(change.path, moved)

    async def catch_up(self, path: str) -> None:
        """Put on record what ended in a note meanwhile.

        While a decision is carried out it has to wait: what that ends is on record at its end.
        """
        if not self._waited:
            return
        if path not in self._waited and await self._is_anywhere_else():
            with anyio.move_on_after(_WAIT_SECONDS_MAX):
                await self._follow()
        if path not in self._waited:
            return
        async with self._comparing:
            if (waited := self._waited.get(path)) is None:
                return
            await self._notes.moves.carry()  # a note that was moved gets no other id
            text = await self._marked_text(path)
            if not self._intents.is_idle:
                return
            ended = await self._ends.compare(path, waited.seen, waited.unseen, text)
            self._waited.pop(path, None)  # not before: another may wait for it
            if ended:
                # Whoever counts what waits asks the index.
                with anyio.move_on_after(_WAIT_SECONDS_MAX):
                    await self._indexer.settled()

    async def run(self) -> None:
        """Do so for all notes, wherever they are now."""
        await self._follow()
        self._anywhere_else = False
        await self._notes.ids.learn()
        for path in list(self._waited):
            try:
                while path in self._waited:
                    await self._intents.until_idle()
                    await self.catch_up(path)
            except NotFound:
                if (waited := self._waited.pop(path, None)) is not None:
                    await self._ends.lose(path, [*waited.seen, *waited.unseen])
            except Unreadable:
                continue
        await self._unseen.forget_left()

    async def leave(self) -> None:
        """Let the index know what waits, for the next time, once all files are written."""
        if paths := self._unseen.paths:
            with anyio.move_on_after(_WAIT_SECONDS_MAX):
                await self._indexer.follow(paths)

    async def _follow(self) -> None:
        """Wait until the index knows which notes were moved, and their documents do."""
        await self._indexer.settled()
        await self._notes.moves.carry()

    async def _is_anywhere_else(self) -> bool:
        if self._anywhere_else is None:
            paths = list(self._waited)
            there = await anyio.to_thread.run_sync(lambda: all(map(self._notes.exists, paths)))
            self._anywhere_else = not there
        return self._anywhere_else


def _at(path: str, rows: list[PendingRow]) -> list[PendingRow]:
    return [(path, *row[1:]) for row in rows]
