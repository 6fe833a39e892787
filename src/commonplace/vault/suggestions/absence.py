"""Suggestions that ended while nothing ran: decided by a person in the file, with no one to see it.

What waited when the vault was last open is in the index, which is told of the latest at the end,
until it is brought up to date. It is compared with the files: with each before anybody reads it,
and with all once the index is current.
"""

import anyio

from commonplace.errors import NotFound, Unreadable
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.index.indexer import Indexer
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.index.reader import Index
from commonplace.vault.suggestions.ends import Ends, TextOf

_WAIT_SECONDS_MAX = 5.0


class Absence:
    """What waited when the vault was last open, as far as it was not compared yet."""

    def __init__(
        self, index: Index, indexer: Indexer, notes: LiveNotes, ends: Ends, marked_text: TextOf
    ) -> None:
        self._index = index
        self._indexer = indexer
        self._notes = notes
        self._ends = ends
        self._marked_text = marked_text
        self._waited: dict[str, list[PendingRow]] = {}
        self._comparing = anyio.Lock()

    def remember(self) -> None:
        """Take over what the index knows, before it learns what has changed."""
        for row in self._index.pending.of(list(self._index.pending.counts())):
            self._waited.setdefault(row[0], []).append(row)

    async def catch_up(self, path: str) -> None:
        """Put on record what ended in a note meanwhile."""
        if path not in self._waited:
            return
        async with self._comparing:
            if (before := self._waited.get(path)) is None:
                return
            ended = await self._ends.compare(path, before, await self._marked_text(path))
            self._waited.pop(path)  # not before: another may wait for it
            if ended:
                # Whoever counts what waits asks the index.
                with anyio.move_on_after(_WAIT_SECONDS_MAX):
                    await self._indexer.settled()

    async def run(self) -> None:
        """Do so for all notes that are still where they were."""
        await self._indexer.settled()
        await self._notes.ids.learn()
        for path in list(self._waited):
            try:
                await self.catch_up(path)
            except (NotFound, Unreadable):
                continue

    async def leave(self) -> None:
        """Let the index know what waits, for the next time, once all files are written."""
        if fresh := self._ends.fresh:
            with anyio.move_on_after(_WAIT_SECONDS_MAX):
                await self._indexer.follow(fresh)
