"""The watch over event loops sees what it is there for, and nothing else."""

import asyncio
import gc
import subprocess
import sys
import time
from pathlib import Path
from types import GeneratorType
from typing import cast

import pytest

from commonplace.core import excerpts
from tests.loop_watch import LoopWatch, watching

LINES = b"x\n" * 2_000_000


def test_our_code_that_holds_a_loop_is_seen() -> None:
    # In a process of its own, which has nothing else to do and no other threads.
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_loop_watch"],
        cwd=Path(__file__).parents[1],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "of the event loop" in done.stdout
    assert "_touched" in done.stdout


@pytest.mark.parametrize("collected", [True, False], ids=["collection", "control"])
def test_a_collection_of_garbage_is_nobodys(collected: bool) -> None:
    lines = cast("GeneratorType[int]", excerpts.matching_lines(b"", []))
    watch = LoopWatch(0.1)
    watch.began()
    if collected:
        watch.collect("start", {})
    spend(0.15)
    if collected:
        watch.collect("stop", {})
    watch.look(lines.gi_frame)
    assert bool(watch.held) is not collected


def test_a_watch_hears_of_collections() -> None:
    with watching(0.1) as watch:
        assert watch.collect in gc.callbacks
    assert watch.collect not in gc.callbacks


def test_waiting_work_beside_and_a_tests_own_work_are_not() -> None:
    async def wait() -> None:
        time.sleep(0.3)
        await asyncio.to_thread(list, excerpts.matching_lines(LINES, [(0, 0)] * 500_000))
        spend(0.3)

    with watching(0.1) as watch:
        asyncio.run(wait())
    assert not watch.held


def spend(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def hold_a_loop() -> str:
    """Keep a loop by our own code until the watch has seen it; return what it says."""
    spans = [(at, at) for at in range(0, 400_000, 2)]

    async def hold() -> None:
        end = time.thread_time() + 10
        while not watch.held and time.thread_time() < end:
            list(excerpts.matching_lines(LINES, spans))

    with watching(0.1) as watch:
        asyncio.run(hold())
    return "".join(watch.held)


if __name__ == "__main__":
    sys.stdout.write(hold_a_loop())
