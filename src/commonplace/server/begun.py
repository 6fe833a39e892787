"""Work that is begun at once, without a task, and ends in whichever task awaits it.

Most of what a room does for one frame never waits: a send goes straight to the socket, an update
straight to the log. A task for each would cost more than the work. Only what really has to wait
is left over, as a `Begun`. Such work must not care in which task it runs.

A `Bell` is what the task that awaits the rest sleeps at.
"""

from asyncio import Future, get_running_loop
from collections.abc import Awaitable, Generator
from typing import Any, cast


class Begun:
    """Work that waits for something."""

    __slots__ = ("_steps", "_waiting")

    def __init__(self, steps: Generator[Any, Any, Any], waiting: object) -> None:
        self._steps = steps
        self._waiting = waiting

    def __await__(self) -> Generator[Any, Any, None]:
        try:
            yield self._waiting
        except BaseException:
            self._steps.close()
            raise
        yield from self._steps

    def abandon(self) -> None:
        """Stop waiting; nobody will ask how it ended."""
        self._steps.close()
        if isinstance(self._waiting, Future):
            waiting = cast("Future[object]", self._waiting)
            if not waiting.cancel() and not waiting.cancelled():
                waiting.exception()


def begin(work: Awaitable[object]) -> Begun | None:
    """Begin some work; nothing is left over of what is done already."""
    steps = work.__await__()
    try:
        waiting = next(steps)
    except StopIteration:
        return None
    return Begun(steps, waiting)


class Bell:
    """Wakes the one task that waits at it."""

    __slots__ = ("_waiter",)

    def __init__(self) -> None:
        self._waiter: Future[None] | None = None

    @property
    def awaited(self) -> bool:
        """Whether a task waits."""
        return self._waiter is not None

    async def wait(self) -> None:
        """Sleep until it rings."""
        self._waiter = get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def ring(self) -> None:
        """Wake the task, if one waits."""
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
