"""Tasks: long-lived ones are started again after a pause when they fail, others run to their end.

No input ends what others depend on. A task that failed counts as a problem, which `readyz` tells,
until it has run again for `STEADY_SECONDS`; one that is not vital is only told in the log, as is
work that nobody waits for (`Background`).
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import anyio

from commonplace.errors import CommonplaceError

PAUSES = (0.1, 1.0, 5.0, 30.0, 300.0)
STEADY_SECONDS = 10.0

logger = logging.getLogger(__name__)

TaskFunction = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Failures:
    last: float
    row: int = 0


class Supervisor:
    """Starts tasks again that fail, and knows which do."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, _Failures] = {}
        self._vital: set[str] = set()

    @property
    def problems(self) -> list[str]:
        """Name the vital tasks that do not run, or have failed of late."""
        return [name for name in self._failures if name in self._vital and self._is_failing(name)]

    async def keep(self, run: TaskFunction, name: str, *, vital: bool = True) -> None:
        """Run a task to its end, however often it fails on the way; the name is for people."""
        if vital:
            self._vital.add(name)
        while not await self.attempt(run, name):
            row = self._failures[name].row
            await anyio.sleep(PAUSES[min(row, len(PAUSES)) - 1])

    async def attempt(self, run: TaskFunction, name: str) -> bool:
        """Run something once; return whether it ended well. What it raises is told in the log."""
        started = self._clock()
        try:
            await run()
        except Exception as error:  # noqa: BLE001 (whatever it is, others go on)
            before = self._failures.get(name)
            steady = before is None or self._clock() - started > STEADY_SECONDS
            row = 1 if steady or before is None else before.row + 1
            self._failures[name] = _Failures(self._clock(), row)
            if row <= len(PAUSES):  # by then whoever reads the log knows
                tell_failure(f"{name} failed; it is started again.", error)
            return False
        self._failures.pop(name, None)
        return True

    def _is_failing(self, name: str) -> bool:
        failures = self._failures[name]
        pause = PAUSES[min(failures.row, len(PAUSES)) - 1]
        return self._clock() - failures.last < pause + STEADY_SECONDS


class Background:
    """Tasks of one owner that nobody waits for, until the end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Begin some work; the event loop alone would forget it half way."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def finish(self) -> None:
        """Wait until nothing is left to do."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, CommonplaceError):
            logger.warning("%s", error)
        elif error is not None:
            logger.error("work in the background failed", exc_info=error)


def tell_failure(what: str, error: BaseException) -> None:
    """Say in the log what could not be done: why in a line if that is foreseen, else by a trace."""
    if isinstance(error, CommonplaceError | OSError | sqlite3.Error):
        logger.warning("%s %s", what, error)
    else:
        logger.error("%s", what, exc_info=error)
