"""Gives memory back when notes have changed and then rest; see `memory`.

The texts that were read last go too, for a note that is gone may have been a very large one.
"""

from collections.abc import Awaitable, Callable

import anyio
import anyio.to_thread

from commonplace.core import critic
from commonplace.vault.memory import give_back

REST_SECONDS = 5.0


class RestWatch:
    """Gives memory back whenever nothing has changed for a while after something did."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = anyio.sleep) -> None:
        self._sleep = sleep
        self._changed = anyio.Event()

    def heard(self, _: object) -> None:
        """Hear that something changed."""
        self._changed.set()

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            await self._changed.wait()
            while self._changed.is_set():
                self._changed = anyio.Event()
                await self._sleep(REST_SECONDS)
            critic.parse.cache_clear()
            await anyio.to_thread.run_sync(give_back)
