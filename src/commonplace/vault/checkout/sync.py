"""One note of a working copy brought together with the vault's.

Copy and vault are compared with the base. Where the copy differs, its change is suggested in the
vault's text as it stands now; where the vault differs, the copy is written anew. A file that was
saved again meanwhile is left alone: its own turn comes. A file that was given another name stands
for the same note as before; that the note gets this name too, a person decides.
"""

from collections.abc import Callable

import anyio.to_thread

from commonplace.core import paths
from commonplace.core.text import endings
from commonplace.core.text.truncation import deletes_much
from commonplace.errors import CommonplaceError, Denied, NotFound, Unreadable
from commonplace.vault.checkout.bases import Bases
from commonplace.vault.checkout.earlier_texts import Earlier
from commonplace.vault.checkout.files import CopyFiles, decoded
from commonplace.vault.checkout.requests import Requests
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
        self._earlier = Earlier()
        self._caution = Caution()
        self._unsettled: set[str] = set()
        self._looks: dict[str, LastLook] = {}
        self.requests = Requests(vault, by)

    async def sync(self, path: str) -> None:
        """Bring one note together."""
        try:
            if (at := self.file_of(path)) != path:
                await self._sync(at)
            if self.file_of(path) == path:
                await self._sync(path)
            else:
                await self._refuse_taken(path, at)
        except Unsettled:
            self._unsettled.add(path)
        except CommonplaceError as error:
            self._trouble(path, str(error))

    async def _sync(self, path: str) -> None:
        if path in self._bases.moves:
            path = await self._follow_rename(path)
        base = self._bases.get(path)
        saved = await self._read(path, base)
        now = await self._accepted(path)
        if saved is not None and path not in self._bases.moves:
            await self.requests.withdraw(path)
        if saved == base:
            if now != base:
                await self._bring(path, saved, now)
        elif saved == now:
            self._bases.put(path, saved)
        elif saved is None:
            await self._delete(path, now)
        elif self._refused.get(path) != saved:
            await self._suggest(path, base, saved, now)

    # -- files that were given another name

    def file_of(self, note: str) -> str:
        """Return the file of the copy that stands for a note."""
        found = (file for file, of in self._bases.moves.items() if of == note)
        return note if note in self._bases.moves else next(found, note)

    def note_of(self, path: str) -> str:
        """Return the note that a file of the copy stands for."""
        return self._bases.moves.get(path, path)

    async def move(self, old: str, new: str) -> None:
        """Take in that a file has another name now."""
        await self.requests.withdraw(old)
        self._earlier.forget(old)
        self._bases.move(old, new)

    async def _follow_rename(self, path: str) -> str:
        """Ask that a note is renamed as its file was; return the file's name as it is then."""
        note = self.note_of(path)
        if not self._vault.texts.exists(note):  # it was renamed, or is gone
            self.requests.forget(path)
            self._bases.forget_move(path)
            return path
        if await anyio.to_thread.run_sync(self._files.stamp, path) is None:
            await self.move(path, note)
            return note
        try:
            done = await self.requests.rename(path, note)
        except CommonplaceError as error:
            self._trouble(path, str(error))
            return await self._turn_back(path, note)
        if done:
            self._bases.forget_move(path)
        return path

    async def _turn_back(self, path: str, note: str) -> str:
        """Give a file the name of its note again; what it says stays."""
        if not await anyio.to_thread.run_sync(self._files.rename, path, note):
            self._bases.forget_move(path)
            return path
        self._bases.move(path, note)
        return note

    async def _refuse_taken(self, path: str, at: str) -> None:
        if await anyio.to_thread.run_sync(self._files.stamp, path) is not None:
            self._trouble(path, f"It is taken once the rename of {path} to {at} is decided.")

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
            found = await self._caution.believe(
                look, cuts_short, self._looks.setdefault(path, LastLook())
            )
        except NotFound:
            self._looks.pop(path, None)
            return None
        self._looks.pop(path, None)
        return endings.decode(found.data)[0]

    @property
    def has_unsettled(self) -> bool:
        """Whether some were being written when they were looked at."""
        return bool(self._unsettled)

    def take_unsettled(self) -> set[str]:
        """Return the notes that were being written when they were looked at."""
        unsettled, self._unsettled = self._unsettled, set()
        return unsettled

    async def _suggest(self, path: str, base: str | None, saved: str, now: str | None) -> None:
        """Suggest what was saved; what is refused is not tried again until it is saved anew."""
        permissions, by, note = self._vault.permissions, self._by, self.note_of(path)
        self._refused[path] = saved
        if now is None:
            permissions.check_create(note, by.name)
            await self._vault.write.suggest_note(note, saved, by)
        else:
            permissions.check_edit(note, by.name)
            made_from = now if base is None else self._earlier.base_of(path, base, saved)
            await self._vault.write.suggest_text(note, made_from, saved, by)
        await permissions.audit.write(
            by.name, "edit", note, answer="suggest", by="settings", outcome="done"
        )
        del self._refused[path]
        self._earlier.forget(path)
        # Until the file is written anew, what the copy shows is what was saved there.
        self._bases.put(path, saved)
        after = await self._accepted(path)
        if after != saved:
            await self._bring(path, saved, after)

    async def _delete(self, path: str, now: str | None) -> None:
        """Ask that a note goes to the trash; one that may not is written anew."""
        try:
            done = await self.requests.delete(path, self.note_of(path))
        except Denied:
            await self._bring(path, None, now)
            raise
        if done:
            self._bases.put(path, None)
            self._bases.forget_move(path)

    async def _bring(self, path: str, saved: str | None, now: str | None) -> None:
        """Write what the vault says into the copy, if the copy still reads as `saved`."""
        if now is None:
            assert saved is not None
            done = await anyio.to_thread.run_sync(self._files.remove, path, saved)
        else:
            done = await anyio.to_thread.run_sync(self._files.write, path, now, saved)
        if not done:  # it was saved meanwhile, or is being written
            self._unsettled.add(path)
            return
        self._bases.put(path, now)
        if saved is not None:
            self._earlier.put(path, saved)

    async def _accepted(self, path: str) -> str | None:
        """Return what the note of a file says with all suggestions accepted; None if none is."""
        if not paths.has_note_suffix(path):
            return None
        try:
            return await self._vault.texts.accepted(self.note_of(path))
        except (NotFound, Unreadable):
            return None
