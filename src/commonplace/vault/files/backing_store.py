"""Who else keeps what the files hold, and may forbid a change: a team's database, or nobody.

Each change of a file asks directly before it happens, with what it makes of which file. What is
asked returns, or raises `Unavailable`: then the file stays as it is.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from commonplace.vault.files.reader import Stamp


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A file that gets these bytes; one that is `new` must not be there yet."""

    root: str
    path: str
    data: bytes
    mode: int
    stamp: Stamp
    new: bool = False


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that gets another name."""

    root: str
    path: str
    was: str


FileChange = FileWrite | Moved


class BackingStore(Protocol):
    """Whoever keeps what the files of a vault hold."""

    def announce(self, data: bytes) -> None:
        """Hear which bytes are about to be written beside a file, to be put in its place."""
        ...

    def change(self, changes: Sequence[FileChange]) -> AbstractContextManager[object]:
        """Keep what files are about to hold; the names are exchanged within what is returned."""
        ...

    def found(self, root: str, path: str, data: bytes, stamp: Stamp) -> None:
        """Keep what another program saved, before anything is recorded that builds on it."""
        ...

    def look(self, root: str, path: str) -> None:
        """Keep what a file holds now, or that it is gone, whoever did that."""
        ...


class NoBackingStore:
    """The folder is all there is, and ours as long as the process runs."""

    _FREE: AbstractContextManager[object] = nullcontext()

    def announce(self, data: bytes) -> None:
        """Need not know."""

    def change(self, changes: Sequence[FileChange]) -> AbstractContextManager[object]:
        """Let it happen."""
        return self._FREE

    def found(self, root: str, path: str, data: bytes, stamp: Stamp) -> None:
        """Need not know."""

    def look(self, root: str, path: str) -> None:
        """Need not know."""


NO_BACKING_STORE = NoBackingStore()
