"""Work for the log's thread: done in its order, and each who waits hears what came of theirs."""

import asyncio
from collections.abc import Sequence

import pytest

from commonplace.errors import BadArgument, CommonplaceError, Conflict, Unavailable
from commonplace.vault.log.jobs import AnyJob, Job, own_failure, refuse, run_all, settle_all

pytestmark = pytest.mark.anyio
Calls = list[object]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def append(name: str) -> AnyJob:
    def work(calls: Calls) -> str:
        calls.append(name)
        return name.upper()

    return Job(work, writes=True, key=name)


def together(calls: Calls, items: Sequence[str]) -> list[str]:
    calls.append(list(items))
    return [item.upper() for item in items]


def finish(jobs: list[AnyJob]) -> None:
    for job in jobs:
        job.final = True
    settle_all(jobs)


async def test_what_is_of_one_kind_is_done_at_once_and_all_in_order() -> None:
    calls: Calls = []
    jobs = [
        append("a"),
        *(Job(together, writes=True, key="", item=item) for item in ("b", "c")),
        append("d"),
        Job(together, writes=True, key="", item="e"),
    ]
    run_all(calls, jobs)
    assert calls == ["a", ["b", "c"], "d", ["e"]]
    finish(jobs)
    assert [await job.future for job in jobs] == ["A", "B", "C", "D", "E"]


async def test_one_that_fails_fails_alone() -> None:
    def fail(_: Calls) -> str:
        raise Conflict("It is taken.")

    calls: Calls = []
    jobs = [append("a"), Job(fail, writes=True, key=""), append("b")]
    run_all(calls, jobs)
    finish(jobs)
    assert [await jobs[0].future, await jobs[2].future] == ["A", "B"]
    with pytest.raises(Conflict, match="taken"):
        await jobs[1].future


async def test_what_was_not_committed_is_no_result() -> None:
    job = append("a")
    run_all([], [job])
    job.settle()
    with pytest.raises(Unavailable, match="stopped working"):
        await job.future
    refused = append("b")
    refuse(refused, "The disk is full.")
    refused.settle()
    with pytest.raises(Unavailable, match="disk is full"):
        await refused.future


async def test_whoever_has_given_up_is_not_told() -> None:
    job = append("a")
    job.future.cancel()
    finish([job])
    with pytest.raises(asyncio.CancelledError):
        await job.future


def test_a_failure_of_our_own_is_told_without_its_insides(
    caplog: pytest.LogCaptureFixture,
) -> None:
    surrogate = UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates")
    assert isinstance(own_failure(surrogate), BadArgument)
    assert not caplog.records
    found = own_failure(ValueError("a secret"))
    assert type(found) is CommonplaceError
    assert "secret" not in str(found)
    assert "ValueError" in str(found)
    assert "secret" in caplog.text
