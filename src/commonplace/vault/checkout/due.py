"""The notes of a working copy that are to be brought together: several at once, each by itself.

A save that is in doubt is waited for, up to a second; it keeps no other note waiting.
"""

import asyncio
from collections.abc import Callable, Iterable
from itertools import islice

from commonplace.vault.checkout.moves import Moves
from commonplace.vault.checkout.sync import NoteSync
from commonplace.vault.supervisor import tell_failure

_AT_ONCE_MAX = 16


class DueNotes:
    """Files that may have changed on either side; `begin` hears which is looked at now."""

    def __init__(self, sync: NoteSync, moves: Moves, begin: Callable[[str], object]) -> None:
        self._sync, self._moves, self._begin = sync, moves, begin
        self._due: set[str] = set()
        self._ready: dict[str, None] = {}
        self._busy: dict[asyncio.Task[None], set[str]] = {}
        self._turn = asyncio.Lock()
        self.news = asyncio.Event()

    def add(self, paths: Iterable[str]) -> None:
        """Say that files may have changed."""
        self._due.update(paths)
        if self._due:
            self.news.set()

    async def bring_together(self) -> None:
        """Bring all of them together, and whatever comes meanwhile."""
        async with self._turn:
            while self._due or self._ready or self._busy:
                self.news.clear()
                await self._look()
                self._start()
                if self._busy:  # one is done, or another is due
                    await self.news.wait()
            self.news.clear()

    async def close(self) -> None:
        """End what is at work."""
        tasks = list(self._busy)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self) -> None:
        """Find out which files have another name now, before anything is made of them."""
        taken = self._taken()
        paths = {path for path in self._due if taken.isdisjoint(self._names(path))}
        if not paths:
            return
        moved: dict[str, str] = {}
        try:
            moved = await self._moves.find(paths, taken)
        except Exception as error:  # noqa: BLE001 (then they are new notes and deletions)
            tell_failure("Renames in a working copy could not be looked for.", error)
        self._due -= paths
        for new, old in moved.items():
            await self._sync.move(old, new)
            paths.discard(old)
            paths.add(new)
        self._ready |= dict.fromkeys(paths)

    def _start(self) -> None:
        taken = self._taken()
        for path in list(islice(self._ready, 2 * _AT_ONCE_MAX)):
            names = self._names(path)
            if len(self._busy) < _AT_ONCE_MAX and taken.isdisjoint(names):
                del self._ready[path]
                task = asyncio.create_task(self._bring(path))
                self._busy[task] = names
                taken |= names
                task.add_done_callback(self._end)

    async def _bring(self, path: str) -> None:
        self._begin(path)
        try:
            await self._sync.sync(path)
        except Exception as error:  # noqa: BLE001 (one note fails alone)
            tell_failure("A note of a working copy could not be brought up to date.", error)

    def _end(self, task: asyncio.Task[None]) -> None:
        del self._busy[task]
        self.news.set()

    def _taken(self) -> set[str]:
        return set[str]().union(*self._busy.values())

    def _names(self, path: str) -> set[str]:
        """Return all names of a file: its own, that of its note, and the note's file."""
        return {path, self._sync.file_of(path), self._sync.note_of(path)}
