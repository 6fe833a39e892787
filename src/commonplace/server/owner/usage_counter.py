"""Who is there: how many use a vault now, and since when nobody does."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager


class UsageCounter:
    """Counts those who use something."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._count = 0
        self._left = clock()

    @contextmanager
    def present(self) -> Generator[None]:
        """Count one more while the body runs."""
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
            self._left = self._clock()

    @property
    def seconds_idle(self) -> float:
        """For how long nobody has been there; 0 while somebody is."""
        return 0.0 if self._count else self._clock() - self._left
