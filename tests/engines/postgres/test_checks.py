"""`commonplace doctor --database`: what it says of servers that are well, and of others."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator

import psycopg
import pytest
from psycopg import sql

from commonplace.errors import Unavailable
from commonplace.vault.postgres import connection as connections
from commonplace.vault.postgres.checks import check_database
from tests.engines.postgres.conftest import admin, make_role, scratch
from tests.engines.postgres.server import ROLE, PostgresServer, missing


def doctor(url: str) -> tuple[int, dict[str, tuple[bool, str]]]:
    """Ask it as a program, with the address where a password may stand."""
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "doctor", "--json"],
        env={**os.environ, "COMMONPLACE_DATABASE": url},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout, done.stderr
    found = {each["name"]: (each["ok"], each["detail"]) for each in json.loads(done.stdout)}
    return done.returncode, found


def test_a_server_that_is_well(url: str) -> None:
    code, found = doctor(url)
    assert code == 0, found
    assert all(ok for ok, _ in found.values())
    assert found["database"][1].startswith("PostgreSQL ")
    assert "synchronous_commit is on" in found["database durability"][1]
    assert "none is synchronous" in found["database standby"][1]
    assert "ms a round trip" in found["database latency"][1]
    assert "machine's disk" in found["database commit"][1]


def test_a_setting_that_is_too_weak_is_told_with_what_we_do_about_it(
    url: str, database: str, postgres: PostgresServer
) -> None:
    with admin(postgres) as connection:
        weaken = sql.SQL("ALTER DATABASE {} SET synchronous_commit TO off")
        connection.execute(weaken.format(sql.Identifier(database)))
    assert "is off; for its own edits" in doctor(url)[1]["database durability"][1]


@pytest.fixture
def careless() -> Generator[PostgresServer]:
    if why := missing():
        pytest.skip(why)
    with scratch() as folder:
        server = PostgresServer(folder / "server", "fsync=off", "synchronous_standby_names=nobody")
        server.create()
        server.start()
        with admin(server) as connection:
            connection.execute("SET synchronous_commit TO local")
            make_role(connection)
            grant = sql.SQL("GRANT CREATE ON DATABASE postgres TO {}")
            connection.execute(grant.format(sql.Identifier(ROLE)))
        yield server
        server.stop()


def test_servers_that_may_lose_or_wait_are_named(careless: PostgresServer) -> None:
    """An ordinary role is not told by the server whether its standby is there: it is tried."""
    code, found = doctor(careless.url("postgres"))
    assert code == 1
    assert [name for name, (ok, _) in found.items() if not ok] == [
        "database durability",
        "database standby",
    ]
    assert not found["database durability"][0]
    assert "every edit waits" in found["database standby"][1]


def test_one_that_does_not_answer_is_a_finding_without_its_password() -> None:
    code, found = doctor("postgresql://somebody:secret@127.0.0.1:1/notes")
    assert code == 1
    ok, detail = found["database"]
    assert not ok
    assert "could not be reached" in detail
    assert "secret" not in detail


def test_a_server_that_is_too_old_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "VERSION_MIN", 99)
    with pytest.raises(Unavailable, match="needs 99 or newer"):
        check_database(url)


def test_a_clock_that_is_off_is_told(url: str) -> None:
    found = {each.name: each for each in check_database(url, clock=lambda: time.time() + 3600)}
    assert not found["database clock"].ok
    assert "3600." in found["database clock"].detail
    assert "NTP" in found["database clock"].fix


def test_to_look_changes_nothing(url: str) -> None:
    with psycopg.connect(url) as connection:
        count = "SELECT count(*) FROM pg_class"
        before = connection.execute(count).fetchone()
        connection.commit()
        check_database(url)
        assert connection.execute(count).fetchone() == before
