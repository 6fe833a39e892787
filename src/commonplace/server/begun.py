"""Work that is begun at once, without a task, and ends in whichever task awaits it.

An update must reach its document before the next one is read, but need not be on disk by then. A
task of its own would begin too late, and one that is awaited would hold up the reader. So it is
run to the point where it has to wait, and the rest is left over for later. Such work must not
care in which task it runs.

A `Bell` is what the task that awaits such rests sleeps at.
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
        waiting: object = self._waiting
        if isinstance(waiting, Future):
            # also keeps a failure from being reported as one that nobody saw
            cast("Future[object]", waiting).cancel()


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
        assert self._waiter is None
        self._waiter = get_running_loop().create_future()
        try:
            await self._waiter
        except BaseException:
            self._waiter = None
            raise

    def ring(self) -> None:
        """Wake the task, if one waits."""
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
