"""A PostgreSQL server for all tests of a run; each test has a database of its own in it."""

import itertools
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.engines.postgres.server import PASSWORD, ROLE, SUPERUSER, PostgresServer, missing

_numbers = itertools.count(1)


@contextmanager
def scratch() -> Generator[Path]:
    """A folder that the server's user can reach, in memory where there is some."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else "/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    if why := missing():
        pytest.skip(why)
    with scratch() as folder:
        server = PostgresServer(folder / "server")
        server.create()
        server.start()
        with admin(server) as connection:
            make_role(connection)
        yield server
        server.stop()


def make_role(connection: "psycopg.Connection") -> None:
    """Make the ordinary role that nodes come as."""
    make = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
    connection.execute(make.format(sql.Identifier(ROLE), sql.Literal(PASSWORD)))


def admin(server: PostgresServer, database: str = "postgres") -> "psycopg.Connection":
    """Connect as whoever runs the server."""
    return psycopg.connect(server.url(database, role=SUPERUSER), autocommit=True)


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    """An empty database that belongs to an ordinary role; returns its name."""
    name = f"test_{next(_numbers)}"
    with admin(postgres) as connection:
        make = sql.SQL("CREATE DATABASE {} OWNER {}")
        connection.execute(make.format(sql.Identifier(name), sql.Identifier(ROLE)))
    return name


@pytest.fixture
def url(postgres: PostgresServer, database: str) -> str:
    return postgres.url(database)
