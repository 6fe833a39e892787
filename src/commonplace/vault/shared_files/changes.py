"""What people changed in copies of a vault's files, made in the vault.

A text that was saved is a change of the text that its program began with, and is made in the note
as it stands now, through the one door: nobody's words in between are lost. What is no text is
replaced only while it is what was begun with; else the answer is `conflict`, and nothing happens.

Each save of a note has a name of its own, so that one which is sent again, because the answer was
lost on the way, is made once.
"""

import hashlib
import os
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

import anyio
import anyio.to_thread

from commonplace.core import critic, paths
from commonplace.core.attachments.media import SAVED_BYTES_MAX
from commonplace.core.file_sides import FILE_BYTES_MAX
from commonplace.core.text import endings
from commonplace.core.text.edits import Edit, diff
from commonplace.core.text.endings import FileForm
from commonplace.core.text.merge import merge3
from commonplace.errors import (
    BadArgument,
    Conflict,
    Forbidden,
    NotFound,
    Unavailable,
    Unreadable,
)
from commonplace.vault.documents.changes import FILE
from commonplace.vault.files.reader import NOTE_BYTES_MAX, reason
from commonplace.vault.notes.rename_plan import RenamePlan
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import CONFIG_FILE
from commonplace.vault.shared_files.file_list import SharedList, find_file
from commonplace.vault.vault import Vault

REMEMBERED_MAX = 10_000
_LOCKS = 64

SaveOutcome = Literal["saved", "suggested", "conflict"]


@dataclass(frozen=True, slots=True)
class CopyAuthor:
    """Who saves; one that `suggests` changes nothing by itself."""

    name: str
    suggests: bool = False

    @property
    def actor(self) -> str:
        """The person as the history names one."""
        return f"person:{self.name}"

    @property
    def asker(self) -> Asker:
        """The person as one whose changes others decide."""
        return Asker(f"copy:{self.name}", self.name, suggests_only=True)


@dataclass(frozen=True, slots=True)
class CopySave:
    """What was saved of a file, from what: the hash of that, and for a note all of it.

    `was` is empty for a file that is new.
    """

    path: str
    data: bytes
    was: str = ""
    base: bytes | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class CopySaveResult:
    """What became of a save, and the hash of what the vault's file holds now."""

    outcome: SaveOutcome
    sha: str


class SharedChanges:
    """Takes what was changed in copies, one change of a file at a time."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.files = SharedList(vault)
        self._locks = [anyio.Lock() for _ in range(_LOCKS)]
        self._made: OrderedDict[str, SaveOutcome] = OrderedDict()

    async def save(self, save: CopySave, by: CopyAuthor) -> CopySaveResult:
        """Take a save; one that was taken already is not taken again."""
        path = self._writable(save.path)
        async with self._lock(path):
            outcome = self._made.get(save.name) if save.name else None
            if outcome is None:
                outcome = await self._save(path, save, by)
                self._remember(save.name, outcome)
            return CopySaveResult(outcome, await self._settled(path))

    async def delete(self, raw: str, was: str, by: CopyAuthor) -> None:
        """Move a file to the trash that still is what its copy was.

        Raises:
            Conflict: it was changed meanwhile.

        """
        path = self._writable(raw)
        async with self._lock(path):
            await self._require(path, was)
            if paths.has_note_suffix(path):
                await self._vault.write.delete(path, by.name, by.actor)
            else:
                await anyio.to_thread.run_sync(self._vault.roots.trash, path)
            await self._record(by, "delete", path)
        self.files.note(path)

    async def rename(self, raw: str, to: str, was: str, by: CopyAuthor) -> None:
        """Give a file another name that still is what its copy was; links are left as they are."""
        path, to = self._writable(raw), self._writable(to)
        async with self._lock(path), self._vault.indexer.held() as look_at:
            await self._require(path, was)
            await self._vault.renames.carry_out(RenamePlan(path, to), [], by.actor)
            if paths.has_note_suffix(path):
                self._vault.ends.follow(path, to)
                await look_at([path, to], {to: path})
        await self._record(by, "rename", path)
        self.files.note(path)
        self.files.note(to)

    def _writable(self, raw: str) -> str:
        """Check the path of a file that is to be changed; who may write may not change settings."""
        self._vault.notes.refuse_read_only()
        path = paths.note_path(raw)
        if path.rpartition("/")[2].casefold() == CONFIG_FILE:
            raise Forbidden(f"{CONFIG_FILE} is changed in the vault's own folder only.")
        return path

    # -- parts of a save

    async def _save(self, path: str, save: CopySave, by: CopyAuthor) -> SaveOutcome:
        now = await self._content(path)
        if now is None:
            return await self._create(path, save.data, by)
        if now == save.data:
            return "saved"
        if not paths.has_note_suffix(path) or not (is_text(now) and is_text(save.data)):
            return await self._replace(path, save, by)
        if save.base is None or not is_text(save.base):
            return "conflict"
        if by.suggests:
            return await self._suggest(path, save.base, save.data, by)
        return await self._merge(path, save.base, save.data, by)

    async def _create(self, path: str, data: bytes, by: CopyAuthor) -> SaveOutcome:
        if paths.has_note_suffix(path) and is_text(data):
            text, form = endings.decode(data)
            if by.suggests:
                self._vault.permissions.check_create(path, by.name)
                await self._vault.write.suggest_note(path, text, by.asker)
                return "suggested"
            await self._vault.write.create(path, text, by.actor, form=form)
        else:
            _refuse_suggester(by)
            new = paths.new_note_path if paths.has_note_suffix(path) else paths.new_file_path
            await anyio.to_thread.run_sync(self._write_new, new(path), data)
        await self._record(by, "create", path)
        return "saved"

    async def _merge(self, path: str, base: bytes, data: bytes, by: CopyAuthor) -> SaveOutcome:
        """Make the change of a text in the note as it stands now."""
        (before, was), (after, form) = endings.decode(base), endings.decode(data)

        def plan(text: str) -> list[Edit]:
            return diff(text, merge3(before, text, after))

        edited = await self._vault.notes.edit(path, plan, by.actor, FILE)
        await self._record(by, "update", path)
        if edited.text == after and _endings(form) != _endings(was):
            await self._rewrite(path, data, after)
        return "saved"

    async def _suggest(self, path: str, base: bytes, data: bytes, by: CopyAuthor) -> SaveOutcome:
        """Suggest the change of a text; of marks that somebody took away nothing is said."""
        before, after = (critic.accepted(endings.decode(each)[0]) for each in (base, data))
        if before != after:
            self._vault.permissions.check_edit(path, by.name)
            await self._vault.write.suggest_text(path, before, after, by.asker)
            await self._record(by, "edit", path, "suggest")
        return "suggested"

    async def _rewrite(self, path: str, data: bytes, text: str) -> None:
        """Let a file have other line endings, as another program would save it."""
        await self._settled(path)
        now = await self._content(path)
        if now is not None and is_text(now) and endings.decode(now)[0] == text:
            await anyio.to_thread.run_sync(self._swap, path, data, _sha(now))
            await self._vault.notes.text(path)

    async def _replace(self, path: str, save: CopySave, by: CopyAuthor) -> SaveOutcome:
        """Put bytes in the place of others that are what the copy was made from."""
        _refuse_suggester(by)
        if not await anyio.to_thread.run_sync(self._swap, path, save.data, save.was):
            return "conflict"
        await self._record(by, "update", path)
        return "saved"

    # -- files

    def _write_new(self, path: str, data: bytes) -> None:
        _refuse_large(data)
        roots = self._vault.roots
        if roots.ignores(path):
            raise BadArgument(f"The vault's settings ignore {path}. Choose another path.")
        try:
            roots.create(roots.spelled(path), data, uuid.uuid4().hex)
        except OSError as error:
            raise Unavailable(f"{path} cannot be saved: {reason(error)}.") from error

    def _swap(self, path: str, data: bytes, was: str) -> bool:
        """Exchange what a file holds; tell whether it was as expected, else it stays so."""
        _refuse_large(data)
        roots, token = self._vault.roots, uuid.uuid4().hex
        on_disk = roots.find(path) or path
        try:
            roots.swap(on_disk, data, token, expected=lambda there: _sha(there) == was)
            out = self._out(on_disk, token)
            if _sha(out) != was:
                roots.swap(on_disk, out, again := uuid.uuid4().hex, patient=False)
                roots.clear(on_disk, again)
            roots.clear(on_disk, token)
        except BlockingIOError:
            raise Unavailable(f"{path} is being written by another program. Try again.") from None
        except OSError as error:
            raise Unavailable(f"{path} cannot be saved: {reason(error)}.") from error
        return _sha(out) == was

    def _out(self, on_disk: str, token: str) -> bytes:
        descriptor = self._vault.roots.open_spare(on_disk, token)
        if descriptor is None:
            raise Unavailable(f"{on_disk} is being changed by another program. Try again.")
        with os.fdopen(descriptor, "rb") as out:
            out.seek(0)
            return out.read(FILE_BYTES_MAX + 1)

    async def _content(self, path: str) -> bytes | None:
        """Return what a file holds; None if there is none."""
        file = await find_file(self._vault, path)
        if file is None:
            return None
        try:
            return await self._vault.attachments.read(file, FILE_BYTES_MAX)
        except NotFound:
            return None

    async def _settled(self, path: str) -> str:
        """Return the hash of a file once it has all that its note has."""
        if await self._vault.notes.late_files([path]):
            raise Unavailable(f"{path} is saved; its file is being written by another program.")
        self.files.note(path)
        now = await self._content(path)
        return "" if now is None else _sha(now)

    async def _require(self, path: str, was: str) -> None:
        await self._settled(path)
        now = await self._content(path)
        if now is None:
            raise NotFound(f"There is no file {path} in this vault.")
        if _sha(now) != was:
            raise Conflict(f"{path} was changed meanwhile. Read it again.")

    def _lock(self, path: str) -> anyio.Lock:
        return self._locks[hash(path) % _LOCKS]

    def _remember(self, name: str, outcome: SaveOutcome) -> None:
        if name:
            self._made[name] = outcome
        while len(self._made) > REMEMBERED_MAX:
            self._made.popitem(last=False)

    async def _record(
        self, by: CopyAuthor, operation: str, path: str, answer: str = "allow"
    ) -> None:
        audit = self._vault.permissions.audit
        await audit.write(by.name, operation, path, answer=answer, by=by.name, outcome="done")


def is_text(data: bytes) -> bool:
    """Tell whether a note can hold this."""
    if len(data) > NOTE_BYTES_MAX:
        return False
    try:
        endings.decode(data)
    except Unreadable:
        return False
    return True


def _endings(form: FileForm) -> tuple[object, ...]:
    return form.bom, form.crlf, form.odd


def _refuse_suggester(by: CopyAuthor) -> None:
    if by.suggests:
        raise Forbidden("This access token can only suggest, and only the text of notes.")


def _refuse_large(data: bytes) -> None:
    if len(data) > SAVED_BYTES_MAX:
        raise BadArgument(f"A file can have at most {SAVED_BYTES_MAX // 1_000_000} MB here.")


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
