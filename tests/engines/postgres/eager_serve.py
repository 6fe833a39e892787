"""`commonplace` that calls an edit saved before it is, some time before: a control."""

import asyncio
import itertools

from commonplace.cli import main
from commonplace.vault.log.log import LogEntry
from commonplace.vault.log.postgres import PostgresLog

LATE_SECONDS = 0.3

append = PostgresLog.append
numbers = itertools.count(1)


def append_eagerly(self: PostgresLog, entry: LogEntry) -> "asyncio.Future[int]":
    def save() -> None:
        saved = append(self, entry)
        saved.add_done_callback(lambda done: done.cancelled() or done.exception())

    loop = asyncio.get_running_loop()
    loop.call_later(LATE_SECONDS, save)
    told: asyncio.Future[int] = loop.create_future()
    told.set_result(next(numbers))
    return told


PostgresLog.append = append_eagerly

if __name__ == "__main__":
    main()
