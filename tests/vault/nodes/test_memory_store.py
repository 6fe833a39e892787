"""The yardstick holds the contract that it is a yardstick of."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.nodes.store import Store
from commonplace.vault.permissions.permissions import Memory, Permissions
from tests.vault.nodes.contract import StoreContract, policies, text_of
from tests.vault.nodes.memory_store import MemoryStore


@asynccontextmanager
async def permitted(folder: Path, policy: str) -> AsyncGenerator[Permissions]:
    """Give permissions of their own, without a vault."""
    log = SqliteLog(folder / "permissions.db")
    afterwards = Afterwards(log)
    try:
        yield Permissions(Memory(log, afterwards), policies(policy))
    finally:
        await afterwards.close()
        await log.close()


class TestMemoryStore(StoreContract):
    def id_of(self, title: str) -> str:
        return f"{title}.md"

    @asynccontextmanager
    async def open_store(
        self,
        folder: Path,
        nodes: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
        policy: str,
    ) -> AsyncGenerator[Store]:
        texts = {self.id_of(title): text_of(*parts) for title, parts in nodes.items()}
        async with permitted(folder, policy) as permissions:
            yield MemoryStore(texts, permissions)
