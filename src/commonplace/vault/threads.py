"""Work that may take long, done beside the event loop so that nobody else waits for it."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, TypeVarTuple

import anyio.to_thread

from commonplace.errors import Unavailable

# A text up to this size is read through, parsed or written out within a few milliseconds.
SMALL_CHARS_MAX = 100_000
WORK_SECONDS_MAX = 10.0

Item = TypeVar("Item")
Result = TypeVar("Result")
Given = TypeVarTuple("Given")


async def aside(function: Callable[[*Given], Result], *given: *Given) -> Result:
    """Have something worked out in a thread."""
    return await anyio.to_thread.run_sync(function, *given)


async def aside_if_long(function: Callable[[str], Result], text: str) -> Result:
    """Have something worked out of a text: here if it is short, else in a thread."""
    return function(text) if len(text) <= SMALL_CHARS_MAX else await aside(function, text)


def in_time(items: Iterable[Item], clock: Callable[[], float] = time.monotonic) -> Iterator[Item]:
    """Yield items until it has taken too long; then refuse."""
    end = clock() + WORK_SECONDS_MAX
    for item in items:
        if clock() > end:
            raise Unavailable(
                f"Putting the answer together took longer than {WORK_SECONDS_MAX:.0f} s and was"
                " stopped."
                " Ask for less: a narrower path or pattern, or a smaller limit."
            )
        yield item
