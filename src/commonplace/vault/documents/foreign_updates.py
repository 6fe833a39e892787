"""How updates from outside come into a live document without holding up everybody else.

The engine cannot be interrupted, and a small update can cost it minutes (`docs/decisions/0016`).
So what is certainly cheap is applied at once. All else is first tried on a copy, in a process of
its own with a deadline (`trials`): what is refused there leaves no trace here, and what
passes comes back in pieces, between which others have their turn.
"""

import asyncio
from typing import Any, NamedTuple

from commonplace.core.yjs.encoding import EarlyUpdate, LargeUpdate
from commonplace.vault.documents.changes import TYPING
from commonplace.vault.documents.saver import Live, Saver
from commonplace.vault.documents.trials import Trials


class Sent(NamedTuple):
    """An update, whose it is, and the connection that it came by."""

    update: bytes
    actor: str
    origin: object


class ForeignUpdates:
    """Applies updates from outside, those of each connection in their order."""

    def __init__(self, saving: Saver, trials: Trials) -> None:
        self._saving = saving
        self._trials = trials
        self._last: dict[tuple[str, object], asyncio.Task[None]] = {}

    def apply(self, live: Live, sent: Sent) -> "asyncio.Future[Any] | None":
        """Apply an update at once if that is cheap and nothing of its connection waits.

        Return what ends once the update is saved, and may be cancelled; None if it is already.
        """
        before = self._last.get((live.document.id, sent.origin))
        if before is None:
            try:
                return self._begin(live, sent)
            except LargeUpdate:
                pass
        return self._queue(live, sent, before)

    def _begin(
        self, live: Live, sent: Sent, *, tried: bool = False
    ) -> "asyncio.Future[Any] | None":
        document = live.document
        self._saving.recorder.changing(document.id, lambda: document.text, sent.actor, TYPING)
        taken = document.apply(sent.update, sent.actor, tried=tried)
        return self._saving.begin(live, taken, sent.actor, sent.origin, purpose=TYPING)

    def _queue(
        self, live: Live, sent: Sent, before: "asyncio.Task[None] | None"
    ) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._take_turn(live, sent, before))
        if sent.origin is not None:
            key = (live.document.id, sent.origin)
            self._last[key] = task
            task.add_done_callback(lambda _: self._forget(key, task))
        return task

    def _forget(self, key: tuple[str, object], task: "asyncio.Task[None]") -> None:
        if self._last.get(key) is task:
            del self._last[key]

    async def _take_turn(self, live: Live, sent: Sent, before: "asyncio.Task[None] | None") -> None:
        with live:
            if before is not None:
                await asyncio.wait([before])
                if before.cancelled() or before.exception() is not None:
                    raise EarlyUpdate("What was sent before was not taken; connect again.")
            try:
                saving = self._begin(live, sent)
            except LargeUpdate:
                saving = await self._apply_in_pieces(live, sent)
            if saving is not None:
                await saving

    async def _apply_in_pieces(self, live: Live, sent: Sent) -> "asyncio.Future[Any] | None":
        # Each is tried on what the last one left: two that are cheap alone may be dear together.
        async with live.turn:
            document, saving = live.document, None
            pieces = await self._trials.try_update(document.id, document.full_update(), sent.update)
            for piece in pieces:
                saving = self._begin(live, sent._replace(update=piece), tried=True)
                await asyncio.sleep(0)
            return saving
