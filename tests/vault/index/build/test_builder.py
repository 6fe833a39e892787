"""The build process, seen by its owner."""

import signal
import subprocess
from collections.abc import Callable
from contextlib import aclosing

import anyio
import pytest

from commonplace.errors import Unavailable
from commonplace.vault.index.build import builder as module
from commonplace.vault.index.build.builder import Builder, BuildJob, ahead, builder
from commonplace.vault.settings import Settings
from tests.wait import PATIENCE

MakeSettings = Callable[..., Settings]

NOTES = {f"note {n}.md": f"[[note {n + 1}]] {n}\n" for n in range(300)}

pytestmark = pytest.mark.anyio


def job(settings: Settings) -> BuildJob:
    settings.state.mkdir(exist_ok=True)
    return BuildJob.of(settings, 2)


def running(process: Builder) -> subprocess.Popen[bytes]:
    return process._process


async def test_tells_how_the_work_goes(make_settings: MakeSettings) -> None:
    async with aclosing(Builder().begin(job(make_settings(NOTES))).news()) as told:
        news = [one async for one in told]
    assert news[0] == {"listed": 300, "todo": 300, "changed": 0, "gone": 0}
    assert news[-1]["done"]


async def test_a_build_that_is_killed_is_told(make_settings: MakeSettings) -> None:
    process = Builder()
    running(process).send_signal(signal.SIGKILL)
    running(process).wait()
    with pytest.raises(Unavailable, match="could not be built"):
        async with aclosing(process.begin(job(make_settings(NOTES))).news()) as told:
            [one async for one in told]


async def test_a_build_that_nobody_waits_for_any_more_ends(make_settings: MakeSettings) -> None:
    process = Builder()

    async def follow() -> None:
        async with aclosing(process.begin(job(make_settings(NOTES))).news()) as told:
            [one async for one in told]

    running(process).send_signal(signal.SIGSTOP)  # so it never tells anything
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    assert running(process).returncode == -signal.SIGKILL


async def test_one_started_ahead_is_taken_once(make_settings: MakeSettings) -> None:
    with ahead():
        (spare,) = module._spare
        assert builder() is spare
        other = builder()
        assert other is not spare
        other.close()
        async with aclosing(spare.begin(job(make_settings(NOTES))).news()) as told:
            assert [one async for one in told][-1]["done"]


def test_one_started_ahead_for_nothing_ends_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    with ahead():
        (spare,) = module._spare
        stdin = running(spare).stdin
        assert stdin
        stdin.close()
        assert running(spare).wait(20) == 0
    assert capfd.readouterr() == ("", "")
