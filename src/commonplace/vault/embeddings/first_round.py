"""What comes first after a start: the provider is opened, and what changed meanwhile is embedded.

An answer that needs it waits a little, while it is young; what takes longer is not waited for, and
whoever answers says how far it is.
"""

import anyio

_WAIT_SECONDS_MAX = 5.0
_YOUNG_SECONDS_MAX = 60.0


class FirstRound:
    """Waits for the provider, and for all that was to be embedded at the start."""

    def __init__(self, seconds_max: float = _WAIT_SECONDS_MAX) -> None:
        self.seconds_max = seconds_max
        self._began: float | None = None
        self._opened, self._ended = anyio.Event(), anyio.Event()

    @property
    def is_underway(self) -> bool:
        """Whether it has begun and not ended."""
        return self._began is not None and not self._ended.is_set()

    def begin(self) -> None:
        """Say that somebody embeds from now on."""
        self._began = anyio.current_time()

    def open(self) -> None:
        """Say that the provider is there."""
        self._opened.set()

    def end(self) -> None:
        """Say that all is embedded, or that it fails: nobody waits any longer."""
        self._opened.set()
        self._ended.set()

    async def wait_for_provider(self) -> None:
        """Wait until the provider is there."""
        await self._wait(self._opened)

    async def wait(self) -> None:
        """Wait until everything is embedded."""
        await self._wait(self._ended)

    async def _wait(self, event: anyio.Event) -> None:
        if self._began is None or anyio.current_time() - self._began > _YOUNG_SECONDS_MAX:
            return
        with anyio.move_on_after(self.seconds_max):
            await event.wait()
