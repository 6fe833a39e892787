"""Looks at a file until what it holds can be believed.

Most programs save in place: they empty the file, then write it. Whoever looks in between sees a
text cut short, and the file's own time tells nothing: on ext4 it is the old one for as long as the
disk is busy. So a program that has the file open for writing is waited for, and what would delete
much is believed only if it is the same a while later, by our own clock.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from commonplace.errors import Unavailable
from commonplace.vault.files.reader import Look

# Later than any writer's window that was seen.
WINDOW_SECONDS = 0.5
# A change that deletes little, while some program keeps the file open, or nobody knows.
UNCHANGED_SECONDS = 0.05
# A program that keeps the file open, and leaves it cut short for so long, means it.
HELD_SECONDS_MAX = 10.0
# Nobody is kept waiting for longer than this at once.
SAVE_WAIT_SECONDS_MAX = 1.0
_POLL_SECONDS = 0.02


class Unsettled(Unavailable):
    """Another program seems to be in the middle of saving the file."""


@dataclass(slots=True)
class LastLook:
    """What was last seen in a file, and since when it is the same."""

    data: bytes | None = None
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class Caution:
    """How long a look is doubted."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep

    async def believe(
        self,
        look: Callable[[], Awaitable[Look]],
        deletes_much: Callable[[bytes], bool],
        seen: LastLook,
    ) -> Look:
        """Look until what is there can be believed; `Unsettled` if that takes too long."""
        end = self.clock() + SAVE_WAIT_SECONDS_MAX
        while True:
            found = await look()
            now = self.clock()
            if found.data != seen.data:
                seen.data, seen.since = found.data, now
            doubt = self.doubt(found, deletes_much) - (now - seen.since)
            if doubt <= 0:
                seen.data = None
                return found
            if now + min(doubt, _POLL_SECONDS) > end:
                raise Unsettled("The file is being written by another program; it is tried again.")
            await self.sleep(min(doubt, _POLL_SECONDS))

    def doubt(self, look: Look, deletes_much: Callable[[bytes], bool]) -> float:
        """Tell for how many seconds a file must be the same before this is believed."""
        if deletes_much(look.data):
            return HELD_SECONDS_MAX if look.held else WINDOW_SECONDS
        return 0.0 if look.held is False else UNCHANGED_SECONDS
