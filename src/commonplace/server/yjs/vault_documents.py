"""The documents of a vault as rooms need them: those of notes, and those of roots."""

from dataclasses import dataclass

from commonplace.vault.documents.documents import Documents
from commonplace.vault.documents.folder_document import is_folder
from commonplace.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class VaultDocuments:
    """Asks the part of a vault that keeps the document."""

    vault: Vault

    @property
    def documents(self) -> Documents:
        """The live documents."""
        return self.vault.notes.documents

    async def open(self, id: str) -> None:
        """Make a document ready to be worked on; `NotFound` if there is none of that id."""
        await (self.vault.folders if is_folder(id) else self.vault.notes).open(id)

    async def closed(self, id: str) -> None:
        """Write the file at once: the last one who had it open has gone."""
        await self.vault.notes.queue.flush(id)
