"""Nodes that are killed and stopped, and a primary that dies: what was acknowledged is there.

Each fault has a control that must fail. `COMMONPLACE_KILLS` sets how often a node is killed.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import partial

import psycopg
import pytest
from psycopg import sql

from tests.engines.postgres.conftest import admin, make_role, scratch
from tests.engines.postgres.server import ROLE, SUPERUSER, PostgresServer, missing
from tests.engines.postgres.test_checks import doctor
from tests.wait import until

KILLS = int(os.environ.get("COMMONPLACE_KILLS", "3"))
SECONDS = 3.0
PATIENCE = 60.0
SAID_SECONDS_MAX = 5.0  # a second is the goal, which a machine with nothing else to do keeps


class Node:
    """A process that wants to own the vault, and what it has said so far."""

    def __init__(
        self, url: str, name: str, mode: str = "durable", seconds: float = SECONDS
    ) -> None:
        self.lines: list[list[str]] = []
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.engines.postgres.owner_process"),
                *(url, name, str(seconds), mode),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                self.lines.append(line.split())

    def said(self, word: str) -> list[list[str]]:
        return [line for line in list(self.lines) if line[0] == word]

    @property
    def saved(self) -> list[str]:
        return [line[1] for line in self.said("saved")]

    def wait_saved(self, count: int) -> None:
        """Wait until so many were acknowledged."""
        until(lambda: len(self.saved) >= count, PATIENCE)

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> None:
        """Kill it; once is enough."""
        self.send(signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def node(url: str, name: str, mode: str = "durable", seconds: float = SECONDS) -> Generator[Node]:
    made = Node(url, name, mode, seconds)
    try:
        yield made
    finally:
        made.end()


def kept(url: str) -> Counter[str]:
    """Count what the database holds, by update."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT data FROM vault_team.updates").fetchall()
    return Counter(bytes(data).decode() for (data,) in rows)


def all_saved(nodes: list[Node]) -> list[str]:
    return [update for each in nodes for update in each.saved]


def test_nothing_acknowledged_is_lost_when_owners_are_killed(url: str) -> None:
    with ExitStack() as stack:
        nodes = [stack.enter_context(node(url, str(number))) for number in range(2)]
        alive = list(nodes)
        for number in range(KILLS):
            wanted = len(all_saved(nodes)) + 40
            until(partial(has_saved, nodes, wanted), PATIENCE)
            owner = max(alive, key=lambda each: last_said(each))
            owner.end()
            alive.remove(owner)
            alive.append(stack.enter_context(node(url, str(2 + number))))
            nodes.append(alive[-1])
        until(partial(has_saved, nodes, len(all_saved(nodes)) + 40), PATIENCE)
    acknowledged = all_saved(nodes)
    found = kept(url)
    assert [update for update in acknowledged if found[update] != 1] == []
    assert max(found.values()) == 1
    assert len(set(fences_in_order(url))) > KILLS


def last_said(node: Node) -> float:
    return max((float(line[-1]) for line in list(node.lines)), default=0.0)


def has_saved(nodes: list[Node], count: int) -> bool:
    return len(all_saved(nodes)) >= count


def test_acknowledging_before_the_commit_would_lose_some(url: str) -> None:
    """The control."""
    lost = 0
    for number in range(20):
        with node(url, str(number), "eager", seconds=0.4) as current:
            current.wait_saved(40)
        found = kept(url)
        lost += sum(found[update] == 0 for update in current.saved)
        if lost:
            break
    assert lost


def test_an_owner_that_was_stopped_tells_nobody_anything_after_it_wakes(url: str) -> None:
    with node(url, "one") as zombie:
        zombie.wait_saved(20)
        zombie.send(signal.SIGSTOP)
        with node(url, "two") as owner:
            owner.wait_saved(20)
            zombie.send(signal.SIGCONT)
            woke = time.monotonic()
            until(lambda: zombie.said("lost"), PATIENCE)
            said = float(zombie.said("lost")[0][-1]) - woke
            owner.wait_saved(60)
    found = kept(url)
    assert [update for update in zombie.saved + owner.saved if found[update] != 1] == []
    # All that an owner got into the log was there before the next owner's first.
    fences = fences_in_order(url)
    assert len(set(fences)) >= 2
    assert fences == sorted(fences)
    assert said < SAID_SECONDS_MAX


def fences_in_order(url: str) -> list[int]:
    """Return who wrote each update, in the order of the log."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT data FROM vault_team.updates ORDER BY seq").fetchall()
    return [int(bytes(data).split(b".")[0]) for (data,) in rows]


@contextmanager
def pair(*settings: str) -> Generator[tuple[PostgresServer, PostgresServer]]:
    """A primary with a standby, and an empty database in both."""
    if why := missing():
        pytest.skip(why)
    with scratch() as folder:
        primary, standby = PostgresServer(folder / "one"), PostgresServer(folder / "two")
        primary.create()
        primary.start()
        try:
            with admin(primary) as connection:
                make_role(connection)
                connection.execute(
                    sql.SQL("CREATE DATABASE team OWNER {}").format(sql.Identifier(ROLE))
                )
            standby.follow(primary)
            standby.start()
            with admin(primary) as connection:
                for setting in settings:
                    connection.execute(sql.SQL(setting))  # pyright: ignore[reportArgumentType]
                connection.execute("SELECT pg_reload_conf()")
            yield primary, standby
        finally:
            primary.kill()
            standby.kill()


def fail_over(primary: PostgresServer, standby: PostgresServer) -> list[str]:
    """Kill the primary under load and promote the standby; what was acknowledged until then."""
    with node(primary.url("team"), "one") as owner:
        owner.wait_saved(60)
        primary.kill()
        acknowledged = owner.saved
    standby.promote()
    return acknowledged


def test_with_a_synchronous_standby_a_dead_primary_costs_nothing() -> None:
    settings = (
        "ALTER SYSTEM SET synchronous_standby_names = '*'",
        f"ALTER ROLE {ROLE} SET synchronous_commit TO on",
    )
    with pair(*settings) as (primary, standby):
        with admin(primary) as connection:
            connection.execute("SELECT 1")
            until(lambda: synchronous(primary), PATIENCE)
        _, told = doctor(primary.url("team"))
        assert told["database standby"][0]
        assert "survives the loss of this machine" in told["database standby"][1]
        acknowledged = fail_over(primary, standby)
        found = kept(standby.url("team"))
        assert len(acknowledged) >= 60
        assert [update for update in acknowledged if found[update] != 1] == []
        with node(standby.url("team"), "two") as owner:  # and it goes on from there
            owner.wait_saved(20)


def synchronous(primary: PostgresServer) -> bool:
    with admin(primary) as connection:
        rows = connection.execute("SELECT sync_state FROM pg_stat_replication").fetchall()
    return ("sync",) in rows


def test_with_an_asynchronous_standby_it_would_lose_some() -> None:
    """The control: the standby is not waited for, and is behind when the primary dies."""
    with pair() as (primary, standby):
        stop_receiving(standby, primary)
        acknowledged = fail_over(primary, standby)
        found = kept(standby.url("team", role=SUPERUSER)) if has_tables(standby) else Counter[str]()
        assert [update for update in acknowledged if not found[update]]


def stop_receiving(standby: PostgresServer, primary: PostgresServer) -> None:
    """Cut the standby off."""
    with admin(standby) as connection:
        connection.execute("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'")
        connection.execute("SELECT pg_reload_conf()")
    until(lambda: not followers(primary), PATIENCE)


def followers(primary: PostgresServer) -> int:
    with admin(primary) as connection:
        row = connection.execute("SELECT count(*) FROM pg_stat_replication").fetchone()
    assert row is not None
    return row[0]


def has_tables(server: PostgresServer) -> bool:
    with admin(server, "team") as connection:
        row = connection.execute("SELECT to_regclass('vault_team.updates') IS NOT NULL").fetchone()
    assert row is not None
    return row[0]
