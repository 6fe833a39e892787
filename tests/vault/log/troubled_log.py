"""A real log whose disk can be full, or keep everybody waiting."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from commonplace.vault.log import sqlite_tables
from commonplace.vault.log.sqlite import SqliteLog


class TroubledLog(SqliteLog):
    """A log that gets into trouble when it is told to."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, connect=self.connect)

    def connect(self, path: Path) -> sqlite3.Connection:
        self.connection = sqlite_tables.connect(path)
        return self.connection

    def fill(self) -> None:
        (pages,) = self.connection.execute("PRAGMA page_count").fetchone()
        self.connection.execute(f"PRAGMA max_page_count = {pages}")

    def free(self) -> None:
        self.connection.execute("PRAGMA max_page_count = 1000000")

    @asynccontextmanager
    async def stopped(self) -> AsyncGenerator[None]:
        """Keep everything waiting that is asked meanwhile."""
        began, go = threading.Event(), threading.Event()

        def stop(_: sqlite3.Connection) -> bool:
            began.set()
            return go.wait(10)

        stopping = self._commits.read(stop)
        await asyncio.to_thread(began.wait)
        try:
            yield
        finally:
            go.set()
            await stopping
