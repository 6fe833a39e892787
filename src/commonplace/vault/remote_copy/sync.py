"""Folder and server brought together, one file after the other.

What the server refuses is told, and not tried again until the file changes on either side.
"""

import uuid
from dataclasses import replace

import anyio.to_thread

from commonplace.core import paths
from commonplace.core.attachments.media import SAVED_BYTES_MAX
from commonplace.core.file_sides import Sides
from commonplace.core.text import endings
from commonplace.core.text.merge import merge3
from commonplace.core.text.truncation import deletes_much
from commonplace.errors import (
    BadArgument,
    CommonplaceError,
    Conflict,
    Forbidden,
    NotFound,
    Unavailable,
    Unreadable,
)
from commonplace.vault.checkout.earlier_texts import Earlier
from commonplace.vault.documents.file.stable_read import Caution, LastLook, Unsettled
from commonplace.vault.files.reader import NOTE_BYTES_MAX, Look, Stamp, reason
from commonplace.vault.remote_copy.file_states import FileStates
from commonplace.vault.remote_copy.files import LocalFiles
from commonplace.vault.remote_copy.news import News, Tell
from commonplace.vault.remote_copy.server import (
    NotLetIn,
    Offline,
    RemoteServer,
    content_hash,
)
from commonplace.vault.remote_copy.state import AgreedFile, CopyState, Sending


class FileSync:
    """Brings single files together."""

    def __init__(
        self, server: RemoteServer, files: LocalFiles, state: CopyState, tell: Tell
    ) -> None:
        self._server, self._files, self._state, self._tell = server, files, state, tell
        self.file_states = FileStates(state.agreed())
        self._earlier = Earlier()
        self._caution = Caution()
        self._looks: dict[str, LastLook] = {}
        self._told: dict[str, str] = {}
        self.refused: dict[str, Sides] = {}

    # -- looking

    async def look_here(self) -> bool:
        """Look at the folder; tell whether some files are being written just now."""
        file_states, unsettled = self.file_states, False
        file_states.here = await self._files.scan()
        for path in list(file_states.here):
            if file_states.hash_here(path) is None:
                try:
                    found = await self._read(path)
                except Unsettled:
                    unsettled = True
                except (CommonplaceError, OSError) as error:
                    self.tell_trouble(path, error)
                else:
                    self._know(path, found)
        return unsettled

    def _know(self, path: str, found: Look | None) -> None:
        if found is None:
            self.file_states.know_here(path, None)
            return
        sha, agreed = content_hash(found.data), self.file_states.agreed.get(path)
        self.file_states.know_here(path, found.stamp, sha)
        if agreed is not None and agreed.sha == sha:
            self._state.look_alike(path, found.stamp)
            self.file_states.agreed[path] = replace(agreed, stamp=found.stamp)

    async def _read(self, path: str) -> Look | None:
        """Read a file once it can be believed: it may be in the middle of a save."""
        base = await anyio.to_thread.run_sync(self._state.text, path)
        before = text_of(base)

        async def look() -> Look:
            return await anyio.to_thread.run_sync(self._files.look, path)

        def cuts_short(data: bytes) -> bool:
            after = text_of(data)
            return before is not None and (after is None or deletes_much(before, after))

        try:
            found = await self._caution.believe(
                look, cuts_short, self._looks.setdefault(path, LastLook())
            )
        except NotFound:
            found = None
        self._looks.pop(path, None)
        return found

    def has_text(self, path: str) -> bool:
        """Tell whether a file is a note whose text was agreed on, so that it can be merged."""
        agreed = self.file_states.agreed.get(path)
        return agreed is not None and agreed.has_text

    # -- steps

    async def send_again(self) -> bool:
        """Send the saves whose answers never came; tell whether all have one now.

        It comes before anything else that is made of the files.
        """
        for save in self._state.sending():
            try:
                await self._send(save, None)
            except Offline:
                raise
            except Unavailable as error:
                self.tell_trouble(save.path, error)
                return False
        return True

    async def agree(self, path: str) -> None:
        """Take down that both hold the same."""
        found = await self._look(path)
        if found is not None and content_hash(found.data) == self.file_states.there.get(path):
            self._agree(path, found.data, found.stamp)

    def forget(self, path: str) -> None:
        """Take down that both are rid of a file."""
        self._state.forget(path)
        self.file_states.agreed.pop(path, None)

    async def fetch(self, path: str) -> None:
        """Let the folder have what the server has."""
        here, there = self.file_states.hash_here(path), self.file_states.there.get(path)
        try:
            data = await anyio.to_thread.run_sync(self._server.content, path)
        except NotFound:
            self.file_states.know_there(path, there, None)
            return
        before = self._state.text(path) if here is not None else None
        if content_hash(data) != here and not await anyio.to_thread.run_sync(
            self._files.write, path, data, here
        ):
            self.file_states.know_here(path, None)
            if here is None and await self._look(path) is None:
                raise Conflict(
                    "Something else here has its name, or that of its folder. Rename that."
                )
            return  # it was saved meanwhile: its turn comes
        self.file_states.know_there(path, there, content_hash(data))
        found = await self._look(path)
        if found is not None and found.data == data:
            self._agree(path, data, found.stamp)
        else:
            self._agree(path, data, Stamp(0, 0, 0))
        if (old := text_of(before)) is not None:
            self._earlier.put(path, old)
        self._tell(News("fetched", path))

    async def send(self, path: str) -> None:
        """Let the server have what is in the folder, merged with what changed there."""
        sides = self.file_states.side(path)
        found = await self._look(path)
        if found is None or content_hash(found.data) != sides.here:
            return
        if len(found.data) > SAVED_BYTES_MAX:
            raise BadArgument(f"A file can have at most {SAVED_BYTES_MAX // 1_000_000} MB here.")
        was, base = sides.base or "", None
        if sides.there is not None and is_mergeable(path, found.data):
            base = self._base(path, found.data)
            was = content_hash(base) if base is not None else was
        save = Sending(path, uuid.uuid4().hex, was, base, found.data)
        if is_mergeable(path, found.data):
            self._state.send(save)
        await self._send(save, found.stamp)

    def _base(self, path: str, saved: bytes) -> bytes | None:
        """Return the text that a save was made from."""
        base = self._state.text(path)
        before, after = text_of(base), text_of(saved)
        if base is None or before is None or after is None:
            return base
        made_from = self._earlier.base_of(path, before, after)
        form = endings.decode(base)[1]
        return base if made_from == before else endings.encode(made_from, form, before)

    async def _send(self, save: Sending, stamp: Stamp | None) -> None:
        there = self.file_states.there.get(save.path)
        try:
            answer = await anyio.to_thread.run_sync(
                self._server.save, save.path, save.data, save.was, save.base, save.name
            )
        except (Unavailable, NotLetIn):
            raise  # it is sent again
        except CommonplaceError as error:
            self._state.drop(save.path)
            self.refuse(save.path, error)
            return
        if answer.outcome == "conflict":
            self._state.drop(save.path)
            await self.set_aside(save.path)
            return
        self.file_states.know_there(save.path, there, answer.sha)
        self._earlier.forget(save.path)
        self._told.pop(save.path, None)
        self._agree(save.path, save.data, stamp or Stamp(0, 0, 0))
        self._tell(News("suggested" if answer.outcome == "suggested" else "sent", save.path))

    async def merge_here(self, path: str) -> None:
        """Bring what changed on the server into a text that was changed here and may not go there.

        What cannot be merged is set aside.
        """
        there = self.file_states.there.get(path)
        data = await anyio.to_thread.run_sync(self._server.content, path)
        found, base = await self._look(path), self._state.text(path)
        if found is None or content_hash(found.data) != self.file_states.hash_here(path):
            return
        before, theirs = text_of(base), text_of(data)
        if before is None or theirs is None or not is_mergeable(path, found.data):
            await self.set_aside(path)
            return
        ours, form = endings.decode(found.data)
        merged = endings.encode(merge3(before, theirs, ours), form, ours)
        if await anyio.to_thread.run_sync(
            self._files.write, path, merged, content_hash(found.data)
        ):
            self.file_states.know_there(path, there, content_hash(data))
            self._agree(path, data, Stamp(0, 0, 0))
            self._tell(News("fetched", path))
        self.file_states.know_here(path, None)

    async def keep(self, path: str) -> None:
        """Leave what was saved here as it is, and say so."""
        self.refuse(path, Forbidden("It stays here: this access token can only read."))

    async def remove_here(self, path: str) -> None:
        """Remove a file of the folder that the server has no more."""
        agreed = self.file_states.agreed[path]
        if await anyio.to_thread.run_sync(self._server.has, path):
            self.file_states.there[path] = ""  # it is there again: it is fetched
            return
        if await anyio.to_thread.run_sync(self._files.remove, path, agreed.sha):
            self.file_states.know_here(path, None)
            self.forget(path)
            self._tell(News("removed", path))

    async def remove_there(self, path: str) -> None:
        """Have a file deleted on the server that was deleted here."""
        agreed = self.file_states.agreed[path]
        if not await anyio.to_thread.run_sync(self._files.is_gone, path):
            raise Conflict(
                "It cannot be seen here, and is not known to be deleted: it stays there."
            )
        try:
            await anyio.to_thread.run_sync(self._server.delete, path, agreed.sha)
        except Conflict:
            self.file_states.there[path] = ""  # changed meanwhile: it is fetched
            return
        self.file_states.there.pop(path, None)
        self.forget(path)
        self._tell(News("deleted", path))

    async def rename(self, old: str, new: str) -> bool:
        """Have a file renamed on the server as it was here; tell whether it was."""
        agreed = self.file_states.agreed[old]
        try:
            await anyio.to_thread.run_sync(self._server.rename, old, new, agreed.sha)
        except (Offline, NotLetIn):
            raise
        except CommonplaceError:
            return False  # then it is a new file and a deletion
        self._state.move(old, new)
        self.file_states.agreed[new] = self.file_states.agreed.pop(old)
        self.file_states.there.pop(old, None)  # the server may have told so already
        self.file_states.there[new] = agreed.sha
        self._tell(News("renamed", new, old))
        return True

    async def set_aside(self, path: str) -> None:
        """Give what is here a name of its own, so that the server's file can have this one."""
        try:
            await anyio.to_thread.run_sync(self._files.set_aside, path)
        except (NotFound, FileNotFoundError):
            self.file_states.know_here(path, None)
            return
        self.file_states.know_here(path, None)
        self.forget(path)

    # -- parts

    async def _look(self, path: str) -> Look | None:
        try:
            return await anyio.to_thread.run_sync(self._files.look, path)
        except NotFound:
            return None

    def _agree(self, path: str, data: bytes, stamp: Stamp) -> None:
        has_text = is_mergeable(path, data)
        file = AgreedFile(content_hash(data), stamp, has_text)
        self._state.agree(path, file, data if has_text else None)
        self.file_states.agreed[path] = file
        if path in self.file_states.here and any(stamp):
            self.file_states.know_here(path, stamp, file.sha)

    def refuse(self, path: str, error: Exception) -> None:
        """Tell what is wrong with a file, and leave it until it changes on either side."""
        self.refused[path] = self.file_states.side(path)
        self.tell_trouble(path, error)

    def tell_trouble(self, path: str, error: Exception) -> None:
        """Tell what is wrong with a file, once."""
        text = reason(error) if isinstance(error, OSError) else str(error)
        if self._told.get(path) != text:
            self._told[path] = text
            self._tell(News("trouble", path, text))


def is_mergeable(path: str, data: bytes) -> bool:
    """Tell whether a file is a note whose text can be merged."""
    return paths.has_note_suffix(path) and len(data) <= NOTE_BYTES_MAX and text_of(data) is not None


def text_of(data: bytes | None) -> str | None:
    """Return the text that bytes hold; None if they hold none."""
    if data is None:
        return None
    try:
        return endings.decode(data)[0]
    except Unreadable:
        return None
