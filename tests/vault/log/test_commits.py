"""The log's thread: a job that fails fails alone, and the thread outlives whatever it is given."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, CommonplaceError, Unavailable
from commonplace.vault.log.log import LogEntry
from tests.vault.log.troubled_log import TroubledLog

pytestmark = pytest.mark.anyio

HALF = "ha\ud83d"


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[TroubledLog]:
    log = TroubledLog(tmp_path / "live.db")
    yield log
    await log.close()


async def test_half_an_emoji_is_refused_and_saving_goes_on(log: TroubledLog) -> None:
    with pytest.raises(BadArgument, match="half of a surrogate pair"):
        await log.put_record("ledger", "1", HALF)
    await log.put_record("ledger", "2", "whole")
    assert await log.records("ledger") == {"2": "whole"}
    assert log.problem is None


async def test_a_question_that_fails_leaves_the_thread_alive(log: TroubledLog) -> None:
    with pytest.raises(BadArgument):
        await log.record("ledger", HALF)
    assert await log.record("ledger", "1") is None


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError("bug"), MemoryError(), RecursionError(), sqlite3.DataError("big")]
)
async def test_whatever_a_job_raises_is_its_own_failure(log: TroubledLog, fault: Exception) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO records VALUES ('half', 'done', '', 0)")
        raise fault

    async with log.stopped():  # so that all three are of one batch
        before = asyncio.ensure_future(log.put_record("kept", "before", "x"))
        failing = log._commits.write(fail)
        after = asyncio.ensure_future(log.put_record("kept", "after", "x"))
        await asyncio.sleep(0)
    await before
    await after
    with pytest.raises(CommonplaceError, match="nothing of it was saved"):
        await failing
    assert await log.records("kept") == {"before": "x", "after": "x"}
    assert await log.records("half") == {}
    assert log.problem is None


async def test_of_edits_in_one_batch_only_the_one_that_cannot_be_saved_is_lost(
    log: TroubledLog,
) -> None:
    async with log.stopped():
        saved = log.append(LogEntry("a", b"one", "person:ana"))
        poison = log.append(LogEntry("b", b"two", f"person:{HALF}"))
        behind = log.append(LogEntry("b", b"three", "person:ana"))
        other = log.append(LogEntry("c", b"four", "person:ana"))
    results = await asyncio.gather(saved, poison, behind, other, return_exceptions=True)
    assert [type(each) for each in results] == [int, BadArgument, Unavailable, int]
    assert (await log.replay("a")).updates == (b"one",)
    assert (await log.replay("b")).updates == ()  # nothing builds on what was not saved
    assert (await log.replay("c")).updates == (b"four",)
    await log.append(LogEntry("b", b"again", "person:ana"))


async def test_a_full_disk_is_a_problem_until_something_can_be_written(log: TroubledLog) -> None:
    """The control for the problem above: here it is the file that fails, for everybody."""
    await log.put_record("kept", "1", "x")
    log.fill()
    refused = 0
    for number in range(1000):
        try:
            await log.put_record("kept", f"more{number}", "x" * 100)
        except Unavailable:
            refused += 1
            break
    assert refused
    assert log.problem is not None
    with pytest.raises(Unavailable):
        await log.probe()
    assert log.problem is not None
    log.free()
    await log.probe()
    assert log.problem is None


async def test_a_closed_log_is_a_problem(log: TroubledLog) -> None:
    await log.close()
    assert log.problem is not None
