"""The door to the attachments of a vault: find, open, save, move, and see who links to them."""

import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol

import anyio.to_thread

from commonplace.core import links, paths
from commonplace.core.attachments.media import SAVED_BYTES_MAX
from commonplace.core.links import attachments, respell
from commonplace.errors import BadArgument, Conflict, Forbidden, NotFound, Unavailable
from commonplace.vault.attachments import place
from commonplace.vault.attachments.files import AttachmentFiles, AttachmentList, File
from commonplace.vault.attachments.open import Hashes, OpenFile, open_file, opened
from commonplace.vault.attachments.views import Views
from commonplace.vault.files.reader import reason
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.indexer import LookAt
from commonplace.vault.index.queries.links import LinkTo
from commonplace.vault.index.reader import Index
from commonplace.vault.notes.rename import Renamed, Renames
from commonplace.vault.notes.rename_plan import RenamePlan
from commonplace.vault.settings import Settings

_NAMES_MAX = 1_000


class AttachmentIndex(Protocol):
    """What is asked of the index while links are rewritten."""

    def held(self) -> AbstractAsyncContextManager[LookAt]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Attached:
    """An attachment that a note links to: as it is written, and its path unless it is missing."""

    link: str
    path: str | None


@dataclass(frozen=True, slots=True)
class SavedAttachment:
    """A new attachment: its path, and how a note links to it."""

    path: str
    link: str


class Attachments:
    """The attachments of a vault."""

    def __init__(
        self,
        settings: Settings,
        roots: Roots,
        index: Index,
        indexing: AttachmentIndex,
        renaming: Renames,
    ) -> None:
        self._settings = settings
        self._roots = roots
        self._index = index
        self._indexing = indexing
        self._renaming = renaming
        self.files = AttachmentFiles(roots)
        self.views = Views()
        self._hashes = Hashes()

    # -- finding

    async def find(self, raw: str) -> File | None:
        """Return the attachment at a path; None if there is none."""
        path = paths.note_path(raw)
        if not paths.is_attachment(path) or self._roots.ignores(path):
            return None
        try:
            on_disk = self._roots.find(path)
        except NotFound:
            return None
        stamp = self._roots.stamp(on_disk) if on_disk else None
        return File(path, stamp, on_disk) if stamp and on_disk else None

    async def resolve(self, link: str, source: str) -> File:
        """Return the attachment that a link in a note means, as Obsidian resolves it.

        Raises:
            NotFound: there is none.

        """
        root = self._root_of(source)
        for snapshot in (self.files.recent, self.files.current):
            files = await snapshot()
            found = attachments.resolve(link, source, files.named, root)
            if found and (file := await self.find(found.path)):
                return file
        raise NotFound(f"There is no file {link} in this vault.")

    async def of_note(self, path: str) -> list[Attached]:
        """Return the attachments that a note links to, each once, in the order of their names."""
        about = self._index.about(path)
        if about is None:
            return []
        files = await self.files.recent()
        standing = self._index.links.standing_in(about.note)
        named = [link for link in standing if link.target is None and self._names_file(link, files)]
        found = {link.raw: self._meant(link, files) for link in named}
        return [Attached(raw, target) for raw, target in sorted(found.items())]

    async def linked_from(self, path: str) -> list[str]:
        """Return the notes that link to an attachment."""
        files = await self.files.current()
        return sorted({link.source for link in self._leading_to(path, files)})

    # -- reading

    @asynccontextmanager
    async def open(self, file: File) -> AsyncGenerator[OpenFile]:
        """Hold a file open for a while."""
        held = await anyio.to_thread.run_sync(open_file, self._roots, file.path, file.on_disk)
        try:
            yield held
        finally:
            held.close()

    async def hash(self, held: OpenFile) -> str:
        """Return a hash of what a file holds."""
        return await anyio.to_thread.run_sync(self._hashes.of, held)

    async def read(self, file: File, most: int) -> bytes:
        """Read a whole file, if it is no larger than that."""
        return await anyio.to_thread.run_sync(self._whole, file, most)

    def _whole(self, file: File, most: int) -> bytes:
        with opened(self._roots, file.path, file.on_disk) as held:
            return held.whole(most)

    # -- writing

    async def save(
        self, note: str, name: str, kind: str, data: bytes, now: datetime
    ) -> SavedAttachment:
        """Save a file for a note; one that is there already with the same bytes is taken."""
        self._refuse_read_only()
        if len(data) > SAVED_BYTES_MAX:
            raise BadArgument(f"A file can have at most {SAVED_BYTES_MAX // 1_000_000} MB here.")
        if not data:
            raise BadArgument("The file is empty; nothing was saved.")
        folder = place.folder_for(note, self._settings.attachments, self._roots)
        wanted = place.file_name(name, kind, now)
        path = paths.new_file_path(f"{folder}/{wanted}" if folder else wanted)
        path = await anyio.to_thread.run_sync(self._write, path, data)
        files = await self.files.current()
        link = attachments.shortest(path, note, files.named, self._root_of(note))
        return SavedAttachment(path, link)

    def _write(self, path: str, data: bytes) -> str:
        for number in range(_NAMES_MAX):
            free = place.numbered(path, number)
            try:
                self._roots.create(free, data, uuid.uuid4().hex)
            except Conflict:
                if self._holds(free, data):
                    return free  # sent once more, by somebody who did not hear our answer
            except OSError as error:
                raise Unavailable(f"{path} cannot be saved: {reason(error)}.") from error
            else:
                return free
        raise Conflict(f"There are too many files named {path}. Choose another name.")

    def _holds(self, path: str, data: bytes) -> bool:
        try:
            with opened(self._roots, path, self._roots.find(path) or path) as held:
                return held.size == len(data) and held.whole(len(data)) == data
        except NotFound:
            return False

    async def move(self, raw: str, to: str, actor: str) -> Renamed:
        """Give an attachment another path, and every link to it with it."""
        self._refuse_read_only()
        file = await self.find(raw)
        if file is None:
            raise NotFound(f"There is no file {raw} in this vault.")
        new = paths.new_file_path(to)
        if any(character in new.rpartition("/")[2] for character in respell.UNLINKABLE):
            raise BadArgument(f"A file's name cannot hold any of {respell.UNLINKABLE} in it.")
        files = await self.files.current()
        async with self._indexing.held() as look_at:
            intent, left = self._plan(file.path, new, files)
            moved = await self._renaming.carry_out(intent, left, actor)
            await look_at([path for path in moved.touched if path not in (file.path, new)])
        return moved

    def _plan(self, old: str, new: str, files: AttachmentList) -> tuple[RenamePlan, list[str]]:
        """Say which links are spelled how once the file has moved, and which are left."""
        intent, left = RenamePlan(old, new), list[str]()
        after = partial(_named_after, files, old, new)
        for link in self._leading_to(old, files):
            root = self._root_of(link.source)
            spelling = (link.kind == "markdown", link.raw)
            found = attachments.respelled(spelling, link.source, old, new, after, root)
            if found is None:
                left.append(f"{link.source}: {link.raw}")
            elif found != link.raw:
                intent.links.setdefault(link.source, {})[spelling] = found
        return intent, left

    # -- links

    def _leading_to(self, path: str, files: AttachmentList) -> list[LinkTo]:
        named = self._index.links.by_name(links.name_key(path))
        return [link for link in named if link.target is None and self._meant(link, files) == path]

    def _meant(self, link: LinkTo, files: AttachmentList) -> str | None:
        found = attachments.resolve(link.raw, link.source, files.named, self._root_of(link.source))
        return found.path if found else None

    @staticmethod
    def _names_file(link: LinkTo, files: AttachmentList) -> bool:
        return links.is_attachment(link.raw) or bool(files.named(links.name_key(link.raw)))

    def _root_of(self, path: str) -> str:
        return path.partition("/")[0] if self._settings.several_roots else ""

    def _refuse_read_only(self) -> None:
        if self._settings.read_only:
            raise Forbidden("This vault was opened read-only; nothing is changed.")


def _named_after(files: AttachmentList, old: str, new: str, key: str) -> Sequence[str]:
    others = [path for path in files.named(key) if path != old]
    return [*others, new] if links.name_key(new) == key else others
