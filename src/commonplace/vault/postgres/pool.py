"""The connections of one node to its database, lent to whatever it has open.

Whoever works takes one for as long as there is work, and gives it back: a database bears some
hundreds of connections, and a node may have that many vaults. Nobody takes a second one while it
has one, so that all who wait are served in the end.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from commonplace.errors import Unavailable
from commonplace.vault.postgres.connection import Connection, connect, load_driver, reason

_CONNECTIONS_MAX = 10
_WAIT_SECONDS_MAX = 10.0


class Pool:
    """Connections to one database; from any thread."""

    def __init__(
        self,
        url: str,
        *,
        connections_max: int = _CONNECTIONS_MAX,
        wait_seconds: float = _WAIT_SECONDS_MAX,
    ) -> None:
        self.url = url
        self._wait_seconds = wait_seconds
        self._places = threading.Semaphore(connections_max)
        self._resting: list[Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> Connection:
        """Take a connection, a new one if none rests; raises `Unavailable` if none can be had."""
        if not self._places.acquire(timeout=self._wait_seconds):
            raise Unavailable(
                "The database does not keep up: no connection became free. Try again."
            )
        try:
            with self._lock:
                found = self._resting.pop() if self._resting else None
            return found or connect(self.url)
        except BaseException:
            self._places.release()
            raise

    def give_back(self, connection: Connection) -> None:
        """Give a connection back, whatever became of it.

        When one has failed, those that rest go with it: their server may be the one that is gone,
        and each would fail somebody else.
        """
        with self._lock:
            unused = [] if connection.is_idle and not self._closed else [connection]
            if unused:
                unused += self._resting
                self._resting.clear()
            else:
                self._resting.append(connection)
        self._places.release()
        for each in unused:
            each.close()

    def close(self) -> None:
        """Close those that rest; what is given back later is closed then."""
        with self._lock:
            self._closed = True
            resting = list(self._resting)
            self._resting.clear()
        for each in resting:
            each.close()


def shared(source: str | Pool) -> Pool:
    """Return a pool that is given, or make one for an address."""
    return Pool(source) if isinstance(source, str) else source


@contextmanager
def reading(source: str | Pool, schema: str) -> Generator[Connection]:
    """Read in a schema, be it there or not, without a lease: what is read may be old by then."""
    driver, pool = load_driver(), shared(source)
    connection = pool.take()
    try:
        with connection.raw.transaction():
            connection.use_schema(schema)
            yield connection
    except driver.Error as error:
        raise Unavailable(f"The database did not answer ({reason(error)}).") from None
    finally:
        pool.give_back(connection)
        if pool is not source:
            pool.close()
