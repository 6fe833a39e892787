"""The files of a person's copy: found, read, and written whole beneath its folder.

What is hidden or linked is none of them. A file is replaced or removed only while it holds what
was expected; what another program saved at the last moment stays, or gets a name of its own.
"""

import errno
import os
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

import anyio.to_thread

from commonplace.core import paths
from commonplace.core.file_sides import FILE_BYTES_MAX
from commonplace.errors import CommonplaceError, Conflict, NotFound, Unavailable, Unreadable
from commonplace.vault.attachments.files import AttachmentFiles, File
from commonplace.vault.attachments.open import opened
from commonplace.vault.files import empty_folders
from commonplace.vault.files.conflict_copy import COPIES_MAX, keep_conflict_copy, name_of_copy
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import Look, reason
from commonplace.vault.files.roots import Roots
from commonplace.vault.files.writer import temporary
from commonplace.vault.remote_copy.news import News, Tell
from commonplace.vault.remote_copy.server import content_hash
from commonplace.vault.remote_copy.state import CopyState, Writing
from commonplace.vault.settings import Root, Settings

_ROOT = "copy"


class LocalFiles:
    """The folder, held open; but for `scan`, its methods are called in threads."""

    def __init__(self, folder: Path, state: CopyState, tell: Tell) -> None:
        self.settings = Settings((Root(_ROOT, folder),), folder)
        self.roots = Roots(self.settings)
        self._state = state
        self._tell = tell
        self._attachments = AttachmentFiles(self.roots)

    def close(self) -> None:
        """Let go of the folder."""
        self.roots.close()

    async def scan(self) -> dict[str, File]:
        """Return every file, by path.

        Raises:
            Unavailable: the folder is not where it was.

        """
        if self.roots.missing():
            raise Unavailable("The folder of this copy is gone or was replaced. Put it back.")
        found = await anyio.to_thread.run_sync(self._notes)
        return found | (await self._attachments.current()).by_path

    def _notes(self) -> dict[str, File]:
        scanned = self.roots.scan()
        return {one.path: File(one.path, one.stamp, one.on_disk or one.path) for one in scanned}

    def look(self, path: str) -> Look:
        """Read a file, and tell whether a program is writing it; NotFound if there is none."""
        on_disk = self._on_disk(path)
        if paths.has_note_suffix(path):
            with suppress(Unreadable):  # too long for a note, and a file all the same
                return self.roots.look(on_disk)
        with opened(self.roots, path, on_disk) as held:
            data = held.whole(FILE_BYTES_MAX)
            changed = self.roots.stamp(on_disk) != held.stamp or len(data) != held.size
            return Look(data, held.stamp, changed or self.roots.is_open_for_writing(on_disk))

    def is_gone(self, path: str) -> bool:
        """Tell whether there is no file; what may not be looked at may well be there."""
        disk, inside = self.roots.at(self._on_disk(path))
        try:
            os.close(open_beneath(disk.descriptor, inside, os.O_RDONLY | os.O_NONBLOCK))
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False

    def write(self, path: str, data: bytes, expected: str | None) -> bool:
        """Put bytes in the place of what is expected, None for nothing; tell whether it was so."""
        with self._beginning(path, content_hash(data)) as token:
            try:
                if expected is None:
                    self.roots.create(path, data, token)
                    return True
                on_disk = self._on_disk(path)
                if content_hash(self.look(path).data) != expected:
                    return False
                self.roots.swap(on_disk, data, token)
            except (Conflict, NotFound, FileNotFoundError, BlockingIOError):
                return False
            except OSError as error:
                raise _failed(error) from error
            return self._finish(on_disk, token, expected, data)

    def remove(self, path: str, expected: str) -> bool:
        """Remove a file that holds what is expected; tell whether it did."""
        with self._beginning(path, "") as token:
            on_disk = self._on_disk(path)
            aside = os.path.join(paths.parent(on_disk), temporary(token))
            try:
                if content_hash(self.look(path).data) != expected:
                    return False
                if self.roots.is_open_for_writing(on_disk):
                    return False
                self.roots.rename(on_disk, aside)
            except (Conflict, NotFound, FileNotFoundError):
                return False
            except OSError as error:
                raise _failed(error) from error
            done = self._finish(on_disk, token, expected, None)
        self._tidy(on_disk)
        return done

    def set_aside(self, path: str) -> None:
        """Give a file the name of a conflict copy."""
        for number in range(1, COPIES_MAX):
            name = name_of_copy(path, _today(), number)
            with suppress(Conflict):
                self.roots.rename(self._on_disk(path), name)
                self._tell(News("conflict", path, name))
                return
        raise Unavailable(f"There are too many conflict copies of {path}; remove some.")

    def recover(self, agreed: str | None, change: Writing) -> None:
        """Clear away what a change left that was cut short.

        Whatever is neither the server's nor what both had is what somebody saved.
        """
        spare = self._spare(change.path, change.token)
        if spare is not None and content_hash(spare) not in (agreed, change.sha):
            try:
                now = content_hash(self.look(change.path).data)
            except CommonplaceError:
                now = None
            if now != agreed:  # else nothing was put in place yet, and this is a beginning of it
                self._keep_copy(change.path, change.token)
        self.roots.clear(change.path, change.token)
        self._state.wrote(change.token)

    # -- parts

    @contextmanager
    def _beginning(self, path: str, sha: str) -> Generator[str]:
        token = uuid.uuid4().hex
        self._state.write(Writing(token, path, sha))
        yield token  # what fails here is looked at when the copy is opened again
        self._state.wrote(token)

    def _finish(self, on_disk: str, token: str, expected: str, data: bytes | None) -> bool:
        """Clear away what was pushed out, if it was as expected; else put it back."""
        out = self._spare(on_disk, token)
        if out is None or content_hash(out) == expected:
            self.roots.clear(on_disk, token)
            return True
        if data is not None:
            again = uuid.uuid4().hex
            self.roots.swap(on_disk, out, again, patient=False)
            last = self._spare(on_disk, again)
            if last is not None and last != data:  # it was saved once more just now
                self._keep_copy(on_disk, again)
            self.roots.clear(on_disk, again)
            self.roots.clear(on_disk, token)
            return False
        try:
            self.roots.name_spare(on_disk, token, on_disk)
        except Conflict:
            self._keep_copy(on_disk, token)
        return False

    def _keep_copy(self, path: str, token: str) -> None:
        kept = keep_conflict_copy(self.roots, path, token, _today())
        self._tell(News("conflict", path, kept))

    def _spare(self, path: str, token: str) -> bytes | None:
        descriptor = self.roots.open_spare(path, token)
        if descriptor is None:
            return None
        with os.fdopen(descriptor, "rb") as spare:
            spare.seek(0)
            return spare.read()

    def _on_disk(self, path: str) -> str:
        return self.roots.find(path) or path

    def _tidy(self, path: str) -> None:
        """Remove the folders that are empty without a file."""
        folder = paths.parent(path)
        with suppress(CommonplaceError):
            while folder:
                empty_folders.remove(self.roots, folder)
                folder = paths.parent(folder)


def _failed(error: OSError) -> CommonplaceError:
    """Say why a file cannot be changed here: for good, or for a while."""
    if error.errno in (errno.ELOOP, errno.EXDEV, errno.ENOTDIR, errno.EISDIR):
        return Conflict("A link, or a file where its folder should be, is in the way here.")
    return Unavailable(f"It cannot be changed here: {reason(error)}.")


def _today() -> date:
    return date.today()  # noqa: DTZ011 (a name for people)
