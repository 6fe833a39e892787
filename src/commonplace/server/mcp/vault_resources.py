"""The notes of a vault as the protocols need them: see `ports`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.server.mcp.ports import ListedNote, NoteEvent

if TYPE_CHECKING:
    from commonplace.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class VaultResources:
    """Asks the part of a vault that knows."""

    vault: "Vault"

    async def page(self, after: str | None, limit: int) -> tuple[Sequence[ListedNote], str | None]:
        """List some notes."""
        return await self.vault.listing.page(after, limit)

    async def text(self, path: str) -> str:
        """Read a note's accepted view."""
        return await self.vault.texts.accepted(path)

    async def complete(self, prefix: str, limit: int) -> Sequence[str]:
        """List paths that somebody may mean."""
        return await self.vault.listing.complete(prefix, limit)

    def follow(self, listener: Callable[[NoteEvent], None]) -> Callable[[], None]:
        """Call the listener on every change."""
        return self.vault.contents.follow(listener)
