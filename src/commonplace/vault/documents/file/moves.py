"""Documents follow their files: to other names, into the trash of another program, and back."""

import time
from collections.abc import Awaitable, Callable

import anyio

from commonplace.vault.documents.documents import Documents
from commonplace.vault.documents.file.queue import FileQueue
from commonplace.vault.documents.file.stable_read import WINDOW_SECONDS
from commonplace.vault.documents.file.sync import FilePeer
from commonplace.vault.documents.ids import Ids
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.supervisor import tell_failure

_POLL_SECONDS = 0.05


class DocumentMoves:
    """What the index told of files, until their documents have followed."""

    def __init__(
        self,
        roots: Roots,
        ids: Ids,
        documents: Documents,
        peer: FilePeer,
        queue: FileQueue,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roots = roots
        self._ids = ids
        self._documents = documents
        self._peer = peer
        self._queue = queue
        self._clock = clock
        self._changes: list[NoteChange] = []
        self._carrying = anyio.Lock()
        self._heard = anyio.Event()
        self._gone_listeners: list[Callable[[str], None]] = []

    def follow_gone(self, listener: Callable[[str], None]) -> None:
        """Hear of each document whose note was deleted, by its id, before it cannot be saved."""
        self._gone_listeners.append(listener)

    def tell_gone(self, id: str) -> None:
        """Tell whoever has a document open that its note was deleted."""
        for listener in self._gone_listeners:
            listener(id)

    def heard(self, change: NoteChange) -> None:
        """Hear from the index that a note's file came, changed or went."""
        known = self._ids.known_id
        is_known = known(change.path) or (change.was and known(change.was))
        if is_known or change.was is not None or change.kind == "gone":
            self._changes.append(change)
            self._heard.set()

    async def run(self) -> None:
        """Follow files until cancelled."""
        while True:
            await self.carry()
            await self._heard.wait()
            self._heard = anyio.Event()

    async def carry(self) -> None:
        """Let documents follow their files to other names, and notice files that changed."""
        async with self._carrying:
            changes, self._changes = self._changes, []
            async with anyio.create_task_group() as tasks:  # each may have to wait for its writer
                for change in changes:
                    if change.was is not None:
                        await self._alone(self._follow(change.was, change.path))
                    id = self._ids.known_id(change.path)
                    if id is None or not self._documents.is_live(id):
                        continue
                    gone = change.kind == "gone"
                    work = self._gone(id, change.path) if gone else self._queue.catch_up(id)
                    tasks.start_soon(self._alone, work)

    async def _follow(self, was: str, path: str) -> None:
        await self._roots.keep_up(path, was)
        await self._ids.follow_seen(was, path)

    async def _alone(self, work: Awaitable[None]) -> None:
        """Let the work on one note fail without the others'."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 (told; the other notes are followed)
            tell_failure("A note's file could not be followed.", error)

    async def _gone(self, id: str, path: str) -> None:
        """Take a deleted note's document out of the vault, unless somebody is typing in it."""
        if await self._comes_back(path):
            return
        await self._documents.saved(id)  # then all that was typed so far waits for the file
        if self._roots.stamp(path) is not None or self._ids.known_path(id) != path:
            return
        if id in self._queue:
            self._queue.hurry(id)  # writing it brings the note back
            return
        await self._roots.keep_up(path)
        self.tell_gone(id)
        await self._ids.remove(id)
        self._peer.forget(id)

    async def _comes_back(self, path: str) -> bool:
        """Tell whether a file that is missing comes back: some programs save by making it anew."""
        end = self._clock() + WINDOW_SECONDS
        while self._roots.stamp(path) is None:
            if self._clock() > end:
                return False
            await anyio.sleep(_POLL_SECONDS)
        return True
