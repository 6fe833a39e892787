"""The durable history: every revision of every note.

`History` is what the rest of the program needs of it; `sqlite` keeps it in a file. The contract
suite (`tests/vault/history/contract.py`) says what an implementation must hold:

- revisions are never changed, apart from the newest of a note while one person goes on with it,
  `forget`, which makes a passage unreadable everywhere, and `trim`, which drops the oldest;
- the text after any revision that is kept can be read, and is what it was;
- blame sums to the text of the newest revision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from commonplace.core.history import Blame, Delta
from commonplace.vault.durations import CommitLoad

BEFORE_CAUSE = "before"
"""The cause of what is older than the history: a text whose writers nobody knows."""


ACCEPT_CAUSE = "accept"
"""The cause of a revision in which a person accepted suggestions."""


@dataclass(frozen=True, slots=True)
class NewRevision:
    """A revision that is to be kept.

    `before` and `after` are the whole texts around it, and `seq` is the number of the last change
    in the log that it holds. `note` says what the delta cannot: the old path of a renamed note.
    """

    document: str
    path: str
    started: float
    time: float
    actor: str
    cause: str
    set: str
    delta: Delta
    before: str
    after: str
    seq: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of a note, as it was kept."""

    id: int
    document: str
    path: str
    started: float
    time: float
    actor: str
    cause: str
    set: str
    note: str
    delta: Delta


@dataclass(frozen=True, slots=True)
class Head:
    """The newest revision of a document, the text after it, and whose each character is."""

    revision: int
    seq: int
    path: str
    text: str
    blame: Blame


@dataclass(frozen=True, slots=True)
class RevisionFilter:
    """Which revisions are asked for, newest first; empty for all.

    `folder` is a path that others begin with, `before` a revision that all must be older than and
    `after` one that all must be newer than.
    """

    document: str = ""
    actor: str = ""
    cause: str = ""
    folder: str = ""
    set: str = ""
    since: float = 0.0
    before: int = 0
    after: int = 0
    limit: int = 50
    offset: int = 0


class History(Protocol):
    """Where revisions are kept."""

    @property
    def commit_load(self) -> CommitLoad:
        """How long commits took so far, and how much waits for the next."""
        ...

    async def append(self, written: Sequence[NewRevision]) -> list[int]:
        """Keep revisions, all or none; returns their numbers, which grow."""
        ...

    async def extend(self, revision: int, written: NewRevision) -> None:
        """Put a longer version in the place of the newest revision of a document."""
        ...

    async def head(self, document: str) -> Head | None:
        """Read the newest revision of a document; None if it has no history."""
        ...

    async def find(self, revision: int) -> Revision | None:
        """Read one revision."""
        ...

    async def text(self, revision: int) -> str:
        """Read the text after a revision; `NotFound` if it is not kept."""
        ...

    async def revisions(self, wanted: RevisionFilter) -> list[Revision]:
        """List revisions, newest first."""
        ...

    async def steps(self, document: str, first: int) -> list[Revision]:
        """List the revisions of a document from one on, oldest first."""
        ...

    async def blame_before(self, revision: int) -> tuple[str, Blame]:
        """Work out text and blame from before a revision."""
        ...

    async def touched(self, actor: str, since: float = 0.0) -> dict[str, int]:
        """List the documents that an actor changed, each with its first such revision."""
        ...

    async def actors(self, revisions: Sequence[int]) -> dict[int, Revision]:
        """Read some revisions without their deltas, by number; those not kept are left out."""
        ...

    async def acceptors(self, revisions: Sequence[int]) -> dict[int, list[str]]:
        """List who accepted the suggestions that some revisions made, by number."""
        ...

    async def names(self) -> list[str]:
        """List all actors."""
        ...

    async def document_at(self, path: str) -> str | None:
        """Find the document whose newest revision was at a path."""
        ...

    async def adopt(self, old: str, new: str) -> None:
        """Let the history of a document go on under another id."""
        ...

    async def forget(self, passage: str, document: str = "") -> dict[str, int]:
        """Make a passage unreadable in every revision; returns how many, by document."""
        ...

    async def trim(self, before: float, bytes_max: int) -> int:
        """Drop the oldest revisions: those before a time, and what is more than so many bytes."""
        ...

    async def size(self) -> tuple[int, int]:
        """Return how many revisions there are, and how many bytes they take."""
        ...

    async def close(self) -> None:
        """Save what waits, then let go."""
        ...
