"""The log in PostgreSQL: the contract, and what is particular to it."""

import asyncio
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from commonplace.errors import BadArgument, CommonplaceError, Unavailable
from commonplace.vault.log import postgres_engine
from commonplace.vault.log.log import Log, LogEntry
from commonplace.vault.log.postgres import PostgresLog
from commonplace.vault.postgres.connection import Connection, connect
from tests.engines.postgres.conftest import admin
from tests.engines.postgres.node import make_node, take
from tests.engines.postgres.proxy import proxy_to
from tests.engines.postgres.server import ROLE, PostgresServer
from tests.vault.log.contract import BIG, LogContract, entry


@pytest.fixture
def node(url: str) -> Generator[Connection]:
    with make_node(url) as connection:
        yield connection


class TestPostgresLog(LogContract):
    """The contract; writes fail for want of the right to make them."""

    @pytest.fixture(autouse=True)
    def _given(self, url: str, node: Connection, postgres: PostgresServer, database: str) -> None:
        self.url, self.node, self.postgres, self.database = url, node, postgres, database

    def open_log(self, folder: Path) -> Log:
        return PostgresLog(self.url, take(self.node))

    def fill(self, log: Log) -> None:
        """Refuse what is as big as a full disk would: with its own error."""
        with admin(self.postgres, self.database) as connection:
            connection.execute("""CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$""")
            for table in ("updates", "snapshots"):
                connection.execute(
                    sql.SQL(
                        "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON vault_team.{}"
                        " FOR EACH ROW WHEN (length(NEW.data) > 5000) EXECUTE FUNCTION refuse()"
                    ).format(sql.Identifier(table))
                )

    def free(self, log: Log) -> None:
        with admin(self.postgres, self.database) as connection:
            connection.execute("DROP FUNCTION refuse CASCADE")


pytestmark = pytest.mark.anyio


async def test_a_zombie_commits_nothing_and_takes_note(url: str, node: Connection) -> None:
    first = take(node)
    zombie = PostgresLog(url, first)
    await zombie.append(entry(b"1"))
    second = take(node)
    owner = PostgresLog(url, second)
    assert (await owner.replay("note")).updates == (b"1",)
    with pytest.raises(Unavailable, match="another node may have this vault"):
        await zombie.append(entry(b"of the zombie"))
    with pytest.raises(Unavailable, match="another node may have this vault"):
        await zombie.replay("note")
    async with asyncio.timeout(10):
        await first.lost.wait()
    await owner.append(entry(b"2"))
    assert (await owner.replay("note")).updates == (b"1", b"2")
    assert not second.lost.is_set()
    await zombie.close()
    await owner.close()


async def test_without_the_fence_a_zombie_would_destroy_what_was_acknowledged(
    url: str, node: Connection
) -> None:
    """The control: what asks for the lease does nothing, and a late compaction is committed."""
    node.execute(
        "CREATE OR REPLACE FUNCTION require_lease(wanted TEXT, number BIGINT) RETURNS VOID"
        " LANGUAGE plpgsql AS $$ BEGIN END $$"
    )
    zombie = PostgresLog(url, take(node))
    await zombie.append(entry(b"1"))
    owner = PostgresLog(url, take(node))
    acknowledged = await owner.append(entry(b"2"))
    await zombie.compact("note", acknowledged, b"state without it")
    assert (await owner.replay("note")).updates == (b"state without it",)
    await zombie.close()
    await owner.close()


async def test_a_lease_that_ran_out_is_refused_even_if_nobody_took_it(
    url: str, node: Connection
) -> None:
    lease = take(node)
    log = PostgresLog(url, lease)
    node.execute("UPDATE leases SET until = clock_timestamp()")
    with pytest.raises(Unavailable, match="another node"):
        await log.append(entry(b"1"))
    await log.close()


async def test_a_killed_backend_fails_what_it_did_and_no_more(
    url: str, node: Connection, postgres: PostgresServer, database: str
) -> None:
    log = PostgresLog(url, take(node))
    await log.append(entry(b"1"))
    with admin(postgres) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            " AND query LIKE '%%COMMIT%%'",
            (database,),
        )
    with pytest.raises(Unavailable):
        await log.append(entry(b"2"))
    assert log.problem is not None
    await log.replay("note")
    assert await log.append(entry(b"3")) > 0
    assert log.problem is None
    assert (await log.replay("note")).updates == (b"1", b"3")
    await log.close()


async def test_what_was_cut_off_while_it_was_committed_is_called_uncertain(
    postgres: PostgresServer, database: str, node: Connection
) -> None:
    async with proxy_to(postgres.port) as proxy:
        behind = postgres.url(database, port=proxy.port)
        log = await asyncio.to_thread(PostgresLog, behind, take(node))
        await log.append(entry(b"1"))
        proxy.cut_after(b"COMMIT")
        pending = log.append(entry(b"2"))
        async with asyncio.timeout(20):
            await proxy.was_cut.wait()
        log.sever()
        with pytest.raises(Unavailable, match="may have been saved or not"):
            await pending
        proxy.mend()
        replay = await log.replay("note")
        assert replay.updates in ((b"1",), (b"1", b"2"))
        seq = await log.append(entry(b"3"))
        assert seq > replay.seq
        await log.close()


@pytest.mark.parametrize("lost", [True, False])
async def test_whoever_knows_that_the_lease_is_lost_does_not_ask_a_silent_database(
    postgres: PostgresServer, database: str, node: Connection, lost: bool
) -> None:
    """With a control: while nobody knows, each question is put to the network."""
    async with proxy_to(postgres.port) as proxy:
        behind = postgres.url(database, port=proxy.port)
        lease = take(node)
        log = await asyncio.to_thread(PostgresLog, behind, lease)
        await log.append(entry(b"1"))
        proxy.hang_up()
        lease.is_lost = lost
        before = proxy.accepted
        tried = await asyncio.gather(
            *[log.replay("note") for _ in range(3)], log.append(entry(b"2")), return_exceptions=True
        )
        if lost:
            assert all(isinstance(each, Unavailable) for each in tried)
            assert "another node may have this vault" in str(tried[0])
        assert (proxy.accepted == before) is lost
        await log.close()


async def test_a_database_that_fails_while_a_vault_is_opened_is_told_as_that(
    url: str, node: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Connection, *_: object) -> None:
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as failing:
        failing.setattr(postgres_engine, "is_current", fail)
        with pytest.raises(Unavailable, match="terminat"):
            PostgresLog(url, take(node))
    await PostgresLog(url, take(node)).close()


async def test_text_that_no_database_keeps_is_refused_alone(url: str, node: Connection) -> None:
    log = PostgresLog(url, take(node))
    with pytest.raises(BadArgument, match="half of a surrogate pair"):
        await log.put_record("ledger", "1", "ha\ud83d")
    with pytest.raises(CommonplaceError):
        await log.put_record("ledger", "1", "a\0b")
    await log.put_record("ledger", "2", "100% ? whole")
    assert await log.records("ledger") == {"2": "100% ? whole"}
    assert log.problem is None
    await log.close()


async def test_a_server_that_may_forget_is_not_believed(
    url: str, node: Connection, postgres: PostgresServer, database: str
) -> None:
    with admin(postgres) as connection:
        alter = sql.SQL("ALTER ROLE {} IN DATABASE {} SET synchronous_commit TO off")
        connection.execute(alter.format(sql.Identifier(ROLE), sql.Identifier(database)))
    fresh = connect(url)
    row = fresh.execute("SHOW synchronous_commit").fetchone()
    assert row == ("on",)
    fresh.close()
    with psycopg.connect(url) as plain:
        assert plain.execute("SHOW synchronous_commit").fetchone() == ("off",)  # the control


async def test_a_vault_of_a_newer_commonplace_is_refused(url: str, node: Connection) -> None:
    log = PostgresLog(url, take(node))
    await log.close()
    node.execute("UPDATE vault_team.migrations SET taken = 99")
    with pytest.raises(Unavailable, match="newer"):
        PostgresLog(url, take(node))


async def test_vaults_do_not_mix(url: str, node: Connection) -> None:
    one, two = PostgresLog(url, take(node, "one")), PostgresLog(url, take(node, "two's"))
    await one.append(entry(b"1"))
    await two.append(LogEntry("note", BIG, "ana"))
    assert (await one.replay("note")).updates == (b"1",)
    assert (await two.replay("note")).updates == (BIG,)
    await one.close()
    await two.close()
