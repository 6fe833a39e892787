"""What a task sleeps at until there is work for it."""

from asyncio import Future, get_running_loop


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
