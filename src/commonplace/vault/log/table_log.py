"""A log in tables of some database: its statements put to the thread that commits them."""

import time
import uuid
from asyncio import Future
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Generic, Self

from commonplace.vault.durations import CommitLoad
from commonplace.vault.log import tables
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.engine import C
from commonplace.vault.log.log import (
    DocumentId,
    FileRecord,
    LogEntry,
    Logged,
    Place,
    Record,
    Replay,
)

Append = Callable[[C, Sequence[tuple[LogEntry, float]]], list[int]]


def new_id() -> str:
    """Return an id that no other document has."""
    return str(uuid.uuid4())


class TableLog(Generic[C]):
    """What logs in SQLite and in PostgreSQL have in common; `append` is theirs."""

    def __init__(
        self,
        commits: Commits[C],
        append: Append[C],
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        self._commits = commits
        self._append = append
        self._clock = clock
        self._new_id = new_id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Save what waits, then let go of the database."""
        await self._commits.close()

    @property
    def full(self) -> bool:
        """Whether appends are refused until some of those waiting are saved."""
        return self._commits.full

    @property
    def problem(self) -> str | None:
        """Why nothing can be saved, as far as the last write has shown; None if it can."""
        return self._commits.problem

    @property
    def commit_load(self) -> CommitLoad:
        """How long commits took so far, and how much waits for the next."""
        return self._commits.load

    async def probe(self) -> None:
        """Save something, whether or not that worked before; raises what is the matter."""
        await self.put_record("probe", "last", str(self._clock()))

    def append(self, entry: LogEntry) -> "Future[int]":
        """Save a change."""
        size = len(entry.update) + (len(entry.disk.base) if entry.disk else 0)
        size += sum(len(each.value or "") for each in entry.records)
        return self._commits.write_with_others(
            self._append, (entry, self._clock()), key=entry.document, size=size
        )

    async def replay(self, document: str) -> Replay:
        """Read all that is kept of a document."""
        return await self._commits.read(partial(tables.replay, doc=document), renews=document)

    async def since(self, document: str, seq: int) -> list[Logged]:
        """Read the changes of a document after a number, as far as they were not compacted."""
        return await self._commits.read(partial(tables.since, doc=document, seq=seq))

    async def compact(self, document: str, upto: int, state: bytes) -> None:
        """Put one state in place of all changes up to a number."""
        work = partial(tables.compact, doc=document, upto=upto, state=state, now=self._clock())
        await self._commits.write(work, key=document, size=len(state))

    async def disk(self, document: str) -> FileRecord | None:
        """Read what is known of the document's file."""
        return await self._commits.read(partial(tables.disk, doc=document))

    async def put_disk(self, document: str, disk: FileRecord) -> None:
        """Remember what is known of the document's file."""
        work = partial(tables.put_disk, doc=document, disk=disk)
        size = len(disk.base) + len(disk.intent or b"") + len(disk.before or b"")
        await self._commits.write(work, key=document, size=size)

    async def unflushed(self) -> list[str]:
        """List documents whose files may be behind."""
        return await self._commits.read(tables.unflushed)

    async def at(self, place: Place) -> DocumentId | None:
        """Find the document that lives at a place."""
        return await self._commits.read(partial(tables.at, place=place))

    async def identify(self, place: Place) -> DocumentId:
        """Find the document that lives at a place; the first time, give it an id."""
        work = partial(tables.identify, place=place, new=self._new_id(), now=self._clock())
        return await self._commits.write(work)

    async def identify_all(self, places: Sequence[Place]) -> list[DocumentId]:
        """Find the documents that live at these places, in their order; new ones get ids."""
        work = partial(
            tables.identify_all, places=list(places), new=self._new_id, now=self._clock()
        )
        return await self._commits.write(work)

    async def find(self, document: str) -> DocumentId | None:
        """Find a document by its id."""
        return await self._commits.read(partial(tables.find, doc=document))

    async def known(self) -> list[DocumentId]:
        """List all documents, in the order in which they were first met."""
        return await self._commits.read(tables.known)

    async def move(self, places: Mapping[str, Place | None]) -> None:
        """Put documents in their places, all at once; `None` takes one out of the vault."""
        await self._commits.write(partial(tables.move, places=dict(places), now=self._clock()))

    async def restart(self, document: str) -> int:
        """Put a document's history aside and begin a new epoch."""
        return await self._commits.write(partial(tables.restart, doc=document), key=document)

    async def record(self, kind: str, key: str) -> str | None:
        """Read one remembered thing."""
        return await self._commits.read(partial(tables.record, kind=kind, key=key))

    async def records(self, kind: str) -> dict[str, str]:
        """Read all remembered things of a kind, by key."""
        return await self._commits.read(partial(tables.records, kind=kind))

    async def records_of(self, kind: str, prefix: str) -> dict[str, str]:
        """Read the remembered things of a kind whose keys begin so, by key."""
        return await self._commits.read(partial(tables.records_of, kind=kind, prefix=prefix))

    async def put_record(self, kind: str, key: str, value: str | None) -> None:
        """Remember a thing; `None` forgets it."""
        work = partial(tables.put_record, kind=kind, key=key, value=value, now=self._clock())
        await self._commits.write(work)

    async def put_records(self, records: Sequence[Record]) -> None:
        """Remember and forget things, all in one step."""
        work = partial(tables.put_records, records=tuple(records), now=self._clock())
        await self._commits.write(work, size=sum(len(each.value or "") for each in records))
