"""An owner in a thread of its own, with its own event loop, beside the relay that started it.

Light: what an owner needs is loaded in that thread, while the relay talks to the client.
"""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.vault.owner import Claim
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.server.owner.host import Compose

STOPPING_SECONDS_MAX = 4.0


class OwnerThread:
    """Runs `host` until it is told to stop; an `Owning` for the relay."""

    def __init__(self, settings: Settings, claim: Claim, load: "Callable[[], Compose]") -> None:
        self._failure: BaseException | None = None
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._stopping = False
        self._wake: Callable[[], object] | None = None
        arguments = settings, claim, load
        threading.Thread(target=self._run, args=arguments, name="owner").start()

    def ended(self) -> BaseException | None:
        """Wait until it has ended by itself, and say what went wrong, if anything did."""
        if not self._done.wait(STOPPING_SECONDS_MAX):
            return TimeoutError("the owner does not end")
        return self._failure

    def stop(self) -> None:
        """End it, and wait; but not for ever, since what was acknowledged is stored already."""
        with self._lock:
            self._stopping = True
            if self._wake is not None:
                self._wake()
        self._done.wait(STOPPING_SECONDS_MAX)

    def _run(self, settings: Settings, claim: Claim, load: "Callable[[], Compose]") -> None:
        try:
            import anyio

            anyio.run(self._host, settings, claim, load, backend_options={"use_uvloop": True})
        except CommonplaceError as error:
            self._failure = error  # the relay tells it
        except BaseException as error:
            import logging

            logging.getLogger(__name__).exception("the vault's owner failed")
            self._failure = error
        finally:
            self._done.set()

    async def _host(self, settings: Settings, claim: Claim, load: "Callable[[], Compose]") -> None:
        import asyncio

        import anyio

        from commonplace.server.owner.error_groups import plain_errors
        from commonplace.server.owner.host import host

        stop, loop = anyio.Event(), asyncio.get_running_loop()

        with self._lock:
            self._wake = partial(loop.call_soon_threadsafe, stop.set)
            if self._stopping:
                stop.set()
        try:
            with plain_errors():
                await host(settings, claim, compose=load(), stop=stop)
        finally:
            with self._lock:
                self._wake = None
