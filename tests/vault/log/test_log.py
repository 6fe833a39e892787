"""The log in SQLite: the contract, and what is particular to it."""

import asyncio
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.log import commits as module, sqlite_tables, tables
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.log import Log, LogEntry, Place
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.log.sqlite_engine import SqliteEngine
from tests.vault.log.contract import BIG, LogContract
from tests.wait import eventually

SqliteCommits = Commits[sqlite3.Connection]


class TestSqliteLog(LogContract):
    """The contract; the file is filled by forbidding it another page."""

    connections: list[sqlite3.Connection]

    def open_log(self, folder: Path) -> Log:
        self.connections = []

        def connect(path: Path) -> sqlite3.Connection:
            self.connections.append(sqlite_tables.connect(path))
            return self.connections[-1]

        return SqliteLog(folder / "live.db", connect=connect)

    def fill(self, log: Log) -> None:
        (pages,) = self.connections[-1].execute("PRAGMA page_count").fetchone()
        self.connections[-1].execute(f"PRAGMA max_page_count = {pages}")

    def free(self, log: Log) -> None:
        self.connections[-1].execute("PRAGMA max_page_count = 1000000")


pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def commits(tmp_path: Path) -> AsyncIterator[SqliteCommits]:
    made = Commits(SqliteEngine(partial(connect_counting, tmp_path / "live.db")), jobs_max=1_000)
    yield made
    await made.close()


counted: list[str] = []


def connect_counting(path: Path) -> sqlite3.Connection:
    connection = sqlite_tables.connect(path)
    counted.clear()
    connection.set_trace_callback(counted.append)
    return connection


def put(key: str, connection: sqlite3.Connection) -> str:
    tables.put_record(connection, "test", key, "value", 0)
    return key


async def test_writes_that_wait_together_share_a_commit(
    commits: Commits[sqlite3.Connection],
) -> None:
    done = await asyncio.gather(*[commits.write(partial(put, str(key))) for key in range(500)])
    assert done == [str(key) for key in range(500)]
    assert counted.count("COMMIT") < 50


async def test_what_is_read_was_committed_before(commits: SqliteCommits) -> None:
    commits.write(partial(put, "1"))
    read = commits.read(partial(tables.records, kind="test"))
    commits.write(partial(put, "2"))
    assert "1" in await read


async def test_without_leading_a_write_is_saved_on_top_of_a_failed_one(
    commits: Commits[sqlite3.Connection],
) -> None:
    """The control for the rule that nothing is saved on top of what was not."""

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO nowhere VALUES (1)")

    def fail_all(connection: sqlite3.Connection, _: Sequence[object]) -> list[None]:
        fail(connection)
        return []

    alone = partial(commits.write, fail)
    leading = partial(commits.write_with_others, fail_all, "item")
    for write, follows in ((alone, True), (leading, False)):
        with pytest.raises(Unavailable):
            await write(key="note")
        following = commits.write(partial(put, "follows"), key="note")
        if follows:
            await following
        else:
            with pytest.raises(Unavailable):
                await following


async def test_too_many_that_wait_are_refused_and_the_others_served(
    commits: Commits[sqlite3.Connection],
) -> None:
    began, go = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> bool:
        began.set()
        return go.wait(10)

    held = commits.read(hold)
    await asyncio.to_thread(began.wait)
    waiting = [commits.write(partial(put, str(key))) for key in range(1_000)]
    assert commits.full
    with pytest.raises(Unavailable, match="keep up"):
        commits.write(partial(put, "too many"))
    go.set()
    assert await held
    assert len(await asyncio.gather(*waiting)) == 1_000
    await commits.write(partial(put, "later"))
    assert not commits.full


async def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    async with SqliteLog(tmp_path / "live.db") as log:
        await log.append(LogEntry("note", b"1", "ana"))
        modes = {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
        assert modes == {0o600}


async def test_commits_reach_the_disk_before_they_are_acknowledged(tmp_path: Path) -> None:
    connection = sqlite_tables.connect(tmp_path / "live.db")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    connection.close()


def moved(folder: Path) -> int:
    """Count what the database holds without its write-ahead file."""
    copy = shutil.copy(folder / "live.db", folder / "copy.db")
    with closing(sqlite3.connect(copy)) as db, suppress(sqlite3.DatabaseError):
        return db.execute("SELECT count(*) FROM updates").fetchone()[0]
    return 0  # not even the tables, or copied while they were being written


async def test_what_was_committed_moves_into_the_database_when_it_is_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(module, "UNTIDY_MIN", 3)
    async with SqliteLog(tmp_path / "live.db") as log:
        for number in range(2):
            await log.append(LogEntry("note", b"%d" % number, "ana"))
        for _ in range(50):  # as many quiet moments
            await log.replay("note")
        assert moved(tmp_path) == 0
        await log.append(LogEntry("note", b"2", "ana"))
        await eventually(lambda: moved(tmp_path) >= 3)
        assert len((await log.replay("note")).updates) == 3


async def test_much_that_was_committed_moves_into_the_database_once_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, order = threading.Event(), list[str]()

    class Watched(SqliteCommits):
        def _tidy_up(self) -> None:
            order.append("tidied" if told.wait(10) else "tidied before it was told")
            super()._tidy_up()

    monkeypatch.setattr(module, "QUIET_SECONDS", 600)
    monkeypatch.setattr("commonplace.vault.log.sqlite.Commits", Watched)
    async with SqliteLog(tmp_path / "live.db") as log:
        await log.append(LogEntry("note", b"small", "ana"))
        await log.append(LogEntry("note", b"x" * 4096 * module.UNTIDY_MAX, "ana"))
        told.set()
        await eventually(lambda: moved(tmp_path) >= 2)
    assert order == ["tidied"]


async def test_a_disk_that_fails_in_a_quiet_moment_does_not_end_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.05)
    monkeypatch.setattr(module, "UNTIDY_MIN", 1)
    failed = asyncio.Event()
    loop = asyncio.get_running_loop()
    made: list[sqlite3.Connection] = []

    def connect() -> sqlite3.Connection:
        if made and not failed.is_set():
            loop.call_soon_threadsafe(failed.set)
            raise OSError(5, "I/O error")
        made.append(sqlite_tables.connect(tmp_path / "live.db"))
        return made[-1]

    commits = Commits(SqliteEngine(connect))
    assert await commits.write(partial(put, "before")) == "before"
    commits._connection = None  # as after a commit that could not be taken back
    made[0].close()
    async with asyncio.timeout(10):
        await failed.wait()
        assert await commits.write(partial(put, "after")) == "after"
    await commits.close()


async def test_a_log_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    connection = sqlite_tables.connect(tmp_path / "live.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Unavailable, match="newer"):
        SqliteLog(tmp_path / "live.db")


async def test_a_log_that_cannot_be_opened_says_so_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "live.db").write_bytes(b"no database at all" * 100)
    for path in (tmp_path / "live.db", tmp_path / "nowhere" / "live.db"):
        with pytest.raises(Unavailable) as error:
            SqliteLog(path)
        assert str(tmp_path) not in str(error.value)


async def test_another_reader_does_not_stop_the_log(tmp_path: Path) -> None:
    async with SqliteLog(tmp_path / "live.db") as log:
        await log.append(LogEntry("note", b"1", "ana"))
        reader = sqlite3.connect(tmp_path / "live.db")
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM updates").fetchone() == (1,)
        await log.append(LogEntry("note", BIG, "ana"))
        reader.close()


async def test_the_clock_and_the_ids_are_those_given(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    async with SqliteLog(path, clock=lambda: 12.5, new_id=lambda: "chosen") as log:
        await log.append(LogEntry("note", b"1", "ana"))
        known = await log.identify(Place("", "a.md"))
    assert (known.id, known.created) == ("chosen", 12.5)
    rows = sqlite3.connect(path).execute("SELECT doc, seq, actor, time FROM updates").fetchall()
    assert rows == [("note", 1, "ana", 12.5)]


def acknowledged_by_a_killed_process(path: Path, mode: str) -> set[int]:
    """Let a process append until it is killed; what it said was saved."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.vault.log.append_process", str(path), mode],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(120)]
    process.kill()
    lines += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    return {int(line) for line in lines if line.endswith(b"\n")}


def kept(path: Path) -> set[int]:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return {int(data) for (data,) in connection.execute("SELECT data FROM updates")}


@pytest.mark.slow
async def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    for number in range(4):
        path = tmp_path / f"{number}.db"
        acknowledged = acknowledged_by_a_killed_process(path, "durable")
        assert len(acknowledged) >= 120
        assert acknowledged <= kept(path)


@pytest.mark.slow
async def test_acknowledging_at_receipt_would_lose_some(tmp_path: Path) -> None:
    """The control."""
    path = tmp_path / "live.db"
    assert not acknowledged_by_a_killed_process(path, "eager") <= kept(path)
