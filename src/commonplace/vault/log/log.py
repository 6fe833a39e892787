"""The log: every acknowledged edit, and what Commonplace must remember about documents.

`Log` is what the rest of the program needs of it; `sqlite` keeps it in a file, `postgres` in a
team's database. The contract suite (`tests/vault/log/contract.py`) says what an implementation must
hold:

- an append is resolved only when it would survive a power cut, and appends of one document are
  replayed in the order in which they were made;
- after a failed append, further ones for the same document fail until it was replayed, so that
  nothing is saved on top of what was not;
- compaction and the removal of what it replaces are one step.
"""

from asyncio import Future
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from commonplace.vault.durations import CommitLoad


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes under a client id; `ours` if it is the server that writes, for the actor."""

    client: int
    actor: str
    ours: bool


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What the file of a document last held, and what it is about to hold.

    `base` is the state whose text the file had when both last agreed; `intent` the state whose
    text is being written. `seq` is the number of the last update that the file is known to hold;
    zero, if nobody knows, is on the safe side, and THIS_UPDATE stands for the number of the
    update that the record is saved with. `before` is the state that the file had before we last
    wrote it, and `before_time` when that was (seconds since 1970): a program that read the file
    then may save it after a restart.
    """

    base_sha: bytes
    base: bytes
    intent_sha: bytes | None = None
    intent: bytes | None = None
    mtime_ns: int = 0
    size: int = 0
    inode: int = 0
    seq: int = 0
    before: bytes | None = None
    before_time: float = 0.0


THIS_UPDATE = -1


class Record(NamedTuple):
    """A remembered thing; a value of `None` forgets it."""

    kind: str
    key: str
    value: str | None


class LogEntry(NamedTuple):
    """One change to be kept, with what must be saved in the same step.

    `cause` is for the history: what made the actor change the text.
    """

    document: str
    update: bytes
    actor: str
    authors: tuple[Author, ...] = ()
    disk: FileRecord | None = None
    cause: str = ""
    records: tuple[Record, ...] = ()


class Logged(NamedTuple):
    """A change as the log has it."""

    seq: int
    update: bytes
    actor: str
    cause: str
    time: float


@dataclass(frozen=True, slots=True)
class Replay:
    """All that is kept of a document: updates in order (a snapshot first), and their authors.

    `seq` is the number of the last update, `tail` how many came after the snapshot.
    """

    updates: tuple[bytes, ...] = ()
    authors: tuple[Author, ...] = ()
    seq: int = 0
    tail: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document lives: a root's name and a path in it."""

    root: str
    path: str


@dataclass(frozen=True, slots=True)
class DocumentId:
    """A document's id, which outlives its names. A new epoch means a history begun anew."""

    id: str
    place: Place | None
    epoch: int
    created: float


class Log(Protocol):
    """Where acknowledged edits are kept."""

    @property
    def full(self) -> bool:
        """Whether appends are refused until some of those waiting are saved."""
        ...

    @property
    def problem(self) -> str | None:
        """Why nothing can be saved, as far as the last write has shown; None if it can."""
        ...

    @property
    def commit_load(self) -> CommitLoad:
        """How long commits took so far, and how much waits for the next."""
        ...

    async def probe(self) -> None:
        """Save something, whether or not that worked before; raises what is the matter."""
        ...

    def append(self, entry: LogEntry) -> "Future[int]":
        """Save a change; the number it resolves to grows with each append of a document."""
        ...

    async def replay(self, document: str) -> Replay:
        """Read all that is kept of a document."""
        ...

    async def since(self, document: str, seq: int) -> list[Logged]:
        """Read the changes of a document after a number, as far as they were not compacted."""
        ...

    async def compact(self, document: str, upto: int, state: bytes) -> None:
        """Put one state in place of all changes up to a number."""
        ...

    async def scrub(self) -> None:
        """Leave nothing readable of what was deleted or replaced; may take a while."""
        ...

    async def disk(self, document: str) -> FileRecord | None:
        """Read what is known of the document's file."""
        ...

    async def put_disk(self, document: str, disk: FileRecord) -> None:
        """Remember what is known of the document's file."""
        ...

    async def unflushed(self) -> list[str]:
        """List documents whose files may be behind: an intent is open, or later updates exist."""
        ...

    async def at(self, place: Place) -> DocumentId | None:
        """Find the document that lives at a place."""
        ...

    async def identify(self, place: Place) -> DocumentId:
        """Find the document that lives at a place; the first time, give it an id."""
        ...

    async def identify_all(self, places: Sequence[Place]) -> list[DocumentId]:
        """Find the documents that live at these places, in their order; new ones get ids."""
        ...

    async def find(self, document: str) -> DocumentId | None:
        """Find a document by its id."""
        ...

    async def known(self) -> list[DocumentId]:
        """List all documents, in the order in which they were first met."""
        ...

    async def move(self, places: Mapping[str, Place | None]) -> None:
        """Put documents in their places, all at once; `None` takes one out of the vault."""
        ...

    async def restart(self, document: str) -> int:
        """Put a document's history aside and begin a new epoch."""
        ...

    async def record(self, kind: str, key: str) -> str | None:
        """Read one remembered thing."""
        ...

    async def records(self, kind: str) -> dict[str, str]:
        """Read all remembered things of a kind, by key."""
        ...

    async def records_of(self, kind: str, prefix: str) -> dict[str, str]:
        """Read the remembered things of a kind whose keys begin so, by key."""
        ...

    async def put_record(self, kind: str, key: str, value: str | None) -> None:
        """Remember a thing; `None` forgets it."""
        ...

    async def put_records(self, records: Sequence[Record]) -> None:
        """Remember and forget things, all in one step."""
        ...

    async def sound(self) -> str | None:
        """Check what is kept; None when it is whole, else what is wrong."""
        ...

    async def close(self) -> None:
        """Save what waits, then let go."""
        ...
