"""The notes of a vault as texts that nodes are written to."""

from commonplace.vault.notes.rename import RENAME
from commonplace.vault.notes.rename_plan import rename_summary
from commonplace.vault.permissions.requests import Asker, Json, Wish
from commonplace.vault.vault import Vault


class VaultNotes:
    """A vault, as `NodeWriting` asks it."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def find(self, raw: str) -> str:
        """Return the path of the note that `raw` names."""
        return self._vault.texts.find(raw)

    def lately(self, old: str) -> str | None:
        """Return where a note went that had this path a while ago."""
        return self._vault.renames.lately(old)

    async def text(self, path: str) -> str:
        """Return a note's accepted view."""
        return await self._vault.texts.accepted(path)

    async def creation(self, raw: str, content: str, properties: Json | None) -> Wish:
        """Wish for a new note."""
        return await self._vault.write.creation(raw, content, properties)

    async def revision(
        self, raw: str, content: str | None, properties: Json | None, by: Asker
    ) -> Wish:
        """Wish for another text of a note."""
        return await self._vault.write.revision(raw, content, properties, by)

    async def deletion(self, raw: str) -> Wish:
        """Wish that a note goes to the trash."""
        return await self._vault.write.deletion(raw)

    async def renaming(self, path: str, to: str, title: str) -> Wish:
        """Wish for another path and title of a note."""
        self._vault.renames.check(path, to)
        linking = len((await self._vault.listing.links(path)).backlinks)
        change = {"path": path, "to": to, "title": title}
        return Wish("rename", path, RENAME, change, rename_summary(path, to, linking))
