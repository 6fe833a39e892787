"""The log in one SQLite file, `live.db`: its statements put to the thread that commits them."""

import sqlite3
import time
import uuid
from asyncio import Future
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from commonplace.errors import Unavailable
from commonplace.vault import live_tables as tables
from commonplace.vault.commits import Commits
from commonplace.vault.log import Disk, Entry, Known, Place, Replay


class SqliteLog:
    """A log in a file of its own."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
        connect: Callable[[Path], sqlite3.Connection] = tables.connect,
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        try:
            self._commits = Commits(partial(connect, path))
        except sqlite3.Error as error:
            raise Unavailable(f"The log could not be opened ({error}).") from None
        except OSError as error:
            raise Unavailable(f"The log could not be opened ({error.strerror}).") from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Save what waits, then let go of the file."""
        await self._commits.close()

    @property
    def full(self) -> bool:
        """Whether appends are refused until some of those waiting are saved."""
        return self._commits.full

    def append(self, entry: Entry) -> "Future[int]":
        """Save a change."""
        size = len(entry.update) + (len(entry.disk.base) if entry.disk else 0)
        return self._commits.write_with_others(
            tables.append, (entry, self._clock()), key=entry.document, size=size
        )

    async def replay(self, document: str) -> Replay:
        """Read all that is kept of a document."""
        return await self._commits.read(partial(tables.replay, doc=document), renews=document)

    async def compact(self, document: str, upto: int, state: bytes) -> None:
        """Put one state in place of all changes up to a number."""
        work = partial(tables.compact, doc=document, upto=upto, state=state, now=self._clock())
        await self._commits.write(work, key=document, size=len(state))

    async def disk(self, document: str) -> Disk | None:
        """Read what is known of the document's file."""
        return await self._commits.read(partial(tables.disk, doc=document))

    async def put_disk(self, document: str, disk: Disk) -> None:
        """Remember what is known of the document's file."""
        work = partial(tables.put_disk, doc=document, disk=disk)
        size = len(disk.base) + len(disk.intent or b"")
        await self._commits.write(work, key=document, size=size)

    async def unflushed(self) -> list[str]:
        """List documents whose files may be behind."""
        return await self._commits.read(tables.unflushed)

    async def at(self, place: Place) -> Known | None:
        """Find the document that lives at a place."""
        return await self._commits.read(partial(tables.at, place=place))

    async def identify(self, place: Place) -> Known:
        """Find the document that lives at a place; the first time, give it an id."""
        work = partial(tables.identify, place=place, new=self._new_id(), now=self._clock())
        return await self._commits.write(work)

    async def identify_all(self, places: Sequence[Place]) -> list[Known]:
        """Find the documents that live at these places, in their order; new ones get ids."""
        work = partial(
            tables.identify_all, places=list(places), new=self._new_id, now=self._clock()
        )
        return await self._commits.write(work)

    async def find(self, document: str) -> Known | None:
        """Find a document by its id."""
        return await self._commits.read(partial(tables.find, doc=document))

    async def known(self) -> list[Known]:
        """List all documents, in the order in which they were first met."""
        return await self._commits.read(tables.known)

    async def move(self, places: Mapping[str, Place | None]) -> None:
        """Put documents in their places, all at once; `None` takes one out of the vault."""
        await self._commits.write(partial(tables.move, places=dict(places), now=self._clock()))

    async def restart(self, document: str) -> int:
        """Forget a document's history and begin a new epoch."""
        return await self._commits.write(partial(tables.restart, doc=document), key=document)

    async def record(self, kind: str, key: str) -> str | None:
        """Read one remembered thing."""
        return await self._commits.read(partial(tables.record, kind=kind, key=key))

    async def records(self, kind: str) -> dict[str, str]:
        """Read all remembered things of a kind, by key."""
        return await self._commits.read(partial(tables.records, kind=kind))

    async def sound(self) -> str | None:
        """Check the file; None when it is whole, else what is wrong."""
        return await self._commits.read(tables.sound)

    async def put_record(self, kind: str, key: str, value: str | None) -> None:
        """Remember a thing; `None` forgets it."""
        work = partial(tables.put_record, kind=kind, key=key, value=value, now=self._clock())
        await self._commits.write(work)
