"""Times as people write them."""

from datetime import datetime

import pytest

from commonplace.errors import BadArgument
from commonplace.vault.history.moments import since

NOON = datetime(2026, 11, 16, 12, 0, 0).astimezone()


@pytest.mark.parametrize(
    ("given", "hours"),
    [("30m", 0.5), ("2h", 2), ("3d", 72), ("1w", 168), ("today", 12), ("yesterday", 36)],
)
def test_a_time_before_now(given: str, hours: float) -> None:
    now = NOON.timestamp()
    assert now - since(given, now) == pytest.approx(hours * 3600, abs=3601 if hours > 24 else 1)


def test_a_date_is_one_of_the_persons_own_zone() -> None:
    assert since("2026-11-16T12:00", 0.0) == NOON.timestamp()
    assert since("", 5.0) == 0.0


@pytest.mark.parametrize("given", ["soon", "h", "-2h", "2026-13-40", "9999999999999999h!"])
def test_what_is_no_time_is_refused_with_examples(given: str) -> None:
    with pytest.raises(BadArgument, match="yesterday"):
        since(given, 1e9)
