"""Leases over a real PostgreSQL, with owners that stop, connections that break, and controls."""

import asyncio
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from commonplace.errors import Unavailable
from commonplace.server.cluster.places import Places
from commonplace.vault.lease import tables
from commonplace.vault.lease.lease import Lease
from commonplace.vault.lease.leases import Leases
from commonplace.vault.postgres.connection import Connection, connect
from commonplace.vault.postgres.migrations import migrate
from tests.engines.postgres.conftest import admin
from tests.engines.postgres.node import wait_lost
from tests.engines.postgres.proxy import proxy_to
from tests.engines.postgres.server import PostgresServer
from tests.wait import eventually

pytestmark = pytest.mark.anyio

SHORT = 0.6
LONG = 300.0


@pytest.fixture
def sessions(url: str) -> Generator[list[Connection]]:
    """Three connections, as of three nodes."""
    made = [connect(url) for _ in range(3)]
    migrate(made[0], "commonplace", "leases", tables.LEASE_STEPS)
    yield made
    for each in made:
        each.close()


def expire(connection: Connection, vault: str = "team") -> None:
    connection.execute("UPDATE leases SET until = '-infinity' WHERE vault = ?", (vault,))


def abandon(connection: Connection, vault: str) -> None:
    """Leave a short lease behind, as a node does that was killed."""
    connection.execute(
        "INSERT INTO leases VALUES (?, 'gone', '', 1,"
        " clock_timestamp() + make_interval(secs => ?))",
        (vault, SHORT),
    )


async def claimed(leases: Leases, vault: str = "team") -> Lease:
    """Claim a vault, as soon as it can be had."""
    return await eventually(lambda: leases.claim(vault))


async def test_a_vault_has_one_owner(url: str) -> None:
    async with Leases(url, "one", "one:1", seconds=LONG) as one, Leases(url, "two") as two:
        lease = await one.claim("team")
        assert lease is not None
        assert await two.claim("team") is None
        assert await two.claim("other") is not None
        holder = await two.holder("team")
        assert holder == tables.Holder("one", "one:1", lease.fence)
        assert holder is not None
        assert 0 < holder.seconds_left <= LONG
        assert not lease.is_lost


async def test_only_one_of_many_claims_at_once_has_it(url: str) -> None:
    async with Leases(url, "one") as one, Leases(url, "two") as two, Leases(url, "three") as three:
        for round_ in range(10):
            tried = await asyncio.gather(*[each.claim(f"v{round_}") for each in (one, two, three)])
            assert sum(each is not None for each in tried) <= 1
            await claimed_or_held(tried, one, f"v{round_}")


async def claimed_or_held(tried: list[Lease | None], leases: Leases, vault: str) -> None:
    """Somebody has it, or can have it: nobody is kept out by two who met."""
    if not any(tried):
        assert await claimed(leases, vault)


async def test_what_is_given_back_is_free_at_once_under_a_higher_fence(url: str) -> None:
    async with Leases(url, "one", seconds=LONG) as one, Leases(url, "two", seconds=LONG) as two:
        lease = await one.claim("team")
        assert lease is not None
        await one.release(lease)
        assert await two.holder("team") is None
        again = await two.claim("team")
        assert again is not None
        assert again.fence > lease.fence


async def test_a_lease_is_renewed_while_its_node_lives_and_runs_out_after(
    url: str, sessions: list[Connection]
) -> None:
    async with Leases(url, "two", seconds=SHORT) as two:
        async with Leases(url, "one", seconds=SHORT) as one:
            lease = await one.claim("team")
            assert lease is not None
            for vault in ("a", "b", "c"):  # leases that nobody renews run out meanwhile
                abandon(sessions[0], vault)
                await claimed(two, vault)
                taken = await two.claim("team")
                assert taken is None or lease.is_lost
        taken = await claimed(two)
        assert taken.fence > lease.fence


async def test_a_transaction_without_the_lease_is_refused(sessions: list[Connection]) -> None:
    one, two, _ = sessions
    one.execute("CREATE TABLE kept (value TEXT)")
    fence = tables.claim(one, "team", "one", "", LONG)
    assert fence == 1
    expire(two)
    assert tables.claim(two, "team", "two", "", LONG) == 2
    one.execute("BEGIN")
    with pytest.raises(psycopg.Error) as refused:
        tables.require(one, "team", fence)
    one.execute("COMMIT")  # which the server makes a rollback of
    assert refused.value.sqlstate == tables.LOST
    with two.raw.transaction():
        tables.require(two, "team", 2)
        two.execute("INSERT INTO kept VALUES ('of the owner')")
    assert two.execute("SELECT value FROM kept").fetchall() == [("of the owner",)]


async def test_nobody_takes_over_while_the_owner_commits(sessions: list[Connection]) -> None:
    """What a transaction has asked for holds until its end, even when the lease runs out."""
    one, two, _ = sessions
    fence = tables.claim(one, "team", "one", "", LONG)
    assert fence is not None
    with one.raw.transaction():
        tables.require(one, "team", fence)
        expire(two)
        assert tables.claim(two, "team", "two", "", LONG) is None
    assert tables.claim(two, "team", "two", "", LONG) == fence + 1


async def test_asking_without_holding_the_row_would_let_a_zombie_commit(
    sessions: list[Connection],
) -> None:
    """The control: the same check without its lock, and both have committed."""
    one, two, _ = sessions
    one.execute("CREATE TABLE kept (value TEXT)")
    fence = tables.claim(one, "team", "one", "", LONG)
    with one.raw.transaction():
        found = one.execute(
            "SELECT 1 FROM leases WHERE fence = ? AND until > clock_timestamp()", (fence,)
        )
        assert found.fetchone() == (1,)
        expire(two)
        assert tables.claim(two, "team", "two", "", LONG) == 2
        one.execute("INSERT INTO kept VALUES ('of a zombie')")
    assert two.execute("SELECT value FROM kept").fetchall() == [("of a zombie",)]


async def test_a_renewal_waits_for_no_transaction(sessions: list[Connection]) -> None:
    one, two, _ = sessions
    fence = tables.claim(one, "team", "one", "", LONG)
    assert fence is not None
    with one.raw.transaction():
        tables.require(one, "team", fence)
        two.execute("SET lock_timeout TO '2s'")
        assert tables.renew(two, {"team": fence, "other": 7}, LONG) == {"team"}


async def test_an_owner_that_stops_in_a_transaction_is_thrown_out(
    sessions: list[Connection],
) -> None:
    one, two, _ = sessions
    fence = tables.claim(one, "team", "one", "", LONG)
    assert fence is not None
    one.execute("SET idle_in_transaction_session_timeout TO '300ms'")
    one.execute("BEGIN")
    tables.require(one, "team", fence)
    expire(two)
    assert tables.claim(two, "team", "two", "", LONG) is None
    await eventually(lambda: tables.claim(two, "team", "two", "", LONG) == 2)
    with pytest.raises(psycopg.Error):
        one.execute("COMMIT")


@contextmanager
def connected(url: str) -> Generator[Connection]:
    connection = connect(url)
    try:
        yield connection
    finally:
        connection.close()


def until(connection: Connection) -> float:
    row = connection.execute("SELECT extract(epoch FROM until)::float8 FROM leases").fetchone()
    assert row is not None
    return row[0]


async def test_a_killed_backend_costs_no_lease(url: str, postgres: PostgresServer) -> None:
    async with Leases(url, "one", seconds=8.0) as one:
        lease = await one.claim("team")
        assert lease is not None
        with admin(postgres) as connection:
            killed = connection.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE application_name = 'commonplace'"
            ).fetchone()
        assert killed is not None
        assert killed[0] >= 1
        looking = connect(url)
        before = until(looking)
        await eventually(lambda: until(looking) > before)  # renewed, by another connection
        looking.close()
        assert not lease.is_lost


async def test_a_renewal_does_not_wait_behind_questions(url: str) -> None:
    """When a node dies, the others ask for hundreds of vaults at once."""
    async with Leases(url, "one", seconds=8.0) as one:
        lease = await one.claim("team")
        assert lease is not None
        with psycopg.connect(url) as other, connected(url) as looking:
            # Who claims a vault whose row another is about to make must wait for that one.
            other.execute("INSERT INTO commonplace.leases VALUES ('new', '', '', 0, '-infinity')")
            question = asyncio.create_task(one.claim("new"))
            before = until(looking)
            await eventually(lambda: until(looking) > before)
            assert not question.done()
            other.commit()
            assert await question is not None
        assert not lease.is_lost


class CountedLeases(Leases):
    """Counts its questions to the database."""

    questions = 0

    async def holders(self, vaults: Sequence[str]) -> dict[str, tables.Holder]:
        self.questions += 1
        return await super().holders(vaults)


async def test_hundreds_who_ask_at_once_share_a_question(url: str) -> None:
    async with CountedLeases(url, "one", "one:1", seconds=LONG) as one:
        lease = await one.claim("v7")
        assert lease is not None
        places = Places(one, "two:1")
        found = await asyncio.gather(*(places.holder(f"v{number % 300}") for number in range(600)))
        assert [at for at, holder in enumerate(found) if holder] == [7, 307]
        asked = one.questions
        assert asked <= 2
        places.forget("v7", found[7])
        assert await places.holder("v7") == found[7]
        assert one.questions == asked + 1


@pytest.mark.parametrize("way", ["cut", "hang_up and cut"])
async def test_a_node_without_its_database_gives_up_by_itself_and_first(
    url: str, postgres: PostgresServer, database: str, way: str
) -> None:
    async with proxy_to(postgres.port) as proxy, Leases(url, "two", seconds=LONG) as two:
        behind = postgres.url(database, port=proxy.port)
        async with Leases(behind, "one", seconds=2.0) as one:
            lease = await one.claim("team")
            assert lease is not None
            proxy.cut()
            if "hang_up" in way:
                proxy.hang_up()
            lost: list[float] = []
            lease.follow(lambda: lost.append(time.monotonic()))
            taken = await claimed(two)
            assert lease.is_lost
            await eventually(lambda: lost)
            assert taken.fence > lease.fence
            proxy.mend()
            assert await one.claim("team") is None


async def test_a_lease_that_another_took_is_lost_at_the_next_renewal(
    url: str, sessions: list[Connection]
) -> None:
    """The clock of this node says that it holds; the database's word counts."""
    async with Leases(url, "one", seconds=8.0) as one:
        lease = await one.claim("team")
        assert lease is not None
        expire(sessions[1])
        assert tables.claim(sessions[1], "team", "two", "", LONG) == lease.fence + 1
        async with asyncio.timeout(7):
            await wait_lost(lease)


@pytest.mark.parametrize("error", [-3600, 3600])
async def test_the_clock_of_a_node_does_not_matter(
    url: str, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    real = time.time
    async with Leases(url, "one", seconds=LONG) as one, Leases(url, "two") as two:
        monkeypatch.setattr(time, "time", lambda: real() + error)
        assert await one.claim("team") is not None
        assert await two.claim("team") is None
        monkeypatch.undo()
        assert await two.claim("team") is None


async def test_a_lease_by_the_clock_of_a_node_would_be_taken_from_its_owner(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control."""
    execute, real = Connection.execute, time.time

    def by_own_clock(self: Connection, statement: str, parameters: Any = (), /) -> Any:
        own = f"to_timestamp({time.time()})"
        return execute(self, statement.replace("clock_timestamp()", own), parameters)

    async with Leases(url, "one", seconds=LONG) as one, Leases(url, "two") as two:
        assert await one.claim("team") is not None
        monkeypatch.setattr(Connection, "execute", by_own_clock)
        assert await two.claim("team") is None
        monkeypatch.setattr(time, "time", lambda: real() + 3600)
        assert await two.claim("team") is not None


async def test_many_nodes_that_start_at_once_make_the_tables_once(url: str) -> None:
    async def start(number: int) -> bool:
        async with Leases(url, str(number)) as leases:
            return await leases.claim(str(number)) is not None

    assert all(await asyncio.gather(*[start(number) for number in range(6)]))


async def test_a_database_that_is_not_there_is_told_without_the_password(
    postgres: PostgresServer,
) -> None:
    with pytest.raises(Unavailable, match="could not be reached") as error:
        async with Leases(postgres.url("nowhere"), "one"):
            pass
    assert "a-password-of-the-tests" not in str(error.value)
