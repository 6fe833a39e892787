"""An owner in a thread of its own, with its own event loop, beside the relay that started it."""

import logging
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import ExitStack

import anyio
from anyio.from_thread import start_blocking_portal

from commonplace.errors import CommonplaceError
from commonplace.server.host import Compose, host
from commonplace.server.unwrap import plain_errors
from commonplace.vault.owner import Claim
from commonplace.vault.settings import Settings

STOPPING_SECONDS_MAX = 4.0

logger = logging.getLogger(__name__)


class OwnerThread:
    """Runs `host` until it is told to stop; an `Owning` for the relay."""

    def __init__(self, settings: Settings, claim: Claim, compose: Compose) -> None:
        self._loop = ExitStack()
        portal = start_blocking_portal(backend_options={"use_uvloop": True}, name="owner")
        self._portal = self._loop.enter_context(portal)
        self._stop = self._portal.call(anyio.Event)
        self._done = self._portal.start_task_soon(self._host, settings, claim, compose)

    async def _host(self, settings: Settings, claim: Claim, compose: Compose) -> None:
        try:
            with plain_errors():
                await host(settings, claim, compose=compose, stop=self._stop)
        except CommonplaceError:
            raise  # the relay tells it
        except BaseException:
            logger.exception("the vault's owner failed")
            raise

    def ended(self) -> BaseException | None:
        """Wait until it has ended by itself, and say what went wrong, if anything did."""
        try:
            failure = self._done.exception(STOPPING_SECONDS_MAX)
        except TookTooLong as late:
            return late
        self._loop.close()
        return failure

    def stop(self) -> None:
        """End it, and wait; but not for ever, since what was acknowledged is stored already."""
        try:
            if not self._done.done():
                self._portal.call(self._stop.set)
            self._done.exception(STOPPING_SECONDS_MAX)
        except TookTooLong:
            return
        self._loop.close()
