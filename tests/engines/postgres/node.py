"""Another node's hand on the leases, for tests."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from commonplace.vault.lease import tables
from commonplace.vault.lease.lease import Lease
from commonplace.vault.postgres.connection import Connection, connect
from commonplace.vault.postgres.migrations import migrate

LONG = 300.0


class HeldLease:
    """A lease that a test took by hand; it takes note of its loss."""

    def __init__(self, fence: int, vault: str = "team") -> None:
        self.vault = vault
        self.fence = fence
        self.lost = asyncio.Event()
        self.is_lost = False  # as far as its node has heard: the database must know better
        self._loop = asyncio.get_running_loop()

    def lose(self) -> None:
        self._loop.call_soon_threadsafe(self.lost.set)


async def wait_lost(lease: Lease) -> None:
    """Wait until a lease is lost."""
    lost = asyncio.Event()
    lease.follow(lost.set)
    await lost.wait()


@contextmanager
def make_node(url: str) -> Generator[Connection]:
    """A connection of a node, with the tables of leases made."""
    connection = connect(url)
    try:
        migrate(connection, "commonplace", "leases", tables.LEASE_STEPS)
        yield connection
    finally:
        connection.close()


def take(node: Connection, vault: str = "team") -> HeldLease:
    """Take a lease, whoever has it."""
    node.execute("UPDATE leases SET until = '-infinity' WHERE vault = ?", (vault,))
    fence = tables.claim(node, vault, "node", "", LONG)
    assert fence is not None
    return HeldLease(fence, vault)
