"""A team's vault brought back from a dump of its database, as the guide says."""

import os
from pathlib import Path

import pytest
from psycopg import sql

from tests.distribution.guide_backup import run_block
from tests.engines.postgres.conftest import admin
from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.engines.postgres.server import ROLE, PostgresServer, binaries
from tests.engines.postgres.test_serve import call, document_of, over_mcp
from tests.live.processes import Clients
from tests.wait import holds

pytestmark = pytest.mark.anyio


def new_database(postgres: PostgresServer) -> str:
    """Make an empty database; returns where it is."""
    with admin(postgres) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE restored OWNER {}").format(sql.Identifier(ROLE))
        )
    return postgres.url("restored")


def run(number: int, folder: Path, url: str) -> None:
    """Run a block of the guide for this database, the dump being in the folder."""
    programs = f"{binaries()}{os.pathsep}{os.environ['PATH']}"
    heading = "A team's server"
    run_block(heading, number, folder, COMMONPLACE_DATABASE=url, PATH=programs)


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
        run(0, tmp_path, url)
        people.tell("insert", name="ana", at=0, text="after the dump ")
        people.tell("saved", names=["ana"])
    other = new_database(postgres)
    run(1, tmp_path, other)
    with ServeProcess("two", tmp_path, other, key) as node:
        assert await document_of(node, "a.md") == note
        async with over_mcp(node) as client:
            text = await call(client, "read", file_path="a.md")
        assert text.count("in the dump") == 1
        assert "after the dump" not in text
        await holds(node.notes / "a.md", "in the dump It begins here.\n")
        await holds(node.notes / "picture.png", b"\x89PNG\r\n")
