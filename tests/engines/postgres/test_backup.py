"""A team's vault brought back from a dump of its database and a copy of its folder."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest
from psycopg import sql

from tests.engines.postgres.conftest import admin
from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.engines.postgres.server import ROLE, PostgresServer, binaries
from tests.engines.postgres.test_serve import call, document_of, over_mcp
from tests.live.processes import Clients
from tests.wait import eventually

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


async def test_database_first_then_the_folder(
    url: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (first / "notes").mkdir(parents=True)
    (first / "notes" / "a.md").write_text("It begins here.\n")
    key = make_key(tmp_path)
    file = first / "notes" / "a.md"
    with ServeProcess("one", first, url, key) as node, Clients() as people:
        note = await document_of(node, "a.md")
        people.tell("sweet", name="ana", url=node.sweet, document=note)
        people.tell("synced", names=["ana"])
        people.tell("insert", name="ana", at=0, text="in the dump ")
        people.tell("saved", names=["ana"])
        await eventually(lambda: "in the dump" in file.read_text())
        dump = subprocess.run(
            [str(binaries() / "pg_dump"), url], check=True, capture_output=True
        ).stdout
        people.tell("insert", name="ana", at=0, text="after the dump ")
        people.tell("saved", names=["ana"])
        await eventually(lambda: "after the dump" in file.read_text())
        shutil.copytree(first / "notes", second / "notes")
    with ServeProcess("two", second, restore(postgres, dump), key) as node:
        assert await document_of(node, "a.md") == note
        async with over_mcp(node) as client:

            async def shown() -> str:
                return await call(client, "read", file_path="a.md")

            while (text := await shown()).count("after the dump") != 1:
                await asyncio.sleep(0.1)
            assert text.count("in the dump") == 1
