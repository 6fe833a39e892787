"""Notices code of ours that keeps an event loop from everything else.

What is measured is the CPU time of the loop's own thread in one callback, so a busy machine or a
waiting disk fails nobody. A thread beside it asks the loop's thread again and again, by a signal,
to look at whose code it runs, and counts what is spent in ours; work that a test does itself, in
its own frames, does not count. Nor does a collection of garbage: beside the tests, what there is
to look through is theirs.

A thread looks at its own frames alone: to walk those of another, by `sys._current_frames()`, can
crash CPython 3.11. Python hears signals in its main thread: loops of other threads are not seen.
"""

import asyncio
import gc
import signal
import threading
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

SECONDS_MAX = 0.25
_LOOK_SECONDS = 0.02
_SIGNAL = signal.SIGPROF
_TESTS = str(Path(__file__).parent)
_OURS = str(Path(__file__).parents[1] / "src" / "commonplace")


class LoopWatch:
    """Looks at callbacks while a test runs; `held` tells of those that took too long."""

    def __init__(self, seconds_max: float) -> None:
        self.held: list[str] = []
        self._seconds_max = seconds_max
        self._watched = threading.main_thread().ident or 0
        self._clock = time.pthread_getcpuclockid(self._watched)
        self._running: _Callback | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask, name="loop-watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def began(self) -> None:
        """Hear that a callback begins in this thread."""
        if threading.get_ident() == self._watched:
            self._running = _Callback(time.thread_time())

    def ended(self) -> None:
        """Hear that it is done."""
        if threading.get_ident() == self._watched:
            self._running = None

    def collect(self, phase: str, _info: object) -> None:
        """Hear that garbage is being collected, or was; what that took is nobody's."""
        if (callback := self._running) is None or threading.get_ident() != self._watched:
            return
        if phase == "start":
            callback.collecting = time.thread_time()
        elif callback.collecting is not None:
            callback.seen += time.thread_time() - callback.collecting
            callback.collecting = None

    def look(self, frame: FrameType | None) -> None:
        """Count what the callback that runs has spent, in the frame that it has come to."""
        callback = self._running
        if callback is None or callback.collecting is not None:
            return
        ours = _is_ours(frame)
        callback.count(time.thread_time(), ours=ours)
        if ours and callback.spent > self._seconds_max and not callback.told:
            callback.told = True
            stack = "".join(traceback.format_stack(frame)[-12:])
            spent = f"{callback.spent * 1000:.0f} ms or more of the event loop"
            self.held.append(f"{spent}:\n{stack}")

    def _ask(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            callback = self._running
            if callback and time.clock_gettime(self._clock) - callback.seen > _LOOK_SECONDS / 2:
                signal.pthread_kill(self._watched, _SIGNAL)


@dataclass
class _Callback:
    """One callback: how far its thread's CPU clock was seen, and what of it is ours."""

    seen: float
    spent: float = 0.0
    told: bool = False
    collecting: float | None = None

    def count(self, now: float, *, ours: bool) -> None:
        """Add what was spent since the last look."""
        self.spent += now - self.seen if ours else 0.0
        self.seen = now


def _is_ours(frame: FrameType | None) -> bool:
    """Tell whose code runs: of tests and product, whoever was called last.

    To load a module is nobody's: it is done once in a process, and `tests/cli/test_start.py` says
    which may be loaded when.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        if frame.f_code.co_filename.startswith(_OURS):
            return True
        if frame.f_code.co_filename.startswith(_TESTS):
            return False
        frame = frame.f_back
    return False


# Those that look, the last one begun last. The handler stays: a signal may come when all is over.
_watches: list[LoopWatch] = []


def _hear(_signal: int, frame: FrameType | None) -> None:
    for watch in _watches[-1:]:
        watch.look(frame)


@contextmanager
def watching(seconds_max: float = SECONDS_MAX) -> Generator[LoopWatch]:
    """Look at every callback of an event loop in the main thread meanwhile."""
    signal.signal(_SIGNAL, _hear)
    watch = LoopWatch(seconds_max)
    run = asyncio.Handle._run
    _watches.append(watch)

    def looked_at(self: asyncio.Handle) -> None:
        watch.began()
        try:
            run(self)
        finally:
            watch.ended()

    asyncio.Handle._run = looked_at
    gc.callbacks.append(watch.collect)
    watch.start()
    try:
        yield watch
    finally:
        asyncio.Handle._run = run
        gc.callbacks.remove(watch.collect)
        watch.stop()
        _watches.remove(watch)
