"""The leases of one node: claimed, renewed together by one thread, given back.

Renewals have a connection of their own: however many vaults are asked for at once, what the node
has must not be lost because its renewal waits behind those questions.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Self, TypeVar

from commonplace.errors import Unavailable
from commonplace.vault.lease import tables
from commonplace.vault.lease.lease import LEASE_SECONDS, Lease
from commonplace.vault.lease.tables import Holder
from commonplace.vault.postgres.connection import Connection, connect, load_driver, reason
from commonplace.vault.postgres.migrations import migrate

_RENEWALS = 4  # in the time of a lease
_CLOSE_SECONDS_MAX = 1.0

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class Leases:
    """What this node holds; `address` is where other nodes reach it."""

    def __init__(
        self,
        url: str,
        node: str,
        address: str = "",
        *,
        seconds: float = LEASE_SECONDS,
        announces: bool = False,
    ) -> None:
        """Take whether other nodes are told that this one is ready to own any vault."""
        self._url = url
        self._node = node
        self._address = address
        self._seconds = seconds
        self._announces = announces
        self._held: dict[str, Lease] = {}
        self._renewals = _LazyConnection(url)
        self._questions = _LazyConnection(url)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="commonplace-lease", daemon=True)

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._questions.use, _migrate)
        if self._announces:
            await asyncio.to_thread(self._announce)
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def claim(self, vault: str) -> Lease | None:
        """Become the owner of a vault; None if another node is."""
        work = partial(
            tables.claim,
            vault=vault,
            node=self._node,
            address=self._address,
            seconds=self._seconds,
        )
        asked = time.monotonic()  # before the database counts: ours ends first
        fence = await asyncio.to_thread(self._questions.use, work)
        if fence is None:
            return None
        lease = Lease(vault, fence, asked + self._seconds)
        self._held[vault] = lease
        lease.follow(partial(self._lost, lease))
        return lease

    async def release(self, lease: Lease) -> None:
        """Give a vault back."""
        self._held.pop(lease.vault, None)
        lease.close()
        work = partial(tables.release, vault=lease.vault, fence=lease.fence)
        await asyncio.to_thread(self._questions.use, work)

    async def holder(self, vault: str) -> Holder | None:
        """Find the node that owns a vault; None if nobody does."""
        return await asyncio.to_thread(self._questions.use, partial(tables.holder, vault=vault))

    async def holders(self, vaults: Sequence[str]) -> dict[str, Holder]:
        """Find the nodes that own some vaults."""
        return await asyncio.to_thread(self._questions.use, partial(tables.holders, vaults=vaults))

    async def addresses(self) -> list[str]:
        """List where the nodes are that announce themselves."""
        return await asyncio.to_thread(self._questions.use, tables.addresses)

    async def retire(self) -> None:
        """Let no other node count on this one any more."""
        self._announces = False
        await asyncio.to_thread(self._questions.use, partial(tables.retire, node=self._node))

    async def close(self) -> None:
        """Renew no more. What was not given back runs out by itself."""
        self._closed.set()
        for lease in self._held.values():
            lease.close()
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        self._thread.join(_CLOSE_SECONDS_MAX)
        if self._thread.is_alive():  # it waits for an answer that does not come
            self._renewals.sever()
            self._thread.join()
        self._renewals.close()
        self._questions.close()

    def _lost(self, lease: Lease) -> None:
        if self._held.get(lease.vault) is lease:
            del self._held[lease.vault]
        self._renewals.sever()  # somebody may wait there for an answer that does not come
        self._questions.sever()

    def _run(self) -> None:
        pause = self._seconds / _RENEWALS
        while not self._closed.wait(pause):
            try:
                self._renew()
            except Unavailable as error:
                _logger.warning("The leases of this node could not be renewed. %s", error)

    def _announce(self) -> None:
        work = partial(
            tables.announce, node=self._node, address=self._address, seconds=self._seconds
        )
        self._renewals.use(work)

    def _renew(self) -> None:
        if self._announces:
            self._announce()
        held = dict(self._held)
        if not held:
            return
        asked = time.monotonic()
        fences = {vault: lease.fence for vault, lease in held.items()}
        kept = self._renewals.use(partial(tables.renew, held=fences, seconds=self._seconds))
        for vault, lease in held.items():
            if vault in kept:
                lease.prolong(asked + self._seconds)
            else:
                lease.lose()


class _LazyConnection:
    """A connection that is opened when it is needed, and anew when it has failed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None
        self._using = threading.Lock()

    def use(self, work: Callable[[Connection], T]) -> T:
        """Do something on the connection."""
        driver = load_driver()
        with self._using:
            if self._connection is not None and not self._connection.is_idle:
                self._drop()
            if self._connection is None:
                self._connection = connect(self._url)
            try:
                return work(self._connection)
            except driver.Error as error:
                raise Unavailable(f"The database failed ({reason(error)}).") from None

    def sever(self) -> None:
        """Let whoever waits for an answer fail; the next one has another connection."""
        if (connection := self._connection) is not None:
            connection.sever()
        if self._using.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._using.release()

    def close(self) -> None:
        """Let go of it, once nobody uses it."""
        self.sever()
        with self._using:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _migrate(connection: Connection) -> None:
    migrate(connection, "commonplace", "leases", tables.LEASE_STEPS)
