"""What is believed of a file, and when; the clock is the test's."""

from collections.abc import Callable

import pytest

from commonplace.vault.documents.file.stable_read import (
    HELD_SECONDS_MAX,
    SAVE_WAIT_SECONDS_MAX,
    WINDOW_SECONDS,
    Caution,
    LastLook,
    Unsettled,
)
from commonplace.vault.files.reader import Look, Stamp

pytestmark = pytest.mark.anyio

STAMP = Stamp(0, 0, 0)


class Time:
    """A clock that moves when somebody sleeps."""

    now = 100.0

    async def sleep(self, seconds: float) -> None:
        self.now += seconds

    async def believe(self, at: Callable[[float], Look], seen: LastLook | None = None) -> Look:
        async def look() -> Look:
            return at(self.now - 100.0)

        caution = Caution(clock=lambda: self.now, sleep=self.sleep)
        return await caution.believe(look, lambda data: len(data) < 10, seen or LastLook())


def found(data: bytes, held: bool | None = False) -> Look:
    return Look(data, STAMP, held)


async def test_a_change_that_deletes_little_is_believed_at_once() -> None:
    time = Time()
    assert (await time.believe(lambda _: found(b"a whole text"))).data == b"a whole text"
    assert time.now == 100.0


@pytest.mark.parametrize("held", [False, None])
async def test_an_emptied_file_is_believed_when_it_stays_so(held: bool | None) -> None:
    time = Time()
    assert (await time.believe(lambda _: found(b"", held))).data == b""
    assert WINDOW_SECONDS <= time.now - 100.0 < 1.0


@pytest.mark.parametrize("window", [0.05, 0.321, 0.45])
@pytest.mark.parametrize("held", [True, False, None])
async def test_half_of_a_save_is_never_believed(window: float, held: bool | None) -> None:
    def look(at: float) -> Look:
        if at < window:
            return found(b"" if at < window / 2 else b"begun", held)
        return found(b"a whole text")

    assert (await Time().believe(look)).data == b"a whole text"


async def test_nobody_waits_long_for_a_program_that_keeps_the_file_open() -> None:
    time, seen = Time(), LastLook()
    waits = 0
    while True:
        before = time.now
        try:
            assert (await time.believe(lambda _: found(b"", True), seen)).data == b""
        except Unsettled:
            assert time.now - before <= SAVE_WAIT_SECONDS_MAX
            waits += 1
        else:
            break
    assert waits > 1
    assert HELD_SECONDS_MAX <= time.now - 100.0 < HELD_SECONDS_MAX + 1.0
