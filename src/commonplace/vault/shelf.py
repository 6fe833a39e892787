"""The live documents of a vault: by path for tools, by id for sockets.

A note that nobody works on is just its file. It becomes live when a socket opens it or an edit
arrives; from then on its file and the index follow it: within a moment of the last edit, at once
when the last one who had it open goes.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Protocol

import anyio
import anyio.to_thread

from commonplace.core import paths
from commonplace.errors import CommonplaceError, NotFound
from commonplace.vault.contents import NoteChange
from commonplace.vault.documents import Change, Document, Edited, Plan
from commonplace.vault.filepeer import FilePeer
from commonplace.vault.folder_document import FolderDocument, Touched, is_folder
from commonplace.vault.live import Documents
from commonplace.vault.log import Known, Log, Place
from commonplace.vault.roots import Roots

# The file follows so long after the last edit, and at the latest so long after the first.
SETTLE_SECONDS = 0.3
FLUSH_SECONDS_MAX = 0.8
# More files written at once, when very many are behind, would keep everybody's edits waiting.
FLUSHES_MAX = 12
_RETRY_SECONDS = (1.0, 2.0, 5.0, 10.0, 30.0)

logger = logging.getLogger(__name__)


class Indexing(Protocol):
    """What the shelf asks of the index."""

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


class Opening(Protocol):
    """What the shelf asks of whoever keeps the documents of folders."""

    async def open(self, id: str) -> None:
        """Make a folder's document ready; `NotFound` if there is none of that id."""
        ...


@dataclass(slots=True)
class _Waiting:
    """A document whose file is behind: since when, when it is due, how often it failed."""

    first: float
    due: float
    failures: int = 0


@dataclass(slots=True)
class _Ids:
    by_path: dict[str, str] = field(default_factory=dict[str, str])
    by_id: dict[str, str] = field(default_factory=dict[str, str])

    def put(self, path: str, id: str) -> None:
        self.drop(id)
        self.by_path[path] = id
        self.by_id[id] = path

    def drop(self, id: str) -> None:
        if (path := self.by_id.pop(id, None)) is not None:
            self.by_path.pop(path, None)


class Shelf:
    """Documents, their ids, and their files."""

    def __init__(
        self,
        roots: Roots,
        log: Log,
        index: Indexing,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roots = roots
        self._log = log
        self._index = index
        self._clock = clock
        self._ids = _Ids()
        self._peer = FilePeer(roots, log, self.path_of, lambda: datetime.now(UTC).date())
        self.touched: dict[str, Touched] = {}
        self.folders: Opening | None = None
        self.documents = Documents(log, first=self._peer.first, make=self._make)
        self.documents.follow(self._changed)
        self._waiting: dict[str, _Waiting] = {}
        self._flushing: dict[str, anyio.Event] = {}
        self._moves: list[NoteChange] = []
        self._moving = anyio.Lock()
        self._learnt = False
        self._woken = anyio.Event()
        self._wakes_at = inf
        self._turns = anyio.Semaphore(FLUSHES_MAX)
        self._gone_listeners: list[Callable[[str], None]] = []

    # -- names

    async def id_of(self, path: str) -> str:
        """Return the id of the document at a path; the first time, give it one."""
        if (known := self._ids.by_path.get(path)) is not None:
            return known
        return (await self.identify(path)).id

    async def identify(self, path: str) -> Known:
        """Return what is known of the document at a path: its id and epoch."""
        document = await self._log.identify(self._place(path))
        self._ids.put(path, document.id)
        return document

    async def path_of(self, id: str) -> str | None:
        """Return where a document lives now."""
        if (known := self._ids.by_id.get(id)) is not None:
            return known
        document = await self._log.find(id)
        if document is None or document.place is None:
            return None
        path = self._roots.joined(document.place.root, document.place.path)
        self._ids.put(path, id)
        return path

    def known_id(self, path: str) -> str | None:
        """Return the id of the document at a path, if `learn` has met one there."""
        return self._ids.by_path.get(path)

    def known_path(self, id: str) -> str | None:
        """Return where a document lives, if it was met."""
        return self._ids.by_id.get(id)

    async def identify_all(self, paths: Iterable[str]) -> None:
        """Let every one of these notes have an id that is known; new ones get theirs at once."""
        new = [path for path in paths if path not in self._ids.by_path]
        if new:
            known = await self._log.identify_all([self._place(path) for path in new])
            for path, document in zip(new, known, strict=True):
                self._ids.put(path, document.id)

    async def learn(self) -> None:
        """Learn the ids of all documents that were ever live, once."""
        if not self._learnt:
            for document in await self._log.known():
                if document.place is not None and self._roots.has(document.place.root):
                    path = self._roots.joined(document.place.root, document.place.path)
                    self._ids.put(path, document.id)
            self._learnt = True

    # -- what sockets need

    async def open(self, id: str) -> None:
        """Make a document ready: known, there, and caught up with its file."""
        if is_folder(id) and self.folders is not None:
            await self.folders.open(id)
            return
        await self.note_of(id)
        await self._peer.take_in(self.documents, id)

    async def note_of(self, id: str) -> str:
        """Return where a document's note is now; `NotFound` if there is none."""
        path = await self.path_of(id)
        if path is None or self._in_trash(path) or self._roots.stamp(path) is None:
            raise NotFound("There is no such document, or its note is gone.")
        return path

    async def closed(self, id: str) -> None:
        """Write the file at once: the last one who had it open has gone."""
        await self._flush(id)

    def follow_gone(self, listener: Callable[[str], None]) -> None:
        """Hear of each document whose note was deleted, by its id, before it cannot be saved."""
        self._gone_listeners.append(listener)

    def left(self, id: str) -> None:
        """Tell whoever has a document open that its note was deleted."""
        for listener in self._gone_listeners:
            listener(id)

    # -- what tools need

    async def text(self, path: str) -> str | None:
        """Return the live text of a note, or None when it is just its file."""
        id = self._ids.by_path.get(path)
        if id is None or not self.documents.is_live(id):
            return None
        await self._peer.take_in(self.documents, id)
        async with self.documents.hold(id) as document:
            return document.text

    async def edit(self, path: str, plan: Plan, actor: str) -> Edited:
        """Edit a note through the one door; answers once the edit is saved."""
        id = await self.id_of(path)
        await self._peer.take_in(self.documents, id)
        return await self.documents.edit(id, plan, actor)

    def is_live(self, path: str) -> bool:
        """Tell whether a note is more than its file: in memory, or ahead of it."""
        id = self._ids.by_path.get(path)
        return id is not None and (self.documents.is_live(id) or id in self._waiting)

    async def move(self, old: str, new: str) -> None:
        """Rename a note's file; its document goes with it, whoever has it open."""
        known = await self._log.at(self._place(old))
        if known is None:
            await anyio.to_thread.run_sync(self._roots.rename, old, new)
            return
        with anyio.CancelScope(shield=True):
            await self._move_known(known.id, old, new)

    async def _move_known(self, id: str, old: str, new: str) -> None:
        async with self._peer.hold(id):
            await anyio.to_thread.run_sync(self._roots.rename, old, new)
            try:
                await self.place(id, new)
            except CommonplaceError:
                await anyio.to_thread.run_sync(self._roots.rename, new, old)
                raise

    async def place(self, id: str, path: str) -> None:
        """Note that a document lives at a path now; one that was there before is out."""
        there = await self._log.at(self._place(path))
        out = {there.id: None} if there is not None and there.id != id else {}
        for gone in out:
            self._ids.drop(gone)
        await self._log.move({**out, id: self._place(path)})
        self._ids.put(path, id)

    async def follow_file(self, old: str, new: str) -> None:
        """Let the document of a note follow a rename that a crash cut short."""
        if (known := await self._log.at(self._place(old))) is not None:
            await self.place(known.id, new)

    async def caught_up(self) -> None:
        """Let the index follow what was typed a moment ago, unless it is being built."""
        if (self._waiting or self._flushing) and self._index.unfinished is None:
            await self.flush_all()

    async def flush_all(self) -> None:
        """Let files and index follow every live text now."""
        async with anyio.create_task_group() as tasks:
            for id in {*self._waiting, *self._flushing}:
                tasks.start_soon(self._flush, id)

    # -- following

    async def run(self) -> None:
        """Mend what a crash left, then keep files in step until cancelled."""
        await self._recover()
        while True:
            await self.carry_moves()
            now = self._clock()
            async with anyio.create_task_group() as tasks:
                for id in [i for i, waiting in self._waiting.items() if waiting.due <= now]:
                    tasks.start_soon(self._flush, id)
            self._wakes_at = min((w.due for w in self._waiting.values()), default=inf)
            with anyio.move_on_after(max(0.0, self._wakes_at - self._clock())):
                await self._woken.wait()
            self._woken = anyio.Event()

    async def close(self) -> None:
        """Write every file that is behind, then let go of the documents."""
        await self.flush_all()
        await self.documents.close()

    def heard(self, change: NoteChange) -> None:
        """Hear from the index that a note's file came, changed or went."""
        known = change.path in self._ids.by_path or change.was in self._ids.by_path
        if known or change.was is not None or change.kind == "gone":
            self._moves.append(change)
            self._woken.set()

    def _make(self, id: str) -> Document:
        return FolderDocument(id, self.touched) if is_folder(id) else Document(id)

    def _changed(self, change: Change) -> None:
        if is_folder(change.id):
            return  # it has no file
        now = self._clock()
        waiting = self._waiting.setdefault(change.id, _Waiting(now, now))
        waiting.due = min(now + SETTLE_SECONDS, waiting.first + FLUSH_SECONDS_MAX)
        self._wake_by(waiting.due)

    def _wake_by(self, due: float) -> None:
        if due < self._wakes_at:
            self._wakes_at = due
            self._woken.set()

    async def _flush(self, id: str) -> None:
        """Let file and index follow a live text; one that is under way is waited for."""
        async with self._turns:
            while (under_way := self._flushing.get(id)) is not None:
                await under_way.wait()
            waiting = self._waiting.pop(id, None)
            if waiting is None:
                return
            self._flushing[id] = done = anyio.Event()
            try:
                await self._write(id, waiting)
            finally:
                del self._flushing[id]
                done.set()

    async def _write(self, id: str, waiting: _Waiting) -> None:
        try:
            # A stop in the middle would leave the file behind, or a temporary one beside it.
            with anyio.CancelScope(shield=True):
                await self._peer.write_out(self.documents, id)
        except CommonplaceError as error:
            self._try_again(id, waiting, error)
            return
        path = await self.path_of(id)
        if path is not None and not self._index.busy:
            await self._index.update([path])

    def _try_again(self, id: str, waiting: _Waiting, error: CommonplaceError) -> None:
        """Keep trying: the edits are in the log, the file follows when it can."""
        pause = _RETRY_SECONDS[min(waiting.failures, len(_RETRY_SECONDS) - 1)]
        if not waiting.failures:
            logger.warning("%s It is tried again until it works.", error)
        now = self._clock()
        again = self._waiting.setdefault(id, _Waiting(now, now + pause))
        again.failures = waiting.failures + 1
        again.due = now + pause
        self._wake_by(again.due)

    async def unmended(self) -> list[str]:
        """Return the documents whose file may not hold all that is saved."""
        return await self._log.unflushed()

    async def disagreements(self) -> list[str]:
        """Name the notes whose log and file say different things although both are settled."""
        behind = set(await self.unmended())
        found: list[str] = []
        for document in await self._log.known():
            path = await self.path_of(document.id)
            if path is None or document.id in behind or self._roots.stamp(path) is None:
                continue
            if not await self._peer.in_step(self.documents, document.id):
                found.append(path)
        return found

    async def _recover(self) -> None:
        for id in await self._log.unflushed():
            try:
                await self._peer.recover(self.documents, id)
            except CommonplaceError as error:
                logger.warning("%s", error)

    async def carry_moves(self) -> None:
        """Let documents follow their files to other names, and notice files that changed."""
        async with self._moving:
            await self._carry_moves()

    async def _carry_moves(self) -> None:
        moves, self._moves = self._moves, []
        for change in moves:
            if change.was is not None:
                await self._follow_move(change.was, change.path)
            id = self._ids.by_path.get(change.path)
            if id is None or not self.documents.is_live(id):
                continue
            try:
                if change.kind == "gone":
                    await self._gone(id, change.path)
                else:
                    await self._peer.take_in(self.documents, id)
            except CommonplaceError as error:
                logger.warning("%s", error)

    async def _follow_move(self, old: str, new: str) -> None:
        found = await self._log.at(self._place(old))
        if found is None or await self._log.at(self._place(new)) is not None:
            return
        await self._log.move({found.id: self._place(new)})
        self._ids.put(new, found.id)

    async def _gone(self, id: str, path: str) -> None:
        """Take a deleted note's document out of the vault, unless somebody is typing in it."""
        await self.documents.saved(id)  # then all that was typed so far waits for the file
        if self._roots.stamp(path) is not None:
            return
        if id in self._waiting:
            self._waiting[id].due = self._clock()  # writing it brings the note back
            return
        self.left(id)
        await self._log.move({id: None})
        self._ids.drop(id)
        self._peer.forget(id)

    def _in_trash(self, path: str) -> bool:
        return not paths.is_document(self._roots.split(path)[1])

    def _place(self, path: str) -> Place:
        root, inside = self._roots.split(path)
        return Place(root, inside)

    def waiting(self) -> list[str]:
        """Name the notes whose files are behind."""
        return [path for one in self._waiting if (path := self._ids.by_id.get(one))]
