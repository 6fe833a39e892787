"""The live documents of a vault's notes: by path for tools, by id for sockets.

A note that nobody works on is just its file. It becomes live when a socket opens it or an edit
arrives; from then on its file and the index follow it: within a moment of the last edit, at once
when the last one who had it open goes.
"""

import time
from collections.abc import Callable, Collection
from copy import copy
from datetime import UTC, datetime

import anyio
import anyio.to_thread

from commonplace.core import paths
from commonplace.core.view import View
from commonplace.errors import CommonplaceError, Forbidden, NotFound, Unavailable, Unreadable
from commonplace.vault.documents.changes import CALL, ChangeRecorder, Edited, Plan, Purpose
from commonplace.vault.documents.documents import Documents
from commonplace.vault.documents.file.known_file import Save, SaveListener
from commonplace.vault.documents.file.moves import DocumentMoves
from commonplace.vault.documents.file.queue import FileQueue, FollowingIndex
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.documents.file.sync import FilePeer
from commonplace.vault.documents.folder_document import Touches
from commonplace.vault.documents.ids import Ids
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.log import Log
from commonplace.vault.supervisor import tell_failure

_GONE = "There is no such document, or its note is gone."


class LiveNotes:
    """Documents, their ids, and their files."""

    def __init__(
        self,
        roots: Roots,
        log: Log,
        index: FollowingIndex,
        touches: Touches,
        *,
        read_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
        recorder: ChangeRecorder | None = None,
        caution: Caution | None = None,
    ) -> None:
        self._roots = roots
        self._log = log
        self._read_only = read_only
        self.view = View()
        self.recorder = recorder or ChangeRecorder()
        self.ids = Ids(roots, log)
        self._saves: list[SaveListener] = []
        self._peer = FilePeer(
            roots,
            log,
            self.ids.path_of,
            lambda: datetime.now(UTC).date(),
            caution,
            heard=self._heard,
        )
        self.documents = Documents(
            log, first=self._peer.first, make=touches.make_document, recorder=self.recorder
        )
        self.queue = FileQueue(self.documents, self._peer, self.ids.path_of, index, clock)
        self.moves = DocumentMoves(roots, self.ids, self.documents, self._peer, self.queue, clock)

    def follow_saves(self, listener: SaveListener) -> None:
        """Hear of what other programs saved, once it is taken in."""
        self._saves.append(listener)

    async def _heard(self, save: Save) -> None:
        for listener in self._saves:
            await listener(save)

    # -- what sockets need

    async def open(self, id: str) -> None:
        """Make a document ready: known, there, and caught up with its file."""
        await self.note_of(id)
        await self.queue.catch_up(id)

    async def note_of(self, id: str) -> str:
        """Return where a document's note is now; `NotFound` if there is none."""
        path = await self.ids.path_of(id)
        if path is None or self._in_trash(path) or self._roots.stamp(path) is None:
            raise NotFound(_GONE)
        if not self.view.shows(path):
            raise NotFound(_GONE)
        return path

    def seen(self, view: View) -> "LiveNotes":
        """Return the same notes for one who is told of none but what a view shows."""
        part = copy(self)
        part.view = view
        return part

    # -- what tools need

    async def text(self, path: str) -> str | None:
        """Return the live text of a note, or None when it is just its file."""
        id = self.ids.known_id(path)
        if id is None or not self.documents.is_live(id):
            return None
        await self.queue.catch_up(id)
        async with self.documents.hold(id) as document:
            return document.text

    async def edit(self, path: str, plan: Plan, actor: str, purpose: Purpose = CALL) -> Edited:
        """Edit a note through the one door; returns once the edit is saved."""
        self.refuse_read_only()
        id = await self.ids.id_of(path)
        try:
            await self.queue.catch_up(id)
            return await self.documents.edit(id, plan, actor, purpose=purpose)
        except Unreadable as error:
            raise Unreadable(f"{path}: {error}.") from error

    async def compact(self, id: str) -> None:
        """Let the log keep a note's text alone: nothing that was deleted from it."""
        await self.queue.flush(id)
        await self.documents.compact(id)
        await self._peer.forget_before(id)

    async def late_files(self, paths: Collection[str]) -> tuple[str, ...]:
        """Let the files of notes follow at once; return those that could not in a moment."""
        ids = {id: path for path in paths if (id := self.ids.known_id(path)) is not None}
        return tuple(ids[id] for id in await self.queue.late(ids))

    def refuse_read_only(self) -> None:
        """Refuse to change a vault that is only to be read."""
        if self._read_only:
            raise Forbidden("This vault was opened read-only; nothing is changed.")

    async def id_for_history(self, path: str) -> str | None:
        """Return a note's id; None if it has none and nothing can be saved now."""
        try:
            return await self.ids.id_of(path)
        except Unavailable as error:
            tell_failure("The history misses what is done to a note now.", error)
            return None

    def exists(self, path: str) -> bool:
        """Tell whether there is a note at a path."""
        return self._roots.stamp(path) is not None

    def is_live(self, path: str) -> bool:
        """Tell whether a note is more than its file: in memory, or ahead of it."""
        id = self.ids.known_id(path)
        return id is not None and (self.documents.is_live(id) or id in self.queue)

    async def move(self, old: str, new: str) -> None:
        """Rename a note's file; its document goes with it, whoever has it open."""
        self.refuse_read_only()
        id = await self.ids.recorded_id(old)
        if id is None:
            await anyio.to_thread.run_sync(self._roots.rename, old, new)
            return
        with anyio.CancelScope(shield=True):
            await self._move_known(id, old, new)

    async def _move_known(self, id: str, old: str, new: str) -> None:
        async with self._peer.hold(id):
            await anyio.to_thread.run_sync(self._roots.rename, old, new)
            try:
                await self.ids.place(id, new)
            except CommonplaceError:
                await anyio.to_thread.run_sync(self._roots.rename, new, old)
                raise

    # -- from opening to closing

    async def recover(self) -> None:
        """Mend what a crash left: let files have what the log has, before anybody reads them."""
        await self.queue.recover(await self._log.unflushed())

    async def run(self) -> None:
        """Keep documents and files in step until cancelled, once nothing is left of a crash."""
        await self.recover()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.moves.run)
            await self.queue.run()

    async def close(self) -> None:
        """Write every file that is behind, then let go of the documents."""
        await self.queue.flush_all()
        await self._peer.close()
        await self.queue.flush_all()
        await self.documents.close()

    # -- care

    async def unmended(self) -> list[str]:
        """Return the documents whose file may not hold all that is saved."""
        return await self._log.unflushed()

    async def disagreements(self) -> list[str]:
        """Name the notes whose log and file say different things although both are settled."""
        behind = set(await self.unmended())
        found: list[str] = []
        for document in await self._log.known():
            path = await self.ids.path_of(document.id)
            if path is None or document.id in behind or self._roots.stamp(path) is None:
                continue
            if not await self._peer.in_step(self.documents, document.id):
                found.append(path)
        return found

    def _in_trash(self, path: str) -> bool:
        return not paths.is_document(self._roots.split(path)[1])
