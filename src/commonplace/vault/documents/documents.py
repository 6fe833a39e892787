"""All live documents: loaded from the log when somebody needs them, saved, told of, evicted.

The order of every change is: scan, apply in memory, commit to the log, then tell the followers
and acknowledge. Memory may therefore be ahead of the log for the length of a commit. Two rules
keep that from being seen:
- what leaves the process (`answer`, `settled`, changes told to followers) is released only after
  the commit of everything it holds;
- a commit that fails spoils the document: it is loaded again from the log, and whoever was
  waiting hears that nothing was saved. The log refuses what was built on the failed change.

One event loop owns it all.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from commonplace.core.text.edits import Edit
from commonplace.errors import Unavailable
from commonplace.vault.documents.changes import (
    CALL,
    FILE,
    ChangeListener,
    ChangeRecorder,
    Edited,
    Ingested,
    Plan,
    Purpose,
    Taken,
)
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.foreign_updates import ForeignUpdates, Sent
from commonplace.vault.documents.loader import First, FirstText, Loader
from commonplace.vault.documents.saver import Live, Saver
from commonplace.vault.documents.trials import Trials
from commonplace.vault.log.log import FileRecord, Log
from commonplace.vault.supervisor import Background

__all__ = ["Documents", "First", "FirstText", "Settled"]


@dataclass(frozen=True, slots=True)
class Settled:
    """A text, the state that has it, and the number of the last update in it; all saved."""

    text: str
    state: bytes
    seq: int


class Documents:
    """The one owner of live documents."""

    def __init__(
        self,
        log: Log,
        *,
        first: FirstText | None = None,
        count_max: int = 2_000,
        bytes_max: int = 256 * 1024 * 1024,
        make: Callable[[str], Document] = Document,
        recorder: ChangeRecorder | None = None,
    ) -> None:
        self._log = log
        self._count_max = count_max
        self._bytes_max = bytes_max
        self._make = make
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._weight = 0
        self._background = Background()
        self._trials = Trials()
        self._recorder = recorder or ChangeRecorder()
        self._saving = Saver(log, self._background, self._load_once, self._trials, self._recorder)
        self._incoming = ForeignUpdates(self._saving, self._trials)
        self._loader = Loader(log, Trials(), first, self._saving)
        self._restart_listeners: list[Callable[[str], None]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait until all is saved, then evict every document."""
        unsaved = [live.last for live in self._live.values() if live.unsaved and live.last]
        await asyncio.gather(*unsaved, *self._loading.values(), return_exceptions=True)
        for live in list(self._live.values()):
            self._evict(live)
        await self._background.finish()
        self._trials.close()
        self._loader.close()

    @asynccontextmanager
    async def hold(self, id: str) -> AsyncGenerator[Document]:
        """Keep a document live, loading it if it is not."""
        with self._found(id) or await self._loaded(id) as live:
            yield live.document

    async def edit(
        self,
        id: str,
        plan: Plan,
        actor: str,
        *,
        origin: object = None,
        purpose: Purpose = CALL,
    ) -> Edited:
        """Edit a document; answers once the edit is saved."""
        with self._found(id) or await self._loaded(id) as live:
            self._refuse_full()
            self._recorder.changing(id, lambda: live.document.text, actor, purpose)
            edited = live.document.edit(plan, actor)
            await self._saving.keep(live, edited, actor, origin, None, purpose)
            return edited

    async def apply(
        self,
        id: str,
        update: bytes,
        actor: str,
        *,
        origin: object = None,
    ) -> None:
        """Take in an update from outside; returns once it is saved."""
        with self._found(id) or await self._loaded(id) as live:
            self._refuse_full()
            saving = self._incoming.apply(live, Sent(update, actor, origin))
            if saving is not None:
                await saving

    def apply_now(
        self, id: str, update: bytes, actor: str, *, origin: object = None
    ) -> "asyncio.Future[Any] | None":
        """Take an update into a document that is at hand, before this returns if it is small.

        Returns what ends once the update is saved, and may be cancelled; None if it is already.
        """
        with self._live[id] as live:
            self._refuse_full()
            return self._incoming.apply(live, Sent(update, actor, origin))

    async def transact(
        self,
        id: str,
        work: Callable[[Document], Taken],
        actor: str,
        *,
        origin: object = None,
    ) -> Taken:
        """Change a document by a function that does not await; answers once that is saved."""
        with self._found(id) or await self._loaded(id) as live:
            self._refuse_full()
            taken = work(live.document)
            await self._saving.keep(live, taken, actor, origin)
            return taken

    async def ingest(
        self,
        id: str,
        disk: FileRecord,
        text: str,
        actor: str,
        *,
        origin: object = None,
        record: bool = True,
        edits: Sequence[Edit] | None = None,
    ) -> Ingested:
        """Merge a file's new text; the disk record, with its new base, is saved in one step."""
        with self._found(id) or await self._loaded(id) as live:
            self._refuse_full()
            self._recorder.changing(id, lambda: live.document.text, actor, FILE)
            ingested = live.document.ingest(disk.base, text, actor, edits)
            kept = replace(disk, base=ingested.base) if record else None
            await self._saving.keep(live, ingested, actor, origin, kept, FILE)
            return ingested

    async def answer(self, id: str, state_vector: bytes) -> bytes:
        """Tell another side what it lacks, once all of that is saved."""
        with self._found(id) or await self._loaded(id) as live:
            update = live.document.update_since(state_vector)
            await self._saving.settle(live)
            return update

    def answer_now(self, id: str, state_vector: bytes) -> bytes | None:
        """Tell another side what it lacks, if the document is at hand and all of it is saved."""
        live = self._found(id)
        if live is None or live.unsaved:
            return None
        return live.document.update_since(state_vector)

    async def settled(self, id: str) -> Settled:
        """Tell the text and its state as they are now, once they are saved."""
        with self._found(id) or await self._loaded(id) as live:
            text, state = live.document.text, live.document.state()
            return Settled(text, state, await self._saving.settle(live))

    async def saved(self, id: str) -> int:
        """Tell the number of the last update that memory holds now, once it is saved."""
        with self._found(id) or await self._loaded(id) as live:
            return await self._saving.settle(live)

    async def compact(self, id: str) -> None:
        """Make the log of a document short: text that was deleted is in it no longer."""
        with self._found(id) or await self._loaded(id) as live:
            await self._saving.compact(live)

    def at_hand(self, id: str) -> bool:
        """Tell whether a document can be worked on without waiting for it."""
        return self._found(id) is not None

    @property
    def count(self) -> int:
        """How many documents are in memory."""
        return len(self._live)

    def is_live(self, id: str) -> bool:
        """Tell whether a document is in memory."""
        return id in self._live

    def follow(self, listener: ChangeListener) -> None:
        """Hear of every saved change of every document."""
        self._saving.followers.append(listener)

    def unfollow(self, listener: ChangeListener) -> None:
        """Hear no more."""
        self._saving.followers.remove(listener)

    def follow_restarts(self, listener: Callable[[str], None]) -> None:
        """Hear of each document, by its id, whose history was given up and begun anew."""
        self._restart_listeners.append(listener)

    def _found(self, id: str) -> Live | None:
        """Find a document; None if it has to be loaded."""
        live = self._live.get(id)
        return None if live is None or live.document.broken else live

    async def _loaded(self, id: str) -> Live:
        while (live := self._found(id)) is None:
            await asyncio.shield(self._load_once(id))
        return live

    def _released(self, live: Live) -> None:
        """Put a document last in the row of those to be evicted, and weigh it anew."""
        id = live.document.id
        if live.document.broken:
            self._load_once(id)
        elif id in self._live:  # else all of them were closed meanwhile
            self._live.move_to_end(id)
        weight = live.document.weight
        self._weight += weight - live.weight
        live.weight = weight
        if self._too_much():
            self._trim()

    def _load_once(self, id: str) -> "asyncio.Task[None]":
        task = self._loading.get(id)
        if task is None:
            task = self._loading[id] = self._background.start(self._load(id))
            task.add_done_callback(lambda _: self._loading.pop(id))
        return task

    async def _load(self, id: str) -> None:
        """Read the log; a document that cannot be loaded never becomes live."""
        live = self._live.get(id) or Live(self._make(id), self._released)
        if await self._loader.load(live, alone=id not in self._live):
            for listener in self._restart_listeners:
                listener(id)
        self._live[id] = live

    def _trim(self) -> None:
        """Evict what was not used for longest, while there is too much."""
        for live in list(self._live.values()):
            if live.idle and not live.document.broken:
                self._evict(live)
                if not self._too_much():
                    return

    def _too_much(self) -> bool:
        return len(self._live) > self._count_max or self._weight > self._bytes_max

    def _evict(self, live: Live) -> None:
        """Drop a document that is wholly in the log."""
        self._saving.leave(live)
        del self._live[live.document.id]
        self._weight -= live.weight

    def _refuse_full(self) -> None:
        if self._log.full:
            raise Unavailable("The log cannot keep up; nothing was saved. Try again later.")
