"""How long something took, as counts: how many times at most so long. Its size never grows."""

from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""In seconds: a fast disk is among the first, a lease runs out near the last."""


class Durations:
    """Durations that one thread counts, and any may read."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self._sum += seconds

    @property
    def seconds(self) -> float:
        """All of them together."""
        return self._sum

    def up_to(self) -> list[int]:
        """How many took at most as long as each bound; the last number is that of all."""
        return list(accumulate(self._counts))


class CommitLoad(NamedTuple):
    """How long the commits of a database took, and how much waits for the next."""

    durations: Durations
    waiting: int
