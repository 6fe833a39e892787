"""The texts of notes: which note a path names, and what it says at this moment.

A live text is ahead of its file, and the file of the index. The corpus holds accepted texts.
"""

from collections.abc import Callable
from contextlib import suppress

import anyio.to_thread

from commonplace.core import critic, paths
from commonplace.core.render import listings
from commonplace.core.text import endings, quotation
from commonplace.errors import (
    BadArgument,
    BadPath,
    CommonplaceError,
    NotFound,
    Unavailable,
    Unreadable,
)
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.mirror import Contents
from commonplace.vault.threads import aside_if_long


class Texts:
    """Notes, found by path and read."""

    def __init__(self, roots: Roots, contents: Contents, notes: LiveNotes) -> None:
        self._roots = roots
        self._contents = contents
        self._notes = notes
        self._moved: Callable[[str], str | None] = lambda _: None

    def find(self, raw: str) -> str:
        """Return the path of the note that `raw` names: exactly, or with `.md` added."""
        try:
            path = paths.note_path(raw)
        except BadPath as error:
            near = self._meant(raw)
            raise BadPath(f"{error} Did you mean {near}?") if near else error from None
        self.require_roots()
        if (found := self._there(path)) is not None:
            return found
        if self._roots.is_folder(path):
            raise NotFound(f"{path} is a folder, not a document", "Use glob to list what it holds.")
        if paths.is_attachment(path) and self.exists(path):
            raise NotFound(
                f"{path} is an attachment, not a document",
                "Attachments are taken by read, glob and get_links only.",
            )
        raise self._not_found(path)

    def find_moved(self, raw: str) -> str:
        """Return the path of the note that `raw` names, or named until a rename."""
        now = self._moved(raw)
        gone = now is not None and not self.exists(raw) and self.exists(now)
        return now if now is not None and gone else self.find(raw)

    def _there(self, path: str) -> str | None:
        """Return the note that a path names, exactly or with `.md` added."""
        for candidate in (path, f"{path}.md"):
            if paths.has_note_suffix(candidate) and self.exists(candidate):
                return candidate
        return None

    def _meant(self, raw: str) -> str | None:
        """Return the note that is meant by a link to it, its URI, or a path from the top."""
        path = paths.meant(raw)
        return None if path is None else self._there(path)

    def follow_moves(self, moved: Callable[[str], str | None]) -> None:
        """Learn whom to ask where a note went that had a path a while ago."""
        self._moved = moved

    def _not_found(self, path: str) -> NotFound:
        """Word that a note is not there, and what may have been meant."""
        for old in (path, f"{path}.md"):
            if (now := self._moved(old)) is not None and self.exists(now):
                missing = f"Document not found: {quotation.one_line(path)}"
                return NotFound(missing, f"It was renamed to {now}.")
        if (meant := self._meant(path)) is not None:
            missing = f"Document not found: {quotation.one_line(path)}"
            return NotFound(missing, f"Did you mean {meant}?")
        note, heading, _ = path.partition("#")
        if heading and paths.has_note_suffix(note) and self.exists(note):
            meant = f"Did you mean {note}? A heading is no part of a path."
            return NotFound(f"Document not found: {quotation.one_line(path)}", meant)
        return listings.not_found(path, paths.near(path, self._contents.catalog.paths()))

    def no_folder(self, folder: str) -> NotFound:
        """Word that a folder is not there, and which one is that differs by case alone."""
        missing = f"Folder does not exist: {folder}"
        try:
            like = self._roots.spelled(f"{folder}/_.md").removesuffix("/_.md")
        except CommonplaceError:
            return NotFound(missing)  # not even a root is named
        there = like != folder and self._roots.is_folder(like)
        return NotFound(missing, f"Did you mean {like}?") if there else NotFound(missing)

    async def find_marked(self, raw: str) -> tuple[str, str]:
        """Return the path of the note that `raw` names, and its text as it stands.

        A note that is known and just its file is looked at once, and found by being read.
        """
        path = self._plainly_named(raw)
        if path is not None:
            self.require_roots()
            with suppress(NotFound, BadArgument):
                return path, await self._in_file(path)
        found = self.find(raw)
        return found, await self.marked(found)

    def _plainly_named(self, raw: str) -> str | None:
        """Return the path of a note that the index knows, if nobody works on it."""
        with suppress(BadPath):
            path = paths.note_path(raw)
            known = self._contents.catalog.get(path) is not None
            if known and not self._roots.ignores(path) and not self._notes.is_live(path):
                return path
        return None

    async def marked(self, path: str) -> str:
        """Read a note's text as it stands, pending suggestions and all: live, else its file's."""
        self.require_roots()
        found = path if self._contents.catalog.get(path) is not None else self.find(path)
        if (live := await self._notes.text(found)) is not None:
            return live
        try:
            return await self._in_file(found)
        except NotFound:
            # The index does not know yet that it went, or that it has another name on disk.
            return await self._read(found, self._roots.find(self.find(path)) or found)

    async def _in_file(self, path: str) -> str:
        entry = self._contents.catalog.get(path)
        return await self._read(path, (entry.on_disk if entry else self._roots.find(path)) or path)

    async def _read(self, path: str, on_disk: str) -> str:
        look = self._roots.look(on_disk)
        data = look.data
        if look.in_doubt:
            data, _ = await anyio.to_thread.run_sync(self._roots.read_patiently, on_disk)
        try:
            return endings.decode(data)[0]
        except Unreadable as error:
            raise Unreadable(f"{path}: {error}.") from error

    async def accepted(self, path: str) -> str:
        """Read a note's accepted view."""
        return await aside_if_long(critic.accepted, await self.marked(path))

    def of_note(self, note: int) -> bytes:
        """Return a text from the corpus, else from the file; nothing if it cannot be read."""
        if (text := self._contents.corpus.text(note)) is not None:
            return text
        path = self._contents.catalog.path(note)
        if path is None:
            return b""
        try:
            data, _ = self._roots.read(self._roots.find(path) or path)
            return critic.accepted(endings.decode(data)[0]).encode()
        except CommonplaceError:
            return b""

    def is_folder(self, path: str) -> bool:
        """Tell whether there is a folder of that path; the top is one."""
        return self._roots.is_folder(path)

    def require_roots(self) -> None:
        """Refuse to answer for a vault whose folder is gone."""
        if missing := self._roots.missing():
            raise Unavailable(
                f"The vault's folder {', '.join(missing)} is not there any more. Was it moved,"
                " or its disk unmounted? Put it back, or start again with its new place."
            )

    def exists(self, path: str) -> bool:
        """Tell whether there is a file of that path that the person does not ignore."""
        if self._roots.ignores(path):
            return False
        entry = self._contents.catalog.get(path)
        if entry is not None and self._roots.stamp(entry.on_disk or path) is not None:
            return True
        return self._roots.find(path) is not None
