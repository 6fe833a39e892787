"""Saves the changes of live documents and tells of them once they are on disk.

Between applying a change in memory and handing it to the log nothing awaits, so the changes of a
document reach the log in the order in which they were made. A commit that fails spoils the
document, since its memory is ahead of the log.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Self

from commonplace.core.yjs.encoding import HostileUpdate
from commonplace.errors import Unavailable
from commonplace.vault.documents.changes import (
    UPKEEP,
    Change,
    ChangeListener,
    ChangeRecorder,
    Edited,
    Purpose,
    Taken,
)
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.trials import Trials
from commonplace.vault.log.log import FileRecord, Log, LogEntry, Record, Replay
from commonplace.vault.supervisor import Background

TAIL_MAX = 200
TAIL_BYTES_MAX = 64 * 1024
EVICTED_TAIL_MAX = 20

_logger = logging.getLogger(__name__)

_WOULD_NOT_LOAD = "A snapshot of %s would not load; its log stays."


class Snapshot(NamedTuple):
    """A whole state. One that is yet to be checked has a digest, and the items it was taken of."""

    state: bytes
    digest: bytes | None = None
    items: int = 0


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
    compacting: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

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
        return long and not self.compacting and self.tail_bytes * 8 > self.snapshot_bytes

    def load(self, kept: Replay, *, tried: bool) -> None:
        """Become what the log says; what was not `tried` must be small."""
        self.document.load(kept.updates, kept.authors, tried=tried)
        sizes = [len(update) for update in kept.updates]
        self.seq, self.tail = kept.seq, kept.tail
        # The first update is as good as a snapshot: most are the text that a note began with.
        self.tail_bytes = sum(sizes[max(1, len(sizes) - kept.tail) :])
        self.snapshot_bytes = sum(sizes) - self.tail_bytes


class Saver:
    """The way of a change from memory to the log to the followers."""

    def __init__(
        self,
        log: Log,
        background: Background,
        spoilt: Callable[[str], object],
        trials: Trials,
        recorder: ChangeRecorder,
    ) -> None:
        self.followers: list[ChangeListener] = []
        self._log = log
        self._background = background
        self._spoilt = spoilt
        self._trials = trials
        self.recorder = recorder

    async def keep(
        self,
        live: Live,
        taken: Taken,
        actor: str,
        origin: object,
        disk: FileRecord | None = None,
        purpose: Purpose = UPKEEP,
    ) -> None:
        """Save a change that was just applied."""
        saving = self.begin(live, taken, actor, origin, disk, purpose)
        if saving is not None:
            await saving
        if disk is not None and not taken.record:
            await self._log.put_disk(live.document.id, disk)
        if not taken.record and (records := _records(taken, purpose)):
            await self._log.put_records(records)

    def begin(
        self,
        live: Live,
        taken: Taken,
        actor: str,
        origin: object,
        disk: FileRecord | None = None,
        purpose: Purpose = UPKEEP,
        *,
        first: bool = False,
    ) -> "asyncio.Future[Any] | None":
        """Hand a change to the log, if it is one, and a snapshot behind it if its tail is long.

        Return what ends once memory is saved, and may be cancelled; None if it is already. Of the
        `first`, the text that a document was just begun with, nobody is told.
        """
        if not taken.record:
            return asyncio.shield(live.last) if live.unsaved and live.last is not None else None
        document = live.document.id
        if not first:
            live.tail += 1
            live.tail_bytes += len(taken.record)
        try:
            records = _records(taken, purpose)
            entry = LogEntry(document, taken.record, actor, taken.authors, disk)
            saved = self._log.append(entry._replace(cause=purpose.packed, records=records))
        except Unavailable:
            live.document.spoil()
            raise
        live.unsaved += 1
        live.last = saved
        if not first:
            self.recorder.changed(document, taken, purpose, saved)
        state = self._snapshot(live) if live.long_tail and not first else None
        update = b"" if first else taken.update
        change = Change(document, update, actor, origin, purpose.cause)
        heard: asyncio.Future[None] = saved.get_loop().create_future()
        saved.add_done_callback(partial(self._saved, live, change, state, heard))
        return heard

    async def settle(self, live: Live) -> int:
        """Wait until what memory holds now is saved; answers the number of its last update."""
        if live.unsaved and live.last is not None:
            return await asyncio.shield(live.last)
        return live.seq

    def leave(self, live: Live) -> None:
        """Make the log of a document short before it is evicted."""
        self.recorder.leaving(live.document.id)
        if live.tail > EVICTED_TAIL_MAX and not live.document.broken:
            self._compact(live, self._snapshot(live))

    async def compact(self, live: Live) -> None:
        """Make the log of a document short now: it keeps the state, and no text that is gone."""
        while live.unsaved:
            await self.settle(live)
        snapshot = self._snapshot(live)
        if snapshot is None:
            raise Unavailable(
                "The document would not load from its state alone, so its log was left as it is."
            )
        if snapshot.digest is not None:
            await self._compact_checked(live, live.seq, snapshot)
        else:
            await self._compact_recorded(live.document.id, live.seq, snapshot)

    def _saved(
        self,
        live: Live,
        change: Change,
        snapshot: "Snapshot | None",
        heard: "asyncio.Future[None]",
        saved: "asyncio.Future[int]",
    ) -> None:
        """Tell of a change that is on disk, or give up a document that is ahead of the disk."""
        live.unsaved -= 1
        if (error := saved.exception()) is not None:
            live.compacting = False
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

    def _snapshot(self, live: Live) -> Snapshot | None:
        """Take the whole state, the change just handed to the log included."""
        document = live.document
        if document.large:
            live.compacting = True
            snapshot = Snapshot(document.full_update(), document.digest(), document.items)
        else:
            state = document.snapshot()
            snapshot = Snapshot(state) if state is not None else None
        if snapshot is None:
            _logger.warning(_WOULD_NOT_LOAD, document.id)
        live.tail = live.tail_bytes = 0
        live.snapshot_bytes = len(snapshot.state) if snapshot else 0
        return snapshot

    def _compact(self, live: Live, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            return
        if snapshot.digest is not None:
            self._background.start(self._compact_checked(live, live.seq, snapshot))
        else:
            self._background.start(self._compact_recorded(live.document.id, live.seq, snapshot))

    async def _compact_checked(self, live: Live, seq: int, snapshot: Snapshot) -> None:
        """Look in another process whether a large snapshot loads as what it was taken of."""
        try:
            joined = await self._trials.join(live.document.id, [snapshot.state])
        except HostileUpdate:
            joined = None
        finally:
            live.compacting = False
        if joined is None or joined.digest != snapshot.digest:
            _logger.warning(_WOULD_NOT_LOAD, live.document.id)
            return
        live.document.recount(snapshot.items - joined.items)
        await self._compact_recorded(live.document.id, seq, snapshot)

    async def _compact_recorded(self, id: str, seq: int, snapshot: Snapshot) -> None:
        """Make the log short once the history has what it would forget."""
        await self.recorder.settle(id)
        await self._log.compact(id, seq, snapshot.state)


def _records(taken: Taken, purpose: Purpose) -> tuple[Record, ...]:
    if purpose.records is None:
        return ()
    assert isinstance(taken, Edited)
    return tuple(purpose.records(taken))
