"""Files that a swap pushed out, kept in sight for a moment longer.

A program may have opened the file just before the swap, and write into it just after: that has no
name any more by then, or another, and what it wrote would be lost unseen.
"""

import os
from collections.abc import Awaitable, Callable

import anyio
import anyio.to_thread

from commonplace.vault.documents.file.stable_read import Caution, LastLook, Unsettled
from commonplace.vault.files.reader import Look
from commonplace.vault.files.writer import look_at
from commonplace.vault.supervisor import Background

# Between finding a file by its name and having it open, a program may be kept waiting.
WATCH_SECONDS = 0.25
COUNT_MAX = 128
_TRIES_MAX = 30
_PAUSE_SECONDS_MAX = 5.0

Rescue = Callable[[bytes], Awaitable[None]]


class Leftovers:
    """All that were pushed out a moment ago."""

    def __init__(self, caution: Caution) -> None:
        self._caution = caution
        self._background = Background()
        self._count = 0
        self._closing = anyio.Event()

    def watch(
        self,
        descriptor: int,
        data: bytes,
        deletes_much: Callable[[bytes], bool],
        rescue: Rescue,
    ) -> None:
        """Look at an open file that held this, until nobody writes it; what else comes is rescued.

        Where too many are watched, it is looked at once.
        """
        self._count += 1
        self._background.start(self._watch(descriptor, data, deletes_much, rescue))

    async def close(self) -> None:
        """Look at all of them now."""
        self._closing.set()
        await self._background.finish()

    async def _watch(
        self,
        descriptor: int,
        data: bytes,
        deletes_much: Callable[[bytes], bool],
        rescue: Rescue,
    ) -> None:
        async def look() -> Look:
            return await anyio.to_thread.run_sync(look_at, descriptor)

        try:
            pause = WATCH_SECONDS if self._count <= COUNT_MAX else 0.0
            while True:
                await self._pause(pause)
                found = await look()
                if found.data != data:
                    found = await self._believed(look, deletes_much)
                if found is not None and found.data != data:
                    data = found.data
                    await rescue(data)
                if found is None or not found.held or not pause or self._closing.is_set():
                    return
                pause = min(2 * pause, _PAUSE_SECONDS_MAX)
        finally:
            self._count -= 1
            os.close(descriptor)

    async def _pause(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self._closing.wait()

    async def _believed(
        self, look: Callable[[], Awaitable[Look]], deletes_much: Callable[[bytes], bool]
    ) -> Look | None:
        """Look until it can be believed; None if it never can."""
        seen = LastLook()
        for _ in range(_TRIES_MAX):
            try:
                return await self._caution.believe(look, deletes_much, seen)
            except Unsettled:
                continue
        return None
