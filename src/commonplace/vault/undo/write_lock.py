"""Lets an assistant's writes wait while what it did is being taken back.

What it writes after that comes after the undo, in every note. A write that is under way is waited
for, but not for long: one that waits for its person's answer may take minutes, and is made later
than the undo then.
"""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from commonplace.errors import Unavailable

LOCK_SECONDS_MAX = 60.0
UNDER_WAY_SECONDS_MAX = 5.0


class WriteLock:
    """Whose writes are under way, and whose have to wait."""

    def __init__(self) -> None:
        self._writing: Counter[str] = Counter()
        self._held: dict[str, anyio.Event] = {}
        self._idle: dict[str, anyio.Event] = {}

    @asynccontextmanager
    async def write(self, name: str) -> AsyncGenerator[None]:
        """Write as an assistant of a name, as soon as that may be."""
        with anyio.move_on_after(LOCK_SECONDS_MAX):
            while (over := self._held.get(name)) is not None:
                await over.wait()
        if name in self._held:
            raise Unavailable(
                "Nothing was changed: a person is taking back what you did. Read the notes again"
                " before you go on."
            )
        self._writing[name] += 1
        try:
            yield
        finally:
            self._writing[name] -= 1
            if not self._writing[name] and (idle := self._idle.pop(name, None)) is not None:
                idle.set()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncGenerator[None]:
        """Hold an assistant back, once what it is writing is written."""
        while (other := self._held.get(name)) is not None:
            await other.wait()
        over = self._held[name] = anyio.Event()
        try:
            if self._writing[name]:
                idle = self._idle[name] = anyio.Event()
                with anyio.move_on_after(UNDER_WAY_SECONDS_MAX):
                    await idle.wait()
            yield
        finally:
            del self._held[name]
            over.set()
