"""Work that is shared out to processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from commonplace.vault.workers import shared_out


def test_results_come_in_order_whoever_is_slow() -> None:
    def work(piece: int) -> bytes:
        time.sleep(0.02 if piece % 3 == 0 else 0)
        return b"%d" % piece

    assert list(shared_out(work, 20, 3)) == [b"%d" % n for n in range(20)]


def test_the_work_is_done_by_others() -> None:
    done_by = set(shared_out(lambda _: b"%d" % os.getpid(), 8, 2))
    assert len(done_by) == 2
    assert b"%d" % os.getpid() not in done_by


def test_a_worker_that_dies_is_told_and_not_waited_for() -> None:
    def work(piece: int) -> bytes:
        if piece == 5:
            os._exit(1)
        return b"x"

    with closing(shared_out(work, 100, 2)) as results, pytest.raises(ChildProcessError):
        list(results)


def test_nobody_runs_far_ahead_of_the_one_who_takes(tmp_path: Path) -> None:
    done = tmp_path / "done"

    def work(piece: int) -> bytes:
        with done.open("ab") as file:
            file.write(b".")
        return b"x" * (1 << 20)

    with closing(shared_out(work, 100, 2)) as results:
        next(results)
        settled = _settled(lambda: done.stat().st_size)
    assert 2 <= settled <= 8


TAKER = """
import os, sys, time
from commonplace.vault.workers import shared_out
results = shared_out(lambda piece: b"%d" % os.getpid() + b" " * (1 << 20), 100, 2)
print(*(int(next(results)) for _ in range(2)), flush=True)
time.sleep(60)
"""


def test_no_worker_outlives_the_one_who_takes() -> None:
    taker = subprocess.Popen([sys.executable, "-c", TAKER], stdout=subprocess.PIPE, text=True)
    assert taker.stdout is not None
    workers = [int(pid) for pid in taker.stdout.readline().split()]
    assert len(workers) == 2
    assert all(map(_runs, workers))
    taker.kill()
    taker.wait()
    taker.stdout.close()
    end = time.monotonic() + 10
    while any(map(_runs, workers)):
        assert time.monotonic() < end, "they wait for ever"
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _settled(value: Callable[[], int]) -> int:
    """Wait until a number has not changed for a while."""
    before = -1
    while (now := value()) != before:
        before = now
        time.sleep(0.3)
    return now
