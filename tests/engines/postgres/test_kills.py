"""kill -9 of an owner over PostgreSQL in the middle of a change of many notes.

The next node finds all of it or nothing: a decision, a rename with its links, a compaction. Each
has a control, an owner that puts nothing on record or makes no transaction, killed at the same
step.
`COMMONPLACE_KILL_NOTES` says how many notes (200 suggestions and 500 links in full).
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from commonplace.core.text.edits import Edit
from commonplace.vault.lease.leases import Leases
from commonplace.vault.notes.durable_renames import RENAME_KIND as RENAME
from commonplace.vault.vault import Vault
from tests.engines.postgres.conftest import admin
from tests.engines.postgres.kill_process import LONG, NAMES
from tests.engines.postgres.server import ROLE, PostgresServer
from tests.engines.postgres.test_vault import opened, suggest
from tests.wait import empties

pytestmark = pytest.mark.anyio

NOTES = int(os.environ.get("COMMONPLACE_KILL_NOTES", "6"))
BEFORE, AFTER = "See [[Hub]], two.\n", "See [[Hub]], 2.\n"
RENAMED = BEFORE.replace("Hub", "Other Hub")
STEPS = (0, NOTES // 2, NOTES - 1)
WORDS = ("one ", "two ", "three ")

Kill = Callable[..., str]
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def kill() -> Generator[Kill]:
    command = [sys.executable, "-m", "tests.engines.postgres.kill_process"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as processes:
        asked, told = processes.stdin, processes.stdout
        assert asked is not None
        assert told is not None

        def one(url: str, folder: Path, what: str, before: int, *, careless: bool = False) -> str:
            words = {"url": url, "folder": str(folder), "what": what, "before": before}
            asked.write(json.dumps({**words, "careless": careless}) + "\n")
            asked.flush()
            return told.readline().strip()

        yield one


@asynccontextmanager
async def next_owner(url: str, folder: Path) -> AsyncGenerator[Vault]:
    """A node that takes over when the lease of whoever was killed has run out."""
    async with Leases(url, "next", seconds=LONG) as leases:
        with psycopg.connect(url) as connection:
            connection.execute("UPDATE commonplace.leases SET until = '-infinity'")
        (folder / "notes").mkdir(parents=True, exist_ok=True)
        async with opened(leases, url, folder, "state of next") as vault:
            await vault.indexer.settled()
            yield vault


def path(number: int) -> str:
    return f"n{number:03}.md"


async def prepare(url: str, folder: Path, what: str) -> None:
    """Notes that link to one; each with a suggestion to be decided, or one with a long log."""
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / NAMES[0]).write_text("# Hub\n")
    for number in range(NOTES):
        (folder / "notes" / path(number)).write_text(BEFORE)
    async with next_owner(url, folder) as vault:
        for number in range(NOTES if what == "decide" else 0):
            await suggest(vault, path(number), "two", "2")
        for word in WORDS if what == "compact" else ():
            await vault.notes.edit(path(0), partial(appended, word=word), "person:Ann")
    for each in ("notes", "state of next"):
        shutil.rmtree(folder / each)  # the database has all of it


def appended(text: str, word: str) -> list[Edit]:
    return [Edit(len(text), len(text), word)]


class Copies:
    """The same beginning again and again, in a database and a folder of its own each time."""

    def __init__(self, server: PostgresServer, database: str, folder: Path) -> None:
        self._server, self._database, self._folder = server, database, folder

    def make(self) -> tuple[str, Path]:
        name = f"{self._database}_{next(_numbers)}"
        with admin(self._server) as connection:
            make = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}")
            words = (name, self._database, ROLE)
            connection.execute(make.format(*map(sql.Identifier, words)))
        folder = self._folder.parent / name
        shutil.copytree(self._folder, folder)
        return self._server.url(name), folder


@pytest.fixture
async def copies(
    postgres: PostgresServer, database: str, url: str, tmp_path: Path, request: Any
) -> Copies:
    await prepare(url, tmp_path / "first", request.param)
    return Copies(postgres, database, tmp_path / "first")


async def decided(url: str, folder: Path) -> set[str]:
    """What the next owner has of each note."""
    async with next_owner(url, folder) as vault:
        assert await vault.intents.open() == []
        found: set[str] = set()
        for number in range(NOTES):
            document = await vault.notes.ids.id_of(path(number))
            found.add((await vault.notes.documents.settled(document)).text)
        return found


@pytest.mark.parametrize("copies", ["decide"], indirect=True)
async def test_a_decision_is_whole_or_not_made(copies: Copies, kill: Kill) -> None:
    for before in STEPS:
        url, folder = copies.make()
        assert kill(url, folder, "decide", before) == "killed"
        assert await decided(url, folder) == {AFTER}, before
    url, folder = copies.make()
    assert kill(url, folder, "decide", NOTES // 2, careless=True) == "killed"
    half = await decided(url, folder)
    assert AFTER in half, "the control"
    assert len(half) == 2, "the control"


async def renamed(url: str, folder: Path) -> tuple[str, set[str]]:
    """What the note is called, and the others hold, once no rename is left to finish."""
    async with next_owner(url, folder) as vault:
        await empties(lambda: vault.log.records(RENAME))
        (name,) = (name for name in NAMES if vault.notes.exists(name))
    return name, {(folder / "notes" / path(number)).read_text() for number in range(NOTES)}


@pytest.mark.parametrize("copies", ["rename"], indirect=True)
async def test_a_rename_takes_all_links_with_it(copies: Copies, kill: Kill) -> None:
    # The commits of the note and of all links in the database, and the files of the owner's folder.
    for before in (0, 1, 2, NOTES + 1):
        url, folder = copies.make()
        assert kill(url, folder, "rename", before) == "killed"
        expected = (NAMES[1], {RENAMED}) if before else (NAMES[0], {BEFORE})
        assert await renamed(url, folder) == expected, before
    url, folder = copies.make()
    assert kill(url, folder, "rename", 1, careless=True) == "killed"
    assert await renamed(url, folder) == (NAMES[1], {BEFORE}), "the control"


async def first_text(url: str, folder: Path) -> str:
    async with next_owner(url, folder) as vault:
        document = await vault.notes.ids.id_of(path(0))
        return (await vault.notes.documents.settled(document)).text


def rows(url: str) -> tuple[int, int]:
    """How many updates and snapshots the log has."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM vault_team.updates),"
            " (SELECT count(*) FROM vault_team.snapshots)"
        ).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize("copies", ["compact"], indirect=True)
async def test_a_compaction_is_whole_or_not_made(copies: Copies, kill: Kill) -> None:
    whole = BEFORE + "".join(WORDS)
    for before in (0, 1):
        url, folder = copies.make()
        untouched = rows(url)
        assert kill(url, folder, "compact", before) == "killed"
        assert rows(url) == untouched, before
        assert await first_text(url, folder) == whole, before
    url, folder = copies.make()
    assert kill(url, folder, "compact", 2) == "done 0"
    assert rows(url) == (0, 1)
    assert await first_text(url, folder) == whole
    url, folder = copies.make()
    assert kill(url, folder, "compact", 1, careless=True) == "killed"
    assert rows(url) == (0, 0), "the control: neither updates nor a snapshot"
