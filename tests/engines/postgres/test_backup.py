"""A team's vault brought back from a dump of its database."""

import subprocess
from pathlib import Path

import pytest
from psycopg import sql

from tests.engines.postgres.conftest import admin
from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.engines.postgres.server import ROLE, PostgresServer, binaries
from tests.engines.postgres.test_serve import call, document_of, over_mcp
from tests.live.processes import Clients
from tests.wait import holds

pytestmark = pytest.mark.anyio


def restore(postgres: PostgresServer, dump: bytes) -> str:
    """Fill a new database; returns where it is."""
    with admin(postgres) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE restored OWNER {}").format(sql.Identifier(ROLE))
        )
    url = postgres.url("restored")
    command = [str(binaries() / "psql"), "-q", "-v", "ON_ERROR_STOP=1", url]
    subprocess.run(command, input=dump, check=True, capture_output=True)
    return url


async def test_a_dump_of_the_database_is_the_whole_backup(
    url: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    (tmp_path / "notes of one").mkdir()
    (tmp_path / "notes of one" / "a.md").write_text("It begins here.\n")
    (tmp_path / "notes of one" / "picture.png").write_bytes(b"\x89PNG\r\n")
    key = make_key(tmp_path)
    with ServeProcess("one", tmp_path, url, key) as node, Clients() as people:
        note = await document_of(node, "a.md")
        people.tell("sweet", name="ana", url=node.sweet, document=note)
        people.tell("synced", names=["ana"])
        people.tell("insert", name="ana", at=0, text="in the dump ")
        people.tell("saved", names=["ana"])
        dump = subprocess.run(
            [str(binaries() / "pg_dump"), url], check=True, capture_output=True
        ).stdout
        people.tell("insert", name="ana", at=0, text="after the dump ")
        people.tell("saved", names=["ana"])
    with ServeProcess("two", tmp_path, restore(postgres, dump), key) as node:
        assert await document_of(node, "a.md") == note
        async with over_mcp(node) as client:
            text = await call(client, "read", file_path="a.md")
        assert text.count("in the dump") == 1
        assert "after the dump" not in text
        await holds(node.notes / "a.md", "in the dump It begins here.\n")
        await holds(node.notes / "picture.png", b"\x89PNG\r\n")
