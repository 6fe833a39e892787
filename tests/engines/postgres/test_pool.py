"""One pool of connections under the logs and histories of several vaults."""

from collections.abc import Generator
from typing import Any

import psycopg
import pytest

from commonplace.errors import Unavailable
from commonplace.vault.history.postgres import PostgresHistory
from commonplace.vault.log.log import LogEntry
from commonplace.vault.log.postgres import PostgresLog
from commonplace.vault.postgres.connection import Connection
from commonplace.vault.postgres.pool import Pool
from tests.engines.postgres.node import make_node, take
from tests.wait import eventually

pytestmark = pytest.mark.anyio

ROUNDS = 12  # the driver prepares a statement when it has seen it five times


@pytest.fixture
def node(url: str) -> Generator[Connection]:
    with make_node(url) as node:
        yield node


def backends(url: str, *, end: bool = False) -> int:
    """Count the connections of this database but ours and the node's; or end them."""
    with psycopg.connect(url) as connection:
        what = "pg_terminate_backend(pid)" if end else "pid"
        rows: list[Any] = connection.execute(
            f"SELECT {what} FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
        ).fetchall()
    return len(rows) - (0 if end else 1)


async def test_vaults_on_one_connection_do_not_mix(url: str, node: Connection) -> None:
    pool = Pool(url, connections_max=1)
    logs = [PostgresLog(pool, take(node, name)) for name in ("one", "two", "three")]
    histories = [PostgresHistory(pool, take(node, name)) for name in ("four", "five")]
    for turn in range(ROUNDS):
        for at, log in enumerate(logs):
            await log.append(LogEntry("note", b"%d.%d" % (at, turn), "ana"))
            found = (await log.replay("note")).updates
            assert found == tuple(b"%d.%d" % (at, each) for each in range(turn + 1))
    assert backends(url) == 1
    for each in (*logs, *histories):
        await each.close()
    pool.close()
    await eventually(lambda: backends(url) == 0)


async def test_who_finds_no_connection_is_told_and_comes_in_later(
    url: str, node: Connection
) -> None:
    pool = Pool(url, connections_max=1, wait_seconds=0.05)
    log = PostgresLog(pool, take(node))
    await log.append(LogEntry("note", b"1", "ana"))
    held = await eventually(lambda: try_to_take(pool))
    with pytest.raises(Unavailable, match="nothing was saved"):
        await log.append(LogEntry("other", b"2", "ana"))
    pool.give_back(held)
    await log.append(LogEntry("third", b"3", "ana"))
    assert (await log.replay("note")).updates == (b"1",)
    await log.close()
    pool.close()


def try_to_take(pool: Pool) -> Connection | None:
    try:
        return pool.take()
    except Unavailable:
        return None  # the log has not given it back yet


async def test_one_connection_that_failed_takes_those_that_rest_with_it(
    url: str, node: Connection
) -> None:
    """The server that they lead to may be gone: each would fail another vault."""
    pool = Pool(url)
    logs = [PostgresLog(pool, take(node, name)) for name in ("one", "two")]
    lent = [pool.take() for _ in range(3)]
    for each in lent:
        pool.give_back(each)
    backends(url, end=True)
    with pytest.raises(Unavailable):
        await logs[0].append(LogEntry("note", b"1", "ana"))
    await logs[1].append(LogEntry("note", b"2", "ana"))
    for log in logs:
        await log.close()
    pool.close()
