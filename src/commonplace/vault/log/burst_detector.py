"""Whether writes come in a burst: then to wait for more costs less than a commit for each few."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from math import exp

# So many a second, and from many sides. One who writes on and on, each time when the last is on
# disk, is none.
BUSY_RATE = 500.0
_RATE_SECONDS = 0.1
_RECENT = 64
_SIDES_MIN = 32


class _Rate:
    """How many come a second of late."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._recent = 0.0
        self._time = clock()

    def after(self, count: int) -> float:
        """Count what came just now; tells the rate."""
        before, self._time = self._time, self._clock()
        self._recent = self._recent * exp((before - self._time) / _RATE_SECONDS) + count
        return self._recent / _RATE_SECONDS


class BurstDetector:
    """Whether very many come of late: many a second, for many documents, and not one by one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._all, self._in_company = _Rate(clock), _Rate(clock)
        self._recent: deque[str] = deque(maxlen=_RECENT)

    def after(self, keys: Sequence[str]) -> bool:
        """Count what was committed just now; return whether it is a burst."""
        self._recent.extend(keys)
        rate = self._all.after(len(keys))
        in_company = self._in_company.after(len(keys) if len(keys) > 1 else 0)
        busy = rate > BUSY_RATE and in_company > BUSY_RATE / 2
        return busy and len(set(self._recent)) >= _SIDES_MIN
