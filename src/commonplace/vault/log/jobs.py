"""What the log's thread is asked to do, and how whoever asked hears what came of it."""

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, cast

from commonplace.errors import BadArgument, CommonplaceError, Unavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[Any], T]
WorkOnAll = Callable[[Any, Sequence[Any]], Sequence[T]]


class Job(Generic[T]):
    """Some work, whoever waits for it, and what came of it."""

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

    def run(self, connection: object) -> None:
        """Do the work. A job that raises one of our own errors must not have written."""
        try:
            self.results = [cast("Work[T]", self.work)(connection)]
        except CommonplaceError as error:
            self.error = error

    def settle(self) -> None:
        """Tell whoever waits; runs on their loop."""
        if self.future.done():  # whoever waited has given up
            return
        if self.final and self.results:
            self.future.set_result(self.results[0])
        else:
            self.future.set_exception(
                self.error or Unavailable("The log stopped working. Restart Commonplace.")
            )


AnyJob = Job[Any]


def run_all(connection: object, jobs: Sequence[AnyJob]) -> None:
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


def _kind(job: AnyJob) -> tuple[bool, Callable[..., Any]]:
    return job.item is not None, job.work


def settle_all(jobs: list[AnyJob]) -> None:
    """Tell those who wait; runs on their loop."""
    for job in jobs:
        job.settle()


def own_failure(error: Exception) -> CommonplaceError:
    """Return what to tell of a job that failed by itself."""
    if isinstance(error, UnicodeError):
        return BadArgument(
            "It holds half of a surrogate pair, which is not text; nothing of it was saved."
            " Send valid Unicode."
        )
    logger.error("A job of the log failed.", exc_info=error)
    return CommonplaceError(
        f"Internal error ({type(error).__name__}); nothing of it was saved. The server's log has"
        " the details."
    )


def refuse(job: AnyJob, why: str) -> None:
    """Let a job fail because the log cannot do it."""
    job.error = Unavailable(why)
