"""Group commit: one thread, one SQLite connection, and as many writes to a commit as wait for it.

A job runs in the thread; its future is resolved on the event loop that asked, for a write only
after the commit reached the disk. A commit that fails fails every write of its batch, and later
ones work again as soon as the disk does. Writes of one kind that wait in a row are made by one
call: each statement lets the event loop have the interpreter, and must wait to get it back.
What SQLite keeps in its write-ahead file goes to the database itself when nothing else waits, or
right after a commit was told: the disk may take a tenth of a second for that.

One rule guards what builds on each other: after a leading write under a key failed, writes under
that key are refused until somebody has read, under that key, what was really saved
(`read(..., renews=key)`). So nothing is ever saved on top of something that was not.
"""

import asyncio
import itertools
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from math import exp
from typing import Any, Generic, TypeVar, cast

from commonplace.errors import CommonplaceError, Unavailable

JOBS_MAX = 20_000
BYTES_MAX = 64 * 1024 * 1024
BATCH_MAX = 1_000
# When so many a second come, and from many sides, waiting for more costs less than a commit for
# each few. One who writes on and on, each time when the last is on disk, is never made to wait.
BUSY_RATE = 500.0
GATHER_SECONDS = 0.02
_RATE_SECONDS = 0.1
QUIET_SECONDS = 1.0
# Pages in the write-ahead file: so many are moved when it is quiet, so many as soon as whoever
# waits for them was told. SQLite by itself would move them first, and tell then.
UNTIDY_MIN = 64
UNTIDY_MAX = 800
_PAGE_BYTES = 4096
_RECENT = 64
_SIDES_MIN = 32

# of the file; what a job itself refuses never gets so far
_FAILURES = (sqlite3.Error, OSError, CommonplaceError)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
WorkOnAll = Callable[[sqlite3.Connection, Sequence[Any]], Sequence[T]]


class _Job(Generic[T]):
    __slots__ = (
        "error",
        "final",
        "future",
        "item",
        "key",
        "leads",
        "loop",
        "results",
        "size",
        "work",
        "writes",
    )

    def __init__(
        self,
        work: Work[T] | WorkOnAll[T],
        *,
        writes: bool,
        key: str,
        leads: bool = False,
        size: int = 0,
        item: object = None,
    ) -> None:
        self.work = work
        self.writes = writes
        self.key = key
        self.leads = leads
        self.size = size
        self.item = item
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = self.loop.create_future()
        self.results: Sequence[T] = ()
        self.error: CommonplaceError | None = None
        self.final = False

    def run(self, connection: sqlite3.Connection) -> None:
        """Do the work. A job that raises one of our own errors must not have written."""
        try:
            self.results = [cast("Work[T]", self.work)(connection)]
        except CommonplaceError as error:
            self.error = error

    def settle(self) -> None:
        """Tell whoever waits; runs on their loop."""
        if self.future.cancelled():
            return
        if self.final and self.results:
            self.future.set_result(self.results[0])
        else:
            self.future.set_exception(self.error or Unavailable("The log stopped working."))


_AnyJob = _Job[Any]


def _run_all(connection: sqlite3.Connection, jobs: Sequence[_AnyJob]) -> None:
    """Do all work in its order, what is of one kind at once."""
    for (together, work), alike in itertools.groupby(jobs, _kind):
        if together:
            found = list(alike)
            results = work(connection, [job.item for job in found])
            for job, result in zip(found, results, strict=True):
                job.results = [result]
        else:
            for job in alike:
                job.run(connection)


def _kind(job: _AnyJob) -> tuple[bool, Callable[..., Any]]:
    return job.item is not None, job.work


class _Rate:
    """How many come a second of late."""

    def __init__(self) -> None:
        self._recent = 0.0
        self._time = time.monotonic()

    def after(self, count: int) -> float:
        """Count what came just now; tells the rate."""
        before, self._time = self._time, time.monotonic()
        self._recent = self._recent * exp((before - self._time) / _RATE_SECONDS) + count
        return self._recent / _RATE_SECONDS


class _Crowd:
    """Whether very many come of late: many a second, for many documents, and not one by one."""

    def __init__(self) -> None:
        self._all, self._in_company = _Rate(), _Rate()
        self._recent: deque[str] = deque(maxlen=_RECENT)

    def after(self, batch: Sequence[_AnyJob]) -> bool:
        """Count what was committed just now; tells whether it is a crowd."""
        self._recent.extend(job.key for job in batch)
        rate = self._all.after(len(batch))
        in_company = self._in_company.after(len(batch) if len(batch) > 1 else 0)
        busy = rate > BUSY_RATE and in_company > BUSY_RATE / 2
        return busy and len(set(self._recent)) >= _SIDES_MIN


class Commits:
    """A connection and the thread that works on it."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], *, jobs_max: int = JOBS_MAX
    ) -> None:
        self._connect = connect
        self._connection: sqlite3.Connection | None = connect()
        self._jobs_max = jobs_max
        self._waiting: deque[_AnyJob] = deque()
        self._bytes = 0
        self._stale: set[str] = set()
        self._untidy = 0
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="commonplace-log", daemon=True)
        self._thread.start()

    def write(
        self, work: Work[T], *, key: str = "", leads: bool = False, size: int = 0
    ) -> "asyncio.Future[T]":
        """Have something written; resolved once it is on disk.

        What `leads` is built upon: if it fails, nothing under its key is written any more.
        """
        return self._ask(_Job(work, writes=True, key=key, leads=leads, size=size))

    def write_with_others(
        self, work: WorkOnAll[T], item: object, *, key: str, size: int = 0
    ) -> "asyncio.Future[T]":
        """Have something written that leads, by one call for all items that wait in a row.

        The work answers one result for each item; it refuses none.
        """
        return self._ask(_Job(work, writes=True, key=key, leads=True, size=size, item=item))

    def read(self, work: Work[T], *, renews: str = "") -> "asyncio.Future[T]":
        """Have something read that was committed; `renews` allows writes under that key again."""
        return self._ask(_Job(work, writes=False, key=renews))

    @property
    def full(self) -> bool:
        """Whether no more can wait."""
        return len(self._waiting) >= self._jobs_max or self._bytes >= BYTES_MAX

    async def close(self) -> None:
        """Finish what waits, then let go of the file."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join)

    def _ask(self, job: _Job[T]) -> "asyncio.Future[T]":
        with self._changed:
            if self._closed:
                raise Unavailable("The log is closed.")
            if self.full:
                raise Unavailable("The log cannot keep up; nothing was saved. Try again later.")
            self._waiting.append(job)
            self._bytes += job.size
            self._changed.notify()
        return job.future

    def _run(self) -> None:
        crowd = _Crowd()
        try:
            while True:
                while self._quiet():
                    self._tidy_up()
                if not (batch := self._next()):
                    break
                self._serve(batch)
                crowded = crowd.after(batch)
                if self._untidy >= UNTIDY_MAX:
                    self._tidy_up()  # which takes long enough for more to gather
                elif crowded and not self._closed:
                    time.sleep(GATHER_SECONDS)
        finally:
            with self._changed:
                self._closed = True
            self._settle(list(self._waiting))
            if self._connection is not None:
                self._connection.close()

    def _quiet(self) -> bool:
        """Wait for work, for a while if there is something to tidy up meanwhile."""
        patience = QUIET_SECONDS if self._untidy >= UNTIDY_MIN else None
        with self._changed:
            return not self._changed.wait_for(lambda: self._waiting or self._closed, patience)

    def _tidy_up(self) -> None:
        self._untidy = 0
        with suppress(*_FAILURES):  # the next write will tell
            self._open().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _next(self) -> list[_AnyJob]:
        """Take what waits; nothing means that the log was closed."""
        with self._changed:
            count = min(len(self._waiting), BATCH_MAX)
            batch = [self._waiting.popleft() for _ in range(count)]
            self._bytes -= sum(job.size for job in batch)
            return batch

    def _serve(self, batch: list[_AnyJob]) -> None:
        """Commit all writes of a batch at once, then read."""
        writes = [job for job in batch if job.writes and not self._refuse_stale(job)]
        try:
            if writes:
                self._commit(writes)
            for job in batch:
                if not job.writes:
                    self._read(job)
        finally:
            self._settle(batch)

    def _refuse_stale(self, job: _AnyJob) -> bool:
        if job.key in self._stale:
            _refused(job, "It builds on an edit that could not be saved; nothing was saved.")
        return job.error is not None

    def _commit(self, writes: list[_AnyJob]) -> None:
        try:
            with self._transaction() as connection:
                _run_all(connection, writes)
        except _FAILURES as error:
            self._stale.update(job.key for job in writes if job.leads)
            for job in writes:
                _refused(job, f"The log could not be written ({_why(error)}); nothing was saved.")
        else:
            self._untidy += sum(1 + job.size // _PAGE_BYTES for job in writes)
            for job in writes:
                job.final = True

    def _read(self, job: _AnyJob) -> None:
        try:
            job.run(self._open())
        except _FAILURES as error:
            _refused(job, f"The log could not be read ({_why(error)}).")
        else:
            job.final = True
            self._stale.discard(job.key)

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._connection = None  # opened afresh by the next job
            connection.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _settle(self, jobs: list[_AnyJob]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[_AnyJob]] = {}
        for job in jobs:
            by_loop.setdefault(job.loop, []).append(job)
        for loop, done in by_loop.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_settle_all, done)


def _settle_all(jobs: list[_AnyJob]) -> None:
    for job in jobs:
        job.settle()


def _why(error: Exception) -> str:
    """Tell what failed, without the path that the system's own errors name."""
    return error.strerror or "I/O error" if isinstance(error, OSError) else str(error)


def _refused(job: _AnyJob, why: str) -> _AnyJob:
    job.error = Unavailable(why)
    return job
