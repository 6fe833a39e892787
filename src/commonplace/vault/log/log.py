"""The log: every acknowledged edit, and what Commonplace must remember about documents.

`Log` is what the rest of the program needs of it; `vault.sqlite_log` keeps it in a file. The
contract suite (`tests/vault/log_contract.py`) says what an implementation must hold:

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


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes under a client id; `ours` if it is the server that writes, for the actor."""

    client: int
    actor: str
    ours: bool


@dataclass(frozen=True, slots=True)
class Disk:
    """What the file of a document last held, and what it is about to hold.

    `base` is the state whose text the file had when both last agreed; `intent` the state whose
    text is being written. `seq` is the number of the last update that the file is known to hold;
    zero, if nobody knows, is on the safe side, and THIS_UPDATE stands for the number of the
    update that the record is saved with.
    """

    base_sha: bytes
    base: bytes
    intent_sha: bytes | None = None
    intent: bytes | None = None
    mtime_ns: int = 0
    size: int = 0
    inode: int = 0
    seq: int = 0


THIS_UPDATE = -1


class Entry(NamedTuple):
    """One change to be kept, with what must be saved in the same step."""

    document: str
    update: bytes
    actor: str
    authors: tuple[Author, ...] = ()
    disk: Disk | None = None


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
class Known:
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

    def append(self, entry: Entry) -> "Future[int]":
        """Save a change; the number it resolves to grows with each append of a document."""
        ...

    async def replay(self, document: str) -> Replay:
        """Read all that is kept of a document."""
        ...

    async def compact(self, document: str, upto: int, state: bytes) -> None:
        """Put one state in place of all changes up to a number."""
        ...

    async def disk(self, document: str) -> Disk | None:
        """Read what is known of the document's file."""
        ...

    async def put_disk(self, document: str, disk: Disk) -> None:
        """Remember what is known of the document's file."""
        ...

    async def unflushed(self) -> list[str]:
        """List documents whose files may be behind: an intent is open, or later updates exist."""
        ...

    async def at(self, place: Place) -> Known | None:
        """Find the document that lives at a place."""
        ...

    async def identify(self, place: Place) -> Known:
        """Find the document that lives at a place; the first time, give it an id."""
        ...

    async def identify_all(self, places: Sequence[Place]) -> list[Known]:
        """Find the documents that live at these places, in their order; new ones get ids."""
        ...

    async def find(self, document: str) -> Known | None:
        """Find a document by its id."""
        ...

    async def known(self) -> list[Known]:
        """List all documents, in the order in which they were first met."""
        ...

    async def move(self, places: Mapping[str, Place | None]) -> None:
        """Put documents in their places, all at once; `None` takes one out of the vault."""
        ...

    async def restart(self, document: str) -> int:
        """Forget a document's history and begin a new epoch."""
        ...

    async def record(self, kind: str, key: str) -> str | None:
        """Read one remembered thing."""
        ...

    async def records(self, kind: str) -> dict[str, str]:
        """Read all remembered things of a kind, by key."""
        ...

    async def put_record(self, kind: str, key: str, value: str | None) -> None:
        """Remember a thing; `None` forgets it."""
        ...

    async def sound(self) -> str | None:
        """Check what is kept; None when it is whole, else what is wrong."""
        ...

    async def close(self) -> None:
        """Save what waits, then let go."""
        ...
