"""What the protocols need to know of the notes, and no more.

Whoever owns the vault satisfies these by shape; the server never asks how. Paths are the ones the
tools print. `follow`'s listener is called on the event loop, returns at once and does not raise.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

BURST_SECONDS = 0.2
"""How long changes are collected before those who follow are told."""


class ListedNote(Protocol):
    """One note in a listing; `size` is in bytes, `modified` in seconds since 1970, UTC."""

    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102
    @property
    def modified(self) -> float: ...  # noqa: D102


class NoteEvent(Protocol):
    """A note came, went, or has another text."""

    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> Literal["appeared", "changed", "gone"]: ...  # noqa: D102


class Notes(Protocol):
    """The notes of a vault, to be listed, read, found by prefix and followed."""

    async def page(self, after: str | None, limit: int) -> tuple[Sequence[ListedNote], str | None]:
        """List up to `limit` notes after that path, and what to pass as `after` for more."""
        ...

    async def text(self, path: str) -> str:
        """Read the accepted view of a note; `NotFound` or `BadPath` when there is none."""
        ...

    async def complete(self, prefix: str, limit: int) -> Sequence[str]:
        """List up to `limit` paths that somebody who has typed `prefix` may mean."""
        ...

    def follow(self, listener: Callable[[NoteEvent], None]) -> Callable[[], None]:
        """Call the listener on every change, until the function returned is called."""
        ...
