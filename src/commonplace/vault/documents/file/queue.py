"""When files and index follow live texts: within a moment of the last edit, at once if asked.

What fails is tried again until it works: the edits are in the log, the file follows when it can.
"""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import inf
from typing import Protocol

import anyio

from commonplace.vault.documents.changes import Change
from commonplace.vault.documents.documents import Documents
from commonplace.vault.documents.file.stable_read import Unsettled
from commonplace.vault.documents.file.sync import FilePeer, PathOf
from commonplace.vault.documents.folder_document import is_folder
from commonplace.vault.supervisor import tell_failure

# The file follows so long after the last edit, and at the latest so long after the first.
TYPING_PAUSE_SECONDS = 0.3
FLUSH_SECONDS_MAX = 0.8
# A write or a decision is answered when the file has it; so long is waited for it.
FOLLOW_SECONDS_MAX = 2.0
# More files written at once, when very many are behind, would keep everybody's edits waiting.
FLUSHES_MAX = 12
_RETRY_SECONDS = (1.0, 2.0, 5.0, 10.0, 30.0)
_FAILING_MIN = 2


class FollowingIndex(Protocol):
    """What is asked of the index."""

    @property
    def busy(self) -> bool:
        """Whether a whole build is under way, which will find every file as it is."""
        ...

    @property
    def unfinished(self) -> tuple[int, int] | None:
        """How many notes of how many are read, while a first build is under way."""
        ...

    async def update(self, paths: Collection[str]) -> None:
        """Look at these notes again."""
        ...


@dataclass(slots=True)
class _Behind:
    """A document whose file is behind: since when, when it is due, how often it failed.

    One that is `wanted` now is due now, whoever goes on typing.
    """

    first: float
    due: float
    failures: int = 0
    wanted: bool = False


class FileQueue:
    """The documents whose files are behind, each written when it is due."""

    def __init__(
        self,
        documents: Documents,
        peer: FilePeer,
        path_of: PathOf,
        index: FollowingIndex,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._documents = documents
        self._peer = peer
        self._path_of = path_of
        self._index = index
        self._clock = clock
        self._behind: dict[str, _Behind] = {}
        self._writing: dict[str, anyio.Event] = {}
        # Who waits for a file: until a write that is yet to begin has ended, or the present one.
        self._waiting: dict[str, list[anyio.Event]] = {}
        self._present: dict[str, list[anyio.Event]] = {}
        self._running = False
        self._woken = anyio.Event()
        self._wakes_at = inf
        self._turns = anyio.Semaphore(FLUSHES_MAX)
        documents.follow(self._changed)

    def __contains__(self, id: str) -> bool:
        return id in self._behind

    def is_behind(self, id: str) -> bool:
        """Tell whether a document's file is yet to be written, or is being written."""
        return id in self._behind or id in self._writing

    def ids(self) -> list[str]:
        """Return the documents whose files are behind."""
        return list(self._behind)

    @property
    def failing(self) -> int:
        """How many files could not be written, again and again."""
        return sum(each.failures >= _FAILING_MIN for each in self._behind.values())

    async def run(self) -> None:
        """Write files when they are due, until cancelled."""
        self._running = True
        while True:
            now = self._clock()
            async with anyio.create_task_group() as tasks:
                for id in [id for id, each in self._behind.items() if each.due <= now]:
                    tasks.start_soon(self.flush, id)
            self._wakes_at = min((each.due for each in self._behind.values()), default=inf)
            with anyio.move_on_after(max(0.0, self._wakes_at - self._clock())):
                await self._woken.wait()
            self._woken = anyio.Event()

    async def catch_up(self, id: str) -> None:
        """Take in what other programs saved; what one is in the middle of, a moment later."""
        try:
            if await self._peer.take_in(self._documents, id):
                self._put_behind(id)  # a save that changed nothing may lack what came before it
        except Unsettled as error:
            self._try_again(id, self._behind.get(id) or _Behind(0.0, 0.0), error)

    async def recover(self, ids: Collection[str]) -> None:
        """Finish what a crash cut short."""
        for id in ids:
            try:
                await self._peer.recover(self._documents, id)
            except Unsettled as error:
                self._try_again(id, _Behind(0.0, 0.0), error)
            except Exception as error:  # noqa: BLE001 (told; the other notes are mended)
                tell_failure("A note could not be mended after a crash.", error)

    async def catch_up_index(self) -> None:
        """Let the index follow what was typed a moment ago, unless it is being built."""
        if (self._behind or self._writing) and self._index.unfinished is None:
            await self.flush_all()

    async def flush_all(self) -> None:
        """Let files and index follow every live text now."""
        async with anyio.create_task_group() as tasks:
            for id in {*self._behind, *self._writing}:
                tasks.start_soon(self.flush, id)

    async def flush(self, id: str) -> None:
        """Let file and index follow a live text; one that is under way is waited for."""
        async with self._turns:
            while (under_way := self._writing.get(id)) is not None:
                await under_way.wait()
            behind = self._behind.pop(id, None)
            if behind is None:
                return
            self._writing[id] = done = anyio.Event()
            try:
                await self._write(id, behind)
            finally:
                del self._writing[id]
                done.set()

    async def late(self, ids: Collection[str]) -> list[str]:
        """Let files follow at once; return the documents whose files could not in a moment."""
        if not self._running:
            for id in ids:
                await self.flush(id)
            return [id for id in ids if id in self._behind]
        waiting = {id: event for id in ids if (event := self._followed(id)) is not None}
        with anyio.move_on_after(FOLLOW_SECONDS_MAX):
            for event in waiting.values():
                await event.wait()
        return [id for id, event in waiting.items() if not event.is_set()]

    def _followed(self, id: str) -> anyio.Event | None:
        """Return what tells that a file has all that is in its document now; None if it has."""
        event = anyio.Event()
        if id in self._behind:
            self.hurry(id)
            self._waiting.setdefault(id, []).append(event)
        elif id in self._present:
            self._present[id].append(event)
        else:
            return None
        return event

    def hurry(self, id: str) -> None:
        """Let a file that is behind be due now."""
        behind = self._behind[id]
        behind.due, behind.wanted = self._clock(), True
        self._wake_by(behind.due)

    def _changed(self, change: Change) -> None:
        if is_folder(change.id):
            return  # it has no file
        self._put_behind(change.id)

    def _put_behind(self, id: str) -> None:
        now = self._clock()
        behind = self._behind.setdefault(id, _Behind(now, now))
        if not behind.wanted:
            behind.due = min(now + TYPING_PAUSE_SECONDS, behind.first + FLUSH_SECONDS_MAX)
        self._wake_by(behind.due)

    def _wake_by(self, due: float) -> None:
        if due < self._wakes_at:
            self._wakes_at = due
            self._woken.set()

    async def _write(self, id: str, behind: _Behind) -> None:
        waiting = self._present[id] = self._waiting.pop(id, [])
        try:
            # A stop in the middle would leave the file behind, or a temporary one beside it.
            with anyio.CancelScope(shield=True):
                await self._peer.write_out(self._documents, id)
        except Exception as error:  # noqa: BLE001 (told, and tried again; other files go on)
            self._waiting.setdefault(id, []).extend(waiting)
            self._try_again(id, behind, error)
            return
        finally:
            del self._present[id]
        for event in waiting:
            event.set()
        try:
            path = await self._path_of(id)
            if path is not None and not self._index.busy:
                await self._index.update([path])
        except Exception as error:  # noqa: BLE001 (the file is written; a rescan finds it)
            tell_failure("A note that was written could not be indexed at once.", error)

    def _try_again(self, id: str, behind: _Behind, error: Exception) -> None:
        """Keep trying: the edits are in the log, the file follows when it can."""
        pause = _RETRY_SECONDS[min(behind.failures, len(_RETRY_SECONDS) - 1)]
        if not behind.failures:
            tell_failure("A note's file cannot be written; it is tried until it works.", error)
        now = self._clock()
        again = self._behind.setdefault(id, _Behind(now, now + pause))
        again.failures = behind.failures + 1
        again.due = now + pause
        self._wake_by(again.due)
