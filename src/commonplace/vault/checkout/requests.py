"""What a working copy asks a person for: that a note is deleted, or renamed with all its links."""

from contextlib import suppress

from commonplace.errors import CommonplaceError
from commonplace.vault.notes.rename import RENAME
from commonplace.vault.notes.rename_plan import rename_summary
from commonplace.vault.permissions.approvals import Waiting
from commonplace.vault.permissions.requests import Asker, Json, PrepareWish, Wish
from commonplace.vault.vault import Vault


class Requests:
    """Asks once for each file, and takes back what the file itself took back.

    What may not be, or not any more, is raised.
    """

    def __init__(self, vault: Vault, by: Asker) -> None:
        self._vault, self._by = vault, by
        self._asked: set[str] = set()
        self._numbers: dict[str, int] = {}

    async def delete(self, path: str, note: str) -> bool:
        """Ask that a note goes to the trash; tell whether it went."""
        return await self._ask(
            "delete_note", path, {"path": note}, lambda: self._vault.write.deletion(note)
        )

    async def rename(self, path: str, note: str) -> bool:
        """Ask that a note gets the name of its file; tell whether it has."""
        return await self._ask(
            RENAME, path, {"path": note, "to": path}, lambda: self._renaming(note, path)
        )

    async def withdraw(self, path: str) -> None:
        """Take back what was asked for a file."""
        number = self._numbers.get(path)
        self.forget(path)
        if number is not None:
            with suppress(CommonplaceError):  # it was decided meanwhile
                await self._vault.permissions.withdraw(number)

    def forget(self, path: str) -> None:
        """Let go of what was asked for a file: it is decided."""
        self._asked.discard(path)
        self._numbers.pop(path, None)

    def take_asked(self) -> set[str]:
        """Return the files that something was asked for; it is asked again what became of it."""
        asked, self._asked = self._asked, set()
        return asked

    async def _ask(self, kind: str, path: str, given: Json, prepare: PrepareWish) -> bool:
        if path in self._asked:
            return False
        self._asked.add(path)
        try:
            await self._vault.permissions.ask(kind, given, self._by, prepare)
        except Waiting as waiting:
            self._numbers[path] = waiting.writes[0].id
            return False
        except CommonplaceError:
            self.forget(path)
            raise
        self.forget(path)
        return True

    async def _renaming(self, note: str, to: str) -> Wish:
        self._vault.renames.check(note, to)
        linking = len((await self._vault.listing.links(note)).backlinks)
        change = {"path": note, "to": to}
        return Wish("rename", note, RENAME, change, rename_summary(note, to, linking))
