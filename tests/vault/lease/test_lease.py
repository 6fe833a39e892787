"""A lease by a clock of the test's own: it ends by itself, once and for ever."""

import pytest

from commonplace.vault.lease.lease import Lease
from tests.wait import eventually

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that stands."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_it_holds_until_its_end_and_no_longer() -> None:
    clock = Clock()
    lease = Lease("v", 3, 105.0, clock)
    assert (lease.is_lost, lease.seconds_left) == (False, 5.0)
    clock.now = 104.0
    lease.prolong(109.0)
    lease.prolong(106.0)
    assert lease.seconds_left == 5.0, "an answer that is late makes it no shorter"
    clock.now = 109.0
    assert (lease.is_lost, lease.seconds_left) == (True, 0.0)
    lease.close()


async def test_who_follows_hears_of_its_end_once() -> None:
    clock = Clock()
    lease = Lease("v", 3, 100.02, clock)
    heard: list[str] = []
    lease.follow(lambda: heard.append("early"))
    clock.now = 200.0
    await eventually(lambda: heard)
    lease.follow(lambda: heard.append("late"))
    lease.lose()
    lease.prolong(10**9)
    assert lease.is_lost, "what is lost does not come back"
    assert heard == ["early", "late"]
    lease.close()


async def test_it_can_be_given_back_before_its_end() -> None:
    lease = Lease("v", 3, 10**9, Clock())
    heard: list[int] = []
    lease.follow(lambda: heard.append(lease.fence))
    lease.lose()
    await eventually(lambda: heard)
    assert heard == [3]
    assert lease.seconds_left == 0.0
    lease.close()


async def test_one_that_nobody_watches_any_more_tells_nobody() -> None:
    clock = Clock()
    lease = Lease("v", 3, 100.01, clock)
    lease.follow(lambda: pytest.fail("it was closed"))
    lease.close()
    clock.now = 200.0
    lease.lose()
    await eventually(lambda: lease.is_lost)
