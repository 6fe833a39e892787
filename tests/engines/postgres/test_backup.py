"""A team's vault brought back from copies of its database and its folder, as the guide says."""

import asyncio
import os
from pathlib import Path

import pytest
from psycopg import sql

from tests.distribution.guide_backup import ALL, run_block
from tests.engines.postgres.conftest import admin
from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.engines.postgres.server import ROLE, PostgresServer, binaries
from tests.engines.postgres.test_serve import call, document_of, over_mcp
from tests.live.processes import Clients
from tests.wait import eventually

pytestmark = pytest.mark.anyio


def new_database(postgres: PostgresServer) -> str:
    """Make an empty database; returns where it is."""
    with admin(postgres) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE restored OWNER {}").format(sql.Identifier(ROLE))
        )
    return postgres.url("restored")


def run(number: int, notes: Path, url: str, lines: slice = ALL) -> None:
    """Run a block of the guide for this database and folder, the copies being two levels above."""
    programs = f"{binaries()}{os.pathsep}{os.environ['PATH']}"
    folder = notes.parent.parent
    heading = "A team's server"
    run_block(heading, number, folder, notes, lines, COMMONPLACE_DATABASE=url, PATH=programs)


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
        run(0, first / "notes", url, slice(1))  # the database
        people.tell("insert", name="ana", at=0, text="after the dump ")
        people.tell("saved", names=["ana"])
        await eventually(lambda: "after the dump" in file.read_text())
        run(0, first / "notes", url, slice(1, None))  # then the files
    other = new_database(postgres)
    run(1, second / "notes", other)
    with ServeProcess("two", second, other, key) as node:
        assert await document_of(node, "a.md") == note
        async with over_mcp(node) as client:

            async def shown() -> str:
                return await call(client, "read", file_path="a.md")

            while (text := await shown()).count("after the dump") != 1:
                await asyncio.sleep(0.1)
            assert text.count("in the dump") == 1
