"""Where the vaults of a team are: which node has one, and which is to have one that nobody has.

Who opens a vault follows from its name and from which nodes are there, so that all nodes choose
alike: a dead node's vaults fall to the others in about equal shares, and the rest stay.
"""

import hashlib
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import anyio

from commonplace.errors import Unavailable
from commonplace.vault.lease.leases import Leases
from commonplace.vault.lease.tables import Holder

_FRESH_SECONDS = 1.0
_REMEMBERED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class _KnownHolder:
    holder: Holder | None
    at: float


class Places:
    """What the database says, remembered for a moment."""

    def __init__(self, leases: Leases, address: str) -> None:
        self.address = address
        self._leases = leases
        self._seen: dict[str, _KnownHolder] = {}
        self._carried: dict[anyio.CancelScope, tuple[str, Holder]] = {}
        self._nodes: tuple[list[str], float] = [], 0.0
        self._goes = False
        self._wanted: set[str] = set()
        self._asking = anyio.Lock()

    def retire(self) -> None:
        """Leave this node out: it is about to end."""
        self._goes = True

    async def holder(self, vault: str) -> Holder | None:
        """Find the node that has a vault; None if nobody does.

        All who ask while a question is under way are answered together by the next: hundreds wait
        for their vaults when a node has died.
        """
        asked = time.monotonic()
        seen = self._seen.get(vault)
        while seen is None or asked - seen.at > _FRESH_SECONDS:
            self._wanted.add(vault)
            async with self._asking:
                if vault in self._wanted:
                    await self._ask()
            seen = self._seen.get(vault)
        return seen.holder

    async def _ask(self) -> None:
        wanted, at = list(self._wanted), time.monotonic()
        self._wanted.clear()
        found = await self._leases.holders(wanted)
        if len(self._seen) + len(wanted) > _REMEMBERED_MAX:
            self._seen.clear()
        self._seen.update({vault: _KnownHolder(found.get(vault), at) for vault in wanted})

    def forget(self, vault: str, holder: Holder | None = None) -> None:
        """Ask the database the next time: what is remembered of the holder was not so."""
        seen = self._seen.get(vault)
        if seen is not None and seen.holder == holder:
            del self._seen[vault]

    async def candidates(self, vault: str) -> list[str]:
        """List who is to open a vault that nobody has: the first that answers."""
        async with self._asking:
            nodes, at = self._nodes
            if time.monotonic() - at > _FRESH_SECONDS:
                nodes = await self._leases.addresses()
                self._nodes = nodes, time.monotonic()
        return rank(vault, {*nodes, self.address} - ({self.address} if self._goes else set()))

    @contextmanager
    def carrying(self, vault: str, holder: Holder) -> Generator[None]:
        """Run the body for as long as a node has a vault: what it says later is of the past."""
        with anyio.CancelScope() as scope:
            self._carried[scope] = vault, holder
            try:
                yield
            finally:
                del self._carried[scope]

    async def watch(self) -> None:
        """Cut what is carried to nodes that the database no longer names; until cancelled."""
        while True:
            await anyio.sleep(_FRESH_SECONDS)
            carried = dict(self._carried)
            if carried:
                with suppress(Unavailable):
                    found = await self._leases.holders([*{vault for vault, _ in carried.values()}])
                    for scope, (vault, holder) in carried.items():
                        if found.get(vault) != holder:
                            self.forget(vault, holder)
                            scope.cancel()


def rank(vault: str, addresses: set[str]) -> list[str]:
    """Put nodes in the order in which they are to have a vault; each vault has one of its own."""
    return sorted(
        addresses, key=lambda address: hashlib.sha256(f"{address}\0{vault}".encode()).digest()
    )
