"""Work that is shared out to processes."""

import multiprocessing
import os
import subprocess
import sys
import time
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from commonplace.vault.index.build.workers import shared_out
from tests.orphans import is_running
from tests.wait import until


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
        until(lambda: all(map(_waits, multiprocessing.active_children())))
        assert 2 <= done.stat().st_size <= 8


TAKER = """
import os, sys, time
from commonplace.vault.index.build.workers import shared_out
results = shared_out(lambda piece: b"%d" % os.getpid() + b" " * (1 << 20), 100, 2)
print(*(int(next(results)) for _ in range(2)), flush=True)
time.sleep(60)
"""


def test_no_worker_outlives_the_one_who_takes() -> None:
    taker = subprocess.Popen([sys.executable, "-c", TAKER], stdout=subprocess.PIPE, text=True)
    assert taker.stdout is not None
    workers = [int(pid) for pid in taker.stdout.readline().split()]
    assert len(workers) == 2
    assert all(map(is_running, workers))
    taker.kill()
    taker.wait()
    taker.stdout.close()
    until(lambda: not any(map(is_running, workers)))


def _waits(process: BaseProcess) -> bool:
    """Tell whether a process sleeps, however often one looks: one that is held up does not."""
    assert process.pid is not None
    for _ in range(20):
        if _state(process.pid) != "S":
            return False
        time.sleep(0.005)
    return True


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""
