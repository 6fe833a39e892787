"""Saves the changes of live documents and tells of them once they are on disk.

Between applying a change in memory and handing it to the log nothing awaits, so the changes of a
document reach the log in the order in which they were made. A commit that fails spoils the
document, since its memory is ahead of the log.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from commonplace.errors import Unavailable
from commonplace.vault.background import Background
from commonplace.vault.changes import Change, Listener, Taken
from commonplace.vault.documents import Document
from commonplace.vault.log import Disk, Entry, Log, Replay

TAIL_MAX = 200
TAIL_BYTES_MAX = 64 * 1024
EVICTED_TAIL_MAX = 20

_logger = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Live:
    """A document in memory, and how its log stands; it stays there while somebody is `with` it."""

    document: Document
    released: "Callable[[Live], None]"
    holders: int = 0
    unsaved: int = 0
    last: "asyncio.Future[int] | None" = None
    seq: int = 0
    tail: int = 0
    tail_bytes: int = 0
    snapshot_bytes: int = 0
    weight: int = 0

    def __enter__(self) -> Self:
        """Keep it."""
        self.holders += 1
        return self

    def __exit__(self, *_: object) -> None:
        """Need it no longer."""
        self.holders -= 1
        self.released(self)

    @property
    def idle(self) -> bool:
        """Whether nobody uses it and all of it is saved."""
        return not self.holders and not self.unsaved

    @property
    def long_tail(self) -> bool:
        """Whether a snapshot is worth making; of a large state, only for a large tail."""
        long = self.tail > TAIL_MAX or self.tail_bytes > TAIL_BYTES_MAX
        return long and self.tail_bytes * 8 > self.snapshot_bytes

    def load(self, kept: Replay) -> None:
        """Become what the log says."""
        self.document.load(kept.updates, kept.authors)
        sizes = [len(update) for update in kept.updates]
        self.seq, self.tail = kept.seq, kept.tail
        # The first update is as good as a snapshot: most are the text that a note began with.
        self.tail_bytes = sum(sizes[max(1, len(sizes) - kept.tail) :])
        self.snapshot_bytes = sum(sizes) - self.tail_bytes


class Saving:
    """The way of a change from memory to the log to the followers."""

    def __init__(self, log: Log, background: Background, spoilt: Callable[[str], object]) -> None:
        self.followers: list[Listener] = []
        self._log = log
        self._background = background
        self._spoilt = spoilt

    async def keep(
        self, live: Live, taken: Taken, actor: str, origin: object, disk: Disk | None = None
    ) -> None:
        """Save a change that was just applied."""
        saving = self.begin(live, taken, actor, origin, disk)
        if saving is not None:
            await saving
        if disk is not None and not taken.record:
            await self._log.put_disk(live.document.id, disk)

    def begin(
        self, live: Live, taken: Taken, actor: str, origin: object, disk: Disk | None = None
    ) -> "asyncio.Future[Any] | None":
        """Hand a change to the log, if it is one.

        Answers what ends once memory is saved, and may be cancelled; None if it is already.
        """
        document = live.document.id
        if taken.record:
            entry = Entry(document, taken.record, actor, taken.authors, disk)
            return self._save(live, entry, Change(document, taken.update, actor, origin))
        return asyncio.shield(live.last) if live.unsaved and live.last is not None else None

    def begin_first(
        self, live: Live, begun: Taken, actor: str, disk: Disk | None
    ) -> "asyncio.Future[None]":
        """Hand the text that a document was just begun with to the log; nobody is told of it."""
        document = live.document.id
        entry = Entry(document, begun.record, actor, begun.authors, disk)
        return self._append(live, entry, Change(document, b"", actor, None))

    async def settle(self, live: Live) -> int:
        """Wait until what memory holds now is saved; answers the number of its last update."""
        if live.unsaved and live.last is not None:
            return await asyncio.shield(live.last)
        return live.seq

    def leave(self, live: Live) -> None:
        """Make the log of a document short before it is evicted."""
        if live.tail > EVICTED_TAIL_MAX and not live.document.broken:
            self._compact(live, self._snapshot(live))

    def _save(self, live: Live, entry: Entry, change: Change) -> "asyncio.Future[None]":
        """Hand a change to the log, and a snapshot behind it if its tail has grown long."""
        live.tail += 1
        live.tail_bytes += len(entry.update)
        return self._append(live, entry, change, snapshot=live.long_tail)

    def _append(
        self, live: Live, entry: Entry, change: Change, *, snapshot: bool = False
    ) -> "asyncio.Future[None]":
        """Have an entry saved; answers what to wait for, which may be cancelled."""
        try:
            saved = self._log.append(entry)
        except Unavailable:
            live.document.spoil()
            raise
        live.unsaved += 1
        live.last = saved
        state = self._snapshot(live) if snapshot else None
        heard = saved.get_loop().create_future()
        saved.add_done_callback(partial(self._saved, live, change, state, heard))
        return heard

    def _saved(
        self,
        live: Live,
        change: Change,
        snapshot: bytes | None,
        heard: "asyncio.Future[None]",
        saved: "asyncio.Future[int]",
    ) -> None:
        """Tell of a change that is on disk, or give up a document that is ahead of the disk."""
        live.unsaved -= 1
        if (error := saved.exception()) is not None:
            live.document.spoil()
            self._spoilt(change.id)
            if not heard.done():
                heard.set_exception(error)
            return
        live.seq = saved.result()
        self._compact(live, snapshot)
        if change.update:
            for listener in (*live.document.listeners, *self.followers):
                # each by itself: one that fails does not keep the others from hearing
                saved.get_loop().call_soon(listener, change)
        if not heard.done():
            heard.set_result(None)

    def _snapshot(self, live: Live) -> bytes | None:
        """Take the whole state, the change just handed to the log included."""
        snapshot = live.document.snapshot()
        if snapshot is None:
            _logger.warning("A snapshot of %s would not load; its log stays.", live.document.id)
        live.tail = live.tail_bytes = 0
        live.snapshot_bytes = len(snapshot or b"")
        return snapshot

    def _compact(self, live: Live, snapshot: bytes | None) -> None:
        if snapshot is not None:
            work = self._log.compact(live.document.id, live.seq, snapshot)
            self._background.start(work)
