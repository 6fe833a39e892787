"""Notes to connect to: a shelf over a real log, whose disk can be full or slow."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from commonplace.core.edits import Edit
from commonplace.errors import NotFound
from commonplace.vault import live_tables as tables
from commonplace.vault.documents import Document
from commonplace.vault.live import Documents, First
from commonplace.vault.sqlite_log import SqliteLog

MIXED = "a😀b漢c e\u0301 👩‍👧‍👦 한국어 ไทย\n"


class Store(SqliteLog):
    """A log whose disk can be full, or slow."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, connect=self.connect)

    def connect(self, path: Path) -> sqlite3.Connection:
        self.connection = tables.connect(path)
        return self.connection

    def fill(self) -> None:
        (pages,) = self.connection.execute("PRAGMA page_count").fetchone()
        self.connection.execute(f"PRAGMA max_page_count = {pages}")

    def free(self) -> None:
        self.connection.execute("PRAGMA max_page_count = 1000000")

    @asynccontextmanager
    async def slow(self) -> AsyncGenerator[None]:
        """Save nothing while the body runs; it waits."""
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


class NoteShelf:
    """Some notes by id; remembers which were put away."""

    def __init__(self, store: Store, notes: Mapping[str, str]) -> None:
        self.store = store
        self.notes = notes
        self.documents = Documents(store, first=self.first)
        self.put_away: list[str] = []

    async def first(self, id: str) -> First:
        return First(self.notes[id], "file")

    async def open(self, id: str) -> None:
        if id not in self.notes:
            raise NotFound(f"There is no document {id}.")

    async def closed(self, id: str) -> None:
        self.put_away.append(id)

    async def text(self, id: str) -> str:
        return (await self.documents.settled(id)).text

    async def replayed(self, id: str) -> str:
        """What the log alone has."""
        document = Document(id)
        document.load((await self.store.replay(id)).updates)
        return document.text


@asynccontextmanager
async def shelf_in(folder: Path, notes: Mapping[str, str]) -> AsyncGenerator[NoteShelf]:
    async with Store(folder / "live.db") as store:
        shelf = NoteShelf(store, notes)
        async with shelf.documents:
            yield shelf


def at_end(text: str) -> Callable[[str], Sequence[Edit]]:
    """Plan to add a text."""
    return lambda before: [Edit(len(before), len(before), text)]
