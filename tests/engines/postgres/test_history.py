"""The history in PostgreSQL: the contract, and what is particular to it."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.history.history import History
from commonplace.vault.history.postgres import PostgresHistory
from commonplace.vault.postgres.connection import Connection
from tests.engines.postgres.node import HeldLease, make_node, take
from tests.vault.history.contract import HistoryContract, revision

pytestmark = pytest.mark.anyio


@pytest.fixture
def node(url: str) -> Generator[Connection]:
    with make_node(url) as connection:
        yield connection


class TestPostgresHistory(HistoryContract):
    @pytest.fixture(autouse=True)
    def _given(self, url: str, node: Connection) -> None:
        self.url, self.node = url, node

    def open_history(self, folder: Path) -> History:
        return PostgresHistory(self.url, take(self.node))


async def test_a_zombie_writes_no_history(url: str, node: Connection) -> None:
    first: HeldLease = take(node)
    zombie = PostgresHistory(url, first)
    await zombie.append([revision("", "a")])
    owner = PostgresHistory(url, take(node))
    with pytest.raises(Unavailable, match="another node may have this vault"):
        await zombie.append([revision("a", "ab")])
    assert (await owner.size())[0] == 1
    await zombie.close()
    await owner.close()
