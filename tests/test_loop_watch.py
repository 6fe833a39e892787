"""The watch over event loops sees what it is there for, and nothing else."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from commonplace.core import excerpts
from tests.loop_watch import watching

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


def test_waiting_work_beside_and_a_tests_own_work_are_not() -> None:
    async def wait() -> None:
        time.sleep(0.3)
        await asyncio.to_thread(list, excerpts.matching_lines(LINES, [(0, 0)] * 500_000))
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass

    with watching(0.1) as watch:
        asyncio.run(wait())
    assert not watch.held


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
