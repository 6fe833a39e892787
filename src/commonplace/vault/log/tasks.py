"""Work that nobody waits for, until the end: its failures are told in the log of the program."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from commonplace.errors import CommonplaceError

_logger = logging.getLogger(__name__)


class Background:
    """Tasks of one owner."""

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
            _logger.warning("%s", error)
        elif error is not None:
            _logger.error("work in the background failed", exc_info=error)
