"""A clock that stands still until a test lets it go on."""

from dataclasses import dataclass

import anyio


@dataclass(slots=True)
class Clock:
    """Seconds since some moment; whoever sleeps by it lets it go on, and nobody waits."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await anyio.lowlevel.checkpoint()
