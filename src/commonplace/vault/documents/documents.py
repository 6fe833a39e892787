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
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from commonplace.core.yjs import NO_UPDATE
from commonplace.errors import Unavailable
from commonplace.vault.background import Background
from commonplace.vault.changes import Edited, Ingested, Listener, Plan, Taken
from commonplace.vault.documents import Document, imported
from commonplace.vault.engine import EngineFault
from commonplace.vault.log import Disk, Log, Replay
from commonplace.vault.saving import Live, Saving

LARGE_MIN = 1024 * 1024  # bytes of history from which reading it would hold up everybody else


@dataclass(frozen=True, slots=True)
class First:
    """The text that a document starts from, and the file it came from."""

    text: str
    actor: str
    disk: Disk | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """A text, the state that has it, and the number of the last update in it; all saved."""

    text: str
    state: bytes
    seq: int


FirstText = Callable[[str], Awaitable[First | None]]


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
    ) -> None:
        self._log = log
        self._first = first
        self._count_max = count_max
        self._bytes_max = bytes_max
        self._make = make
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._weight = 0
        self._background = Background()
        self._saving = Saving(log, self._background, self._load_once)

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
    ) -> Edited:
        """Edit a document; answers once the edit is saved."""
        with self._found(id) or await self._loaded(id) as live:
            self._refuse_full()
            edited = live.document.edit(plan, actor)
            await self._saving.keep(live, edited, actor, origin)
            return edited

    async def apply(
        self,
        id: str,
        update: bytes,
        actor: str,
        *,
        origin: object = None,
    ) -> Taken:
        """Take in an update from outside; answers once it is saved."""
        with self._found(id) or await self._loaded(id) as live:
            self._refuse_full()
            taken = live.document.apply(update, actor)
            await self._saving.keep(live, taken, actor, origin)
            return taken

    def apply_now(
        self, id: str, update: bytes, actor: str, *, origin: object = None
    ) -> "asyncio.Future[Any] | None":
        """Take an update into a document that is at hand, before this returns.

        Answers what ends once the update is saved, and may be cancelled; None if it is already.
        """
        with self._live[id] as live:
            self._refuse_full()
            taken = live.document.apply(update, actor)
            return self._saving.begin(live, taken, actor, origin)

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
        disk: Disk,
        text: str,
        actor: str,
        *,
        origin: object = None,
    ) -> Ingested:
        """Merge a file's new text; the disk record, with its new base, is saved in one step."""
        with self._found(id) or await self._loaded(id) as live:
            self._refuse_full()
            ingested = live.document.ingest(disk.base, text, actor)
            await self._saving.keep(
                live, ingested, actor, origin, replace(disk, base=ingested.base)
            )
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

    def at_hand(self, id: str) -> bool:
        """Tell whether a document can be worked on without waiting for it."""
        return self._found(id) is not None

    def is_live(self, id: str) -> bool:
        """Tell whether a document is in memory."""
        return id in self._live

    def follow(self, listener: Listener) -> None:
        """Hear of every saved change of every document."""
        self._saving.followers.append(listener)

    def unfollow(self, listener: Listener) -> None:
        """Hear no more."""
        self._saving.followers.remove(listener)

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
        kept = await self._log.replay(id)
        first = None if kept.updates else await self._first_of(id)
        begun = imported(id, first.text, first.actor) if first else None
        if begun is not None:
            kept = Replay((begun.record,), begun.authors, tail=1)
        if id not in self._live and sum(map(len, kept.updates)) > LARGE_MIN:
            await asyncio.to_thread(live.load, kept)  # nobody else has it yet
        else:
            live.load(kept)
        if first is not None and begun is not None:
            await self._save_first(live, first, begun)
        self._live[id] = live

    async def _first_of(self, id: str) -> First | None:
        """Find the text that a document begins with, if there is any."""
        first = await self._first(id) if self._first else None
        if first is None or first.text:
            return first
        if first.disk:
            await self._log.put_disk(id, replace(first.disk, base=NO_UPDATE))
        return None

    async def _save_first(self, live: Live, first: First, begun: Taken) -> None:
        """Save what a document was begun with; it is worked on before that is done."""
        if live.document.text != first.text:
            raise EngineFault("a note began with another text than it should")
        disk = replace(first.disk, base=begun.update) if first.disk else None
        saving = self._saving.begin_first(live, begun, first.actor, disk)
        if live.document.id in self._live:
            await saving  # it was spoilt before: to save it has failed, perhaps just this
        else:
            saving.cancel()  # whoever works on it waits for what they do to be saved behind it

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
