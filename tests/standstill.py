"""Ends a run in which nothing has ended for long, and says where each of its processes stands.

`faulthandler_timeout` watches over each test. A worker that is stopped, or that waits for work
which never comes, is in no test: the run would wait for it for ever and say nothing.
"""

import contextlib
import faulthandler
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

SECONDS = "COMMONPLACE_STANDSTILL"
_SECONDS = 900.0
_ANSWER_SECONDS = 3.0
_ASKED = signal.SIGUSR2


def tell_when_asked() -> None:
    """Have this process write where each of its threads stands, when it is asked."""
    faulthandler.register(_ASKED, os.fdopen(os.dup(2), "w"), all_threads=True)


class Standstill:
    """Hears of every test that ends, in the process that gives tests to workers."""

    def __init__(self) -> None:
        self._seconds = float(os.environ.get(SECONDS, _SECONDS))
        self._stderr = os.dup(2)
        self._heard = time.monotonic()
        self._over = threading.Event()

    def pytest_sessionstart(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name="standstill", daemon=True).start()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Watch no more."""
        self._over.set()

    def pytest_runtest_logreport(self) -> None:
        """Hear that a part of a test has ended."""
        self._heard = time.monotonic()

    def _watch(self) -> None:
        while not self._over.wait(min(5.0, self._seconds)):
            if time.monotonic() - self._heard > self._seconds:
                self._end()

    def _end(self) -> None:
        self._write(f"\nNothing has ended for {self._seconds:.0f} s. Where everybody stands:\n")
        for pid in (os.getpid(), *_workers(os.getpid())):
            self._write(f"\nprocess {pid}: {_state(pid)}\n")
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, _ASKED)
            self._over.wait(_ANSWER_SECONDS)
        for pid in _workers(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os._exit(3)

    def _write(self, text: str) -> None:
        os.write(self._stderr, text.encode())


def _workers(pid: int) -> Iterator[int]:
    """Return the processes that tests were given to; each reads from us what it has to do."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            if b"sys.stdin.readline" in Path(f"/proc/{child}/cmdline").read_bytes():
                yield int(child)


def _state(pid: int) -> str:
    """Return what the system says of a process: running, stopped, and in which call."""
    with contextlib.suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        call = Path(f"/proc/{pid}/wchan").read_text() or "no call"
        return f"state {stat}, in {call}"
    return "gone"
