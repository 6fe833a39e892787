"""Ends what tests started when the process that ran them is gone, however it went.

A pytest process that dies by a signal runs no clean-up, and its servers, browsers and Node
processes would stay, holding the output of the run open. So each carries a mark in its environment,
and a keeper beside each pytest process waits for its end and then kills what has the mark.

    python tests/orphans.py PID MARK

On Linux alone: elsewhere nobody can be found by what is in their environment.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "COMMONPLACE_TESTS_OF"
_ROUND_SECONDS = 0.05
_ROUNDS_MAX = 200


def keep() -> None:
    """Start the keeper of this process, and mark everything that it will start."""
    if sys.platform != "linux":
        return
    unmarked = {name: value for name, value in os.environ.items() if name != VARIABLE}
    mark = f"{os.getpid()}-{time.time_ns()}"
    subprocess.Popen(
        [sys.executable, "-S", "-E", __file__, str(os.getpid()), mark],
        env=unmarked,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ).returncode = 0  # it outlives us: nobody is to warn that it was never waited for
    os.environ[VARIABLE] = mark


def marked(mark: str) -> Iterator[int]:
    """Find the processes that were started with a mark."""
    wanted = f"{VARIABLE}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name)


def is_running(pid: int) -> bool:
    """Tell whether a process is there, and not only waiting for its parent to ask about it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def _wait_for_end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        if os.getppid() == pid:
            select.select([handle], [], [])


def _kill_all(mark: str) -> None:
    """Kill until nothing is found: one of them may just have started another."""
    for _ in range(_ROUNDS_MAX):
        found = list(marked(mark))
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_ROUND_SECONDS)


if __name__ == "__main__":
    _wait_for_end(int(sys.argv[1]))
    _kill_all(sys.argv[2])
