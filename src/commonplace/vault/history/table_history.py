"""A history in tables of some database: its statements put to the thread that commits them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Generic, Self

from commonplace.core.history import Blame
from commonplace.vault.durations import CommitLoad
from commonplace.vault.history import erasure, queries, tables
from commonplace.vault.history.history import Head, NewRevision, Revision, RevisionFilter
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.engine import C


class TableHistory(ABC, Generic[C]):
    """What histories in SQLite and in PostgreSQL have in common."""

    def __init__(self, commits: Commits[C]) -> None:
        self._commits = commits

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Save what waits, then let go of the database."""
        await self._commits.close()

    @property
    def commit_load(self) -> CommitLoad:
        """How long commits took so far, and how much waits for the next."""
        return self._commits.load

    async def append(self, written: Sequence[NewRevision]) -> list[int]:
        """Keep revisions, all or none; returns their numbers."""
        return await self._commits.write(partial(tables.append, written=written))

    async def extend(self, revision: int, written: NewRevision) -> None:
        """Put a longer version in the place of the newest revision of a document."""
        await self._commits.write(partial(tables.extend, revision=revision, each=written))

    async def head(self, document: str) -> Head | None:
        """Read the newest revision of a document."""
        return await self._commits.read(partial(queries.head, doc=document))

    async def find(self, revision: int) -> Revision | None:
        """Read one revision."""
        return await self._commits.read(partial(queries.find, revision=revision))

    async def text(self, revision: int) -> str:
        """Read the text after a revision."""
        return await self._commits.read(partial(queries.text, revision=revision))

    async def revisions(self, wanted: RevisionFilter) -> list[Revision]:
        """List revisions, newest first."""
        return await self._commits.read(partial(queries.revisions, wanted=wanted))

    async def steps(self, document: str, first: int) -> list[Revision]:
        """List the revisions of a document from one on, oldest first."""
        return await self._commits.read(partial(queries.steps, doc=document, first=first))

    async def blame_before(self, revision: int) -> tuple[str, Blame]:
        """Work out text and blame from before a revision."""
        return await self._commits.read(partial(queries.blame_before, revision=revision))

    async def touched(self, actor: str, since: float = 0.0) -> dict[str, int]:
        """List the documents that an actor changed, each with its first such revision."""
        return await self._commits.read(partial(queries.touched, actor=actor, since=since))

    async def actors(self, revisions: Sequence[int]) -> dict[int, Revision]:
        """Read some revisions without their deltas, by number."""
        return await self._commits.read(partial(queries.actors, numbers=list(revisions)))

    async def acceptors(self, revisions: Sequence[int]) -> dict[int, list[str]]:
        """List who accepted the suggestions that some revisions made, by number."""
        return await self._commits.read(partial(queries.acceptors, numbers=list(revisions)))

    async def names(self) -> list[str]:
        """List all actors."""
        return await self._commits.read(queries.names)

    async def document_at(self, path: str) -> str | None:
        """Find the document whose newest revision was at a path."""
        return await self._commits.read(partial(queries.document_at, path=path))

    async def adopt(self, old: str, new: str) -> None:
        """Let the history of a document go on under another id."""
        await self._commits.write(partial(tables.adopt, old=old, new=new))

    async def forget(self, passage: str, document: str = "") -> dict[str, int]:
        """Make a passage unreadable in every revision."""
        changed = await self._commits.write(partial(erasure.forget, passage=passage, doc=document))
        await self._clear_away()
        return changed

    @abstractmethod
    async def _clear_away(self) -> None:
        """Overwrite what the database may keep of what was forgotten."""

    async def trim(self, before: float, bytes_max: int) -> int:
        """Drop the oldest revisions."""
        return await self._commits.write(partial(erasure.trim, before=before, bytes_max=bytes_max))

    async def size(self) -> tuple[int, int]:
        """Return how many revisions there are, and how many bytes they take."""
        return await self._commits.read(queries.size)
