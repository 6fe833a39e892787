"""Work beside the event loop, and answers that take too long."""

import threading
from collections.abc import Iterator

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.threads import (
    SMALL_CHARS_MAX,
    WORK_SECONDS_MAX,
    aside,
    aside_if_long,
    in_time,
)

pytestmark = pytest.mark.anyio


def here(_: str) -> bool:
    return threading.current_thread() is threading.main_thread()


async def test_only_what_is_long_goes_to_a_thread() -> None:
    assert await aside_if_long(here, "x" * SMALL_CHARS_MAX)
    assert not await aside_if_long(here, "x" * (SMALL_CHARS_MAX + 1))
    assert await aside(lambda one, other: one + other, 1, 2) == 3


async def test_an_answer_that_takes_too_long_is_stopped() -> None:
    now = [0.0]

    def slow() -> Iterator[int]:
        for number in range(10):
            now[0] += WORK_SECONDS_MAX / 4
            yield number

    found: list[int] = []
    with pytest.raises(Unavailable, match="Ask for less"):
        found.extend(in_time(slow(), lambda: now[0]))
    assert found == [0, 1, 2, 3]
