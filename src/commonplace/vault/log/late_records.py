"""Records of what has happened. They may come late, but the deed is not called failed for that.

A suggestion is saved, then who made it; a decision, then who decided it. When the disk fails in
between, whoever asked hears that it worked, since it did, and the record is put down later.
"""

import asyncio
import logging
from contextlib import suppress

from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.log.log import Log
from commonplace.vault.supervisor import Background, tell_failure

RETRY_SECONDS = 1.0

_logger = logging.getLogger(__name__)


class Afterwards:
    """Puts such records into the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._owed: dict[tuple[str, str], str | None] = {}
        self._background = Background()
        self._retrying = False
        self._closed = asyncio.Event()

    async def records(self, kind: str) -> dict[str, str]:
        """Read all records of a kind, by key."""
        return await self._log.records(kind)

    async def put(self, kind: str, key: str, value: str | None) -> None:
        """Save a record (`None` forgets it); if that cannot be done now, as soon as it can."""
        self._owed.pop((kind, key), None)  # an older value, which must not come behind this one
        try:
            await self._log.put_record(kind, key, value)
        except Unavailable as error:
            _logger.warning("A record of what was done will be kept later. %s", error)
            self._owed[kind, key] = value
            if not self._retrying:
                self._retrying = True
                self._background.start(self._retry())
        except CommonplaceError as error:
            tell_failure("A record of what was done cannot be kept.", error)

    async def close(self) -> None:
        """Try what is left once more, and no longer."""
        self._closed.set()
        await self._background.finish()

    async def _retry(self) -> None:
        last = False
        while self._owed and not last:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), RETRY_SECONDS)
            last = self._closed.is_set()
            await self._settle()
        self._retrying = False
        if self._owed:
            _logger.error("%d records of what was done could not be kept.", len(self._owed))

    async def _settle(self) -> None:
        for kind, key in list(self._owed):
            if (kind, key) not in self._owed:
                continue
            value = self._owed.pop((kind, key))
            try:
                await self._log.put_record(kind, key, value)
            except Unavailable:
                self._owed.setdefault((kind, key), value)  # unless a newer one is owed by now
                return
            except CommonplaceError as error:  # no other record waits for one that is at fault
                tell_failure("A record of what was done cannot be kept.", error)
