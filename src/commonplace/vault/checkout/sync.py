"""One note of a working copy brought together with the vault's.

Copy and vault are compared with the base. Where the copy differs, its change is suggested in the
vault's text as it stands now; where the vault differs, the copy is written anew. A file that was
saved again meanwhile is left alone: its own turn comes.
"""

from collections.abc import Callable

import anyio.to_thread

from commonplace.core import paths
from commonplace.core.text import endings
from commonplace.core.text.truncation import deletes_much
from commonplace.errors import CommonplaceError, Denied, Forbidden, NotFound, Unreadable
from commonplace.vault.checkout.bases import Bases
from commonplace.vault.checkout.earlier import Earlier
from commonplace.vault.checkout.files import CopyFiles, decoded
from commonplace.vault.documents.file.stable_read import Caution, LastLook, Unsettled
from commonplace.vault.files.reader import Look
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.vault import Vault


class NoteSync:
    """Brings notes together, one at a time; `trouble` hears of saves that could not be taken."""

    def __init__(
        self,
        vault: Vault,
        files: CopyFiles,
        bases: Bases,
        by: Asker,
        trouble: Callable[[str, str], None],
    ) -> None:
        self._vault, self._files, self._bases = vault, files, bases
        self._by, self._trouble = by, trouble
        self._refused: dict[str, str] = {}
        self._asked: set[str] = set()
        self._earlier = Earlier()
        self._caution = Caution()
        self._unsettled: set[str] = set()

    async def sync(self, path: str) -> None:
        """Bring one note together."""
        try:
            await self._sync(path)
        except Unsettled:
            self._unsettled.add(path)
        except CommonplaceError as error:
            self._trouble(path, str(error))

    async def _sync(self, path: str) -> None:
        base = self._bases.get(path)
        saved = await self._read(path, base)
        now = await self._accepted(path)
        if saved == base:
            self._asked.discard(path)
            if now != base:
                await self._bring(path, saved, now)
        elif saved == now:
            self._bases.put(path, saved)
        elif saved is None:
            await self._delete(path, now)
        elif self._refused.get(path) != saved:
            await self._suggest(path, base, saved, now)

    async def _read(self, path: str, base: str | None) -> str | None:
        """Read a file of the copy once it can be believed: it may be in the middle of a save."""
        if base is None:
            return await anyio.to_thread.run_sync(self._files.read, path)

        async def look() -> Look:
            found = await anyio.to_thread.run_sync(self._files.look, path)
            same = decoded(found.data) == base
            return found._replace(held=False) if same else found

        def cuts_short(data: bytes) -> bool:
            text = decoded(data)
            return text is not None and deletes_much(base, text)

        try:
            found = await self._caution.believe(look, cuts_short, LastLook())
        except NotFound:
            return None
        return endings.decode(found.data)[0]

    def take_unsettled(self) -> set[str]:
        """Return the notes that were being written when they were looked at."""
        unsettled, self._unsettled = self._unsettled, set()
        return unsettled

    async def _suggest(self, path: str, base: str | None, saved: str, now: str | None) -> None:
        """Suggest what was saved; what is refused is not tried again until it is saved anew."""
        permissions, by = self._vault.permissions, self._by
        self._refused[path] = saved
        if now is None:
            permissions.check_create(path, by.name)
            await self._vault.write.suggest_note(path, saved, by)
        else:
            permissions.check_edit(path, by.name)
            made_from = now if base is None else self._earlier.base_of(path, base, saved)
            await self._vault.write.suggest_text(path, made_from, saved, by)
        await permissions.audit.write(
            by.name, "edit", path, answer="suggest", by="settings", outcome="done"
        )
        del self._refused[path]
        self._earlier.forget(path)
        # Until the file is written anew, what the copy shows is what was saved there.
        self._bases.put(path, saved)
        after = await self._accepted(path)
        if after != saved:
            await self._bring(path, saved, after)

    def take_asked(self) -> set[str]:
        """Return the notes whose deletion was asked for; it is asked again what became of them."""
        asked, self._asked = self._asked, set()
        return asked

    async def _delete(self, path: str, now: str | None) -> None:
        """Ask that a note goes to the trash, once; one that may not is written anew."""
        if path in self._asked:
            return
        self._asked.add(path)
        try:
            await self._vault.permissions.ask(
                "delete_note", {"path": path}, self._by, lambda: self._vault.write.deletion(path)
            )
        except Denied:
            self._asked.discard(path)
            await self._bring(path, None, now)
            raise
        except Forbidden:
            return  # it waits for a person
        self._bases.put(path, None)

    async def _bring(self, path: str, saved: str | None, now: str | None) -> None:
        """Write what the vault says into the copy, if the copy still reads as `saved`."""
        if now is None:
            assert saved is not None
            done = await anyio.to_thread.run_sync(self._files.remove, path, saved)
        else:
            done = await anyio.to_thread.run_sync(self._files.write, path, now, saved)
        if done:
            self._bases.put(path, now)
            if saved is not None:
                self._earlier.put(path, saved)

    async def _accepted(self, path: str) -> str | None:
        if not paths.has_note_suffix(path):
            return None
        try:
            return await self._vault.texts.accepted(path)
        except (NotFound, Unreadable):
            return None
