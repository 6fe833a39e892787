"""Group commit: one thread, one connection, and as many writes to a commit as wait for it.

A job runs in the thread; its future is resolved on the event loop that asked, for a write only
after the commit reached the disk. A commit that the disk fails fails every write of its batch, and
later ones work again as soon as the disk does. Whatever else a job raises is that job's failure
alone: the others of its batch are committed without it, and the thread goes on.

Writes of one kind that wait in a row are made by one call: each statement lets the event loop have
the interpreter, and must wait to get it back.
What a database may do later (SQLite moves what its write-ahead file holds) is done when nothing
else waits, or right after a commit was told: the disk may take long for that.

One rule guards what builds on each other: after a leading write under a key failed, writes under
that key are refused until somebody has read, under that key, what was really saved
(`read(..., renews=key)`). So nothing is ever saved on top of something that was not.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

from commonplace.errors import Unavailable
from commonplace.vault.durations import CommitLoad, Durations
from commonplace.vault.log.burst_detector import BurstDetector
from commonplace.vault.log.engine import C, Engine
from commonplace.vault.log.jobs import (
    AnyJob,
    Job,
    Work,
    WorkOnAll,
    own_failure,
    refuse,
    run_all,
    settle_all,
)

JOBS_MAX = 20_000
_BYTES_MAX = 64 * 1024 * 1024
BATCH_MAX = 1_000
# In a burst, so long is waited for more; one who writes on and on, each time when the last is on
# disk, is never made to wait.
GATHER_SECONDS = 0.02
QUIET_SECONDS = 1.0
# Pages in the write-ahead file: so many are moved when it is quiet, so many as soon as whoever
# waits for them was told. SQLite by itself would move them first, and tell then.
UNTIDY_MIN = 64
UNTIDY_MAX = 800
_PAGE_BYTES = 4096

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Commits(Generic[C]):
    """A connection and the thread that works on it."""

    def __init__(self, engine: Engine[C], *, name: str = "log", jobs_max: int = JOBS_MAX) -> None:
        """Take the kind of database, and what is kept in it: a word for messages."""
        self._engine = engine
        self._name = name
        self._connection: C | None = engine.connect()
        self._holding = threading.Lock()  # so that none is cut that is another's by now
        self._jobs_max = jobs_max
        self._waiting: deque[AnyJob] = deque()
        self._bytes = 0
        self._stale: set[str] = set()
        self._untidy = 0
        self._durations = Durations()
        self._changed = threading.Condition()
        self._closed = False
        self._failure: str | None = None
        self._thread = threading.Thread(target=self._run, name=f"commonplace-{name}", daemon=True)
        self._thread.start()

    def write(self, work: Work[T], *, key: str = "", size: int = 0) -> "asyncio.Future[T]":
        """Have something written; resolved once it is on disk."""
        return self._ask(Job(work, writes=True, key=key, size=size))

    def write_with_others(
        self, work: WorkOnAll[T], item: object, *, key: str, size: int = 0
    ) -> "asyncio.Future[T]":
        """Have something written that leads, by one call for all items that wait in a row.

        What leads is built upon: if it fails, nothing under its key is written any more. The work
        answers one result for each item; it refuses none.
        """
        return self._ask(Job(work, writes=True, key=key, leads=True, size=size, item=item))

    def read(self, work: Work[T], *, renews: str = "") -> "asyncio.Future[T]":
        """Have something read that was committed; `renews` allows writes under that key again."""
        return self._ask(Job(work, writes=False, key=renews))

    @property
    def full(self) -> bool:
        """Whether no more can wait."""
        return len(self._waiting) >= self._jobs_max or self._bytes >= _BYTES_MAX

    @property
    def load(self) -> CommitLoad:
        """How long commits took so far, and how much waits for the next."""
        return CommitLoad(self._durations, len(self._waiting))

    @property
    def problem(self) -> str | None:
        """Why nothing can be saved, as far as the last write has shown; None if it can."""
        return f"The {self._name} is closed." if self._closed else self._failure

    async def close(self) -> None:
        """Finish what waits, then let go of the file."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join)

    def _ask(self, job: Job[T]) -> "asyncio.Future[T]":
        with self._changed:
            if self._closed:
                raise Unavailable(f"The {self._name} is closed.")
            if self.full:
                raise Unavailable(
                    f"The {self._name} cannot keep up; nothing was saved. Try again later."
                )
            self._waiting.append(job)
            self._bytes += job.size
            self._changed.notify()
        return job.future

    def _run(self) -> None:
        bursts = BurstDetector()
        try:
            while True:
                while self._quiet():
                    self._tidy_up()
                if not (batch := self._next()):
                    break
                self._serve(batch)
                in_burst = bursts.after([job.key for job in batch])
                if self._untidy >= UNTIDY_MAX:
                    self._tidy_up()  # which takes long enough for more to gather
                elif in_burst and not self._closed:
                    time.sleep(GATHER_SECONDS)
        finally:
            with self._changed:
                self._closed = True
            self._settle(list(self._waiting))
            self._drop()
            self._engine.close()

    def _quiet(self) -> bool:
        """Wait for work, for a while if there is something to tidy up meanwhile."""
        patience = QUIET_SECONDS if self._untidy >= UNTIDY_MIN else None
        if not self._waiting:
            self._rest()
        with self._changed:
            return not self._changed.wait_for(lambda: self._waiting or self._closed, patience)

    def _tidy_up(self) -> None:
        self._untidy = 0
        try:
            self._engine.tidy_up(self._open())
        except Exception as error:
            if not self._engine.is_of_database(error):  # else the next write will tell
                logger.exception("The %s could not be tidied up.", self._name)

    def _next(self) -> list[AnyJob]:
        """Take what waits; nothing means that the log was closed."""
        with self._changed:
            count = min(len(self._waiting), BATCH_MAX)
            batch = [self._waiting.popleft() for _ in range(count)]
            self._bytes -= sum(job.size for job in batch)
            return batch

    def _serve(self, batch: list[AnyJob]) -> None:
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

    def _refuse_stale(self, job: AnyJob) -> bool:
        if job.key in self._stale:
            refuse(job, "It builds on an edit that could not be saved; nothing was saved.")
        return job.error is not None

    def _commit(self, writes: list[AnyJob]) -> None:
        began = time.perf_counter()
        try:
            with self._transaction() as connection:
                run_all(connection, writes)
        except Exception as error:  # noqa: BLE001 (told to whoever asked; the thread goes on)
            self._fail(writes, error)
        else:
            self._durations.add(time.perf_counter() - began)
            self._failure = None
            self._untidy += sum(1 + job.size // _PAGE_BYTES for job in writes)
            for job in writes:
                job.final = True

    def _fail(self, writes: list[AnyJob], error: Exception) -> None:
        """Refuse writes that were not committed; of several, the one at fault is refused alone."""
        if self._engine.is_of_database(error):
            failure = f"The {self._name} could not be written ({self._engine.why(error)})"
            self._failure = f"{failure}."
            for job in writes:
                refuse(job, f"{failure}; {self._engine.fate(error)}.")
        elif len(writes) == 1:
            writes[0].error = own_failure(error)
        else:
            for job in writes:
                if not self._refuse_stale(job):
                    self._commit([job])
            return
        self._stale.update(job.key for job in writes if job.leads)

    def _read(self, job: AnyJob) -> None:
        try:
            connection = self._open()
            with self._engine.reading(connection):
                job.run(connection)
        except Exception as error:  # noqa: BLE001 (told to whoever asked; the thread goes on)
            self._drop_unusable()
            if self._engine.is_of_database(error):
                refuse(job, f"The {self._name} could not be read ({self._engine.why(error)}).")
            else:
                job.error = own_failure(error)
        else:
            job.final = True
            self._stale.discard(job.key)

    @contextmanager
    def _transaction(self) -> Generator[C]:
        connection = self._open()
        try:
            with self._engine.writing(connection):
                yield connection
        except BaseException:
            self._drop_unusable()
            raise

    def _open(self) -> C:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _drop_unusable(self) -> None:
        """Let go of a connection that has failed: the next job opens another."""
        if self._connection is not None and not self._engine.is_usable(self._connection):
            self._drop()

    def _rest(self) -> None:
        """Let others have the connection while there is no work, if it is shared."""
        with self._holding:
            if self._connection is not None and self._engine.rest(self._connection):
                self._connection = None

    def _drop(self) -> None:
        with self._holding:
            connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it is gone already
                self._engine.let_go(connection)

    def sever(self) -> None:
        """Let whatever waits for the database fail at once; what comes later fails by itself."""
        with self._holding:
            if self._connection is not None:
                self._engine.sever(self._connection)

    def _settle(self, jobs: list[AnyJob]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[AnyJob]] = {}
        for job in jobs:
            by_loop.setdefault(job.loop, []).append(job)
        for loop, done in by_loop.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(settle_all, done)
