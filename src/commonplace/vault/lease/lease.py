"""A lease that this node holds: until it is given back, or lost, once and for ever."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

LEASE_SECONDS = 5.0


class Lease:
    """The right to write for a vault.

    Whether a write happens is the database's to say. What is decided here, by a clock that only
    measures how long it is since the last renewal was sent, is when to give up unasked: never
    later than the database would.
    """

    def __init__(
        self, vault: str, fence: int, until: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take until when it holds, by the clock."""
        self.vault = vault
        self.fence = fence
        self._until = until
        self._clock = clock
        self._lost = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._watch = self._loop.create_task(self._watch_end())
        self._listeners: list[Callable[[], None]] = []

    @property
    def is_lost(self) -> bool:
        """Whether it is over; what is lost does not come back."""
        return self._lost.is_set() or self._clock() >= self._until

    @property
    def seconds_left(self) -> float:
        """How long it holds if it is not renewed."""
        return 0.0 if self.is_lost else max(0.0, self._until - self._clock())

    def prolong(self, until: float) -> None:
        """Let it hold longer; from any thread."""
        self._until = max(self._until, until)

    def lose(self) -> None:
        """End it; from any thread."""
        with suppress(RuntimeError):  # the loop is closed: nobody listens
            self._loop.call_soon_threadsafe(self._end)

    def follow(self, listener: Callable[[], None]) -> None:
        """Call somebody when it is lost, at once if it is."""
        if self._lost.is_set():
            listener()
        else:
            self._listeners.append(listener)

    def close(self) -> None:
        """Watch no longer; whoever follows is not called any more."""
        self._listeners.clear()
        self._watch.cancel()

    async def _watch_end(self) -> None:
        while (left := self._until - self._clock()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._lost.wait(), left)
                return
        self._end()

    def _end(self) -> None:
        if not self._lost.is_set():
            self._lost.set()
            for listener in self._listeners:
                listener()
