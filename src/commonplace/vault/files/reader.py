"""The note files of one root: the only module that touches them.

Paths here are relative to the root and have passed `core.paths`. Every access goes through a
descriptor of the root, so neither a symbolic link nor a renamed parent leads outside.
"""

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from commonplace.core import paths
from commonplace.errors import BadArgument, NotFound, Unavailable, Unreadable
from commonplace.vault.files.open_files import is_open_for_writing, wait_for_writers
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.settings import Root

NOTE_BYTES_MAX = 10 * 1024 * 1024
_CHUNK = 1 << 20
_TRIES_MAX = 8
_FORBIDDEN = (errno.EACCES, errno.EPERM)
# Where it can be, a file is looked at without being opened: whoever watches it, we too, is woken
# by each opening.
_LOOKING: int = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
# A reader waits so long for a program that is saving the note just now.
SAVE_SECONDS_MAX = 0.4


class Stamp(NamedTuple):
    """What tells one state of a file from another without reading it."""

    mtime_ns: int
    size: int
    inode: int


class Look(NamedTuple):
    """What a file held at one moment, and whether a program had it open for writing then."""

    data: bytes
    stamp: Stamp
    held: bool | None

    @property
    def in_doubt(self) -> bool:
        """Whether this may be half of a save: where nobody knows, if there is nothing."""
        return self.held or (self.held is None and not self.data)


class Listed(NamedTuple):
    """A note file found by a scan: its path (NFC), and its name on disk if that differs."""

    path: str
    stamp: Stamp
    on_disk: str | None = None


class RootFolder:
    """One root, held open."""

    def __init__(self, root: Root) -> None:
        self.root = root
        try:
            self.descriptor = os.open(root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Unavailable(
                f"The folder {root.name!r} cannot be opened: {reason(error)}."
            ) from error

    def close(self) -> None:
        """Let go of the root."""
        os.close(self.descriptor)

    def present(self) -> bool:
        """Tell whether the root is still where it was opened (not removed or unmounted)."""
        try:
            there, held = os.stat(self.root.path), os.fstat(self.descriptor)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino) and held.st_nlink > 0

    def read(self, path: str) -> tuple[bytes, Stamp]:
        """Read a whole note, with the stamp of exactly these bytes."""
        descriptor = self._open_file(path)
        try:
            return self._read_settled(descriptor, path)
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {reason(error)}.") from error
        finally:
            os.close(descriptor)

    def look(self, path: str) -> Look:
        """Read a whole note, and tell whether a program is about to write more of it."""
        descriptor = self._open_file(path)
        try:
            data, stamp = self._read_settled(descriptor, path)
            return Look(data, stamp, is_changing(descriptor, stamp))
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {reason(error)}.") from error
        finally:
            os.close(descriptor)

    def read_patiently(self, path: str) -> tuple[bytes, Stamp]:
        """Read a whole note, in a thread: one that is being saved, a moment later."""
        descriptor = self._open_file(path)
        try:
            wait_for_writers(descriptor, SAVE_SECONDS_MAX)
        finally:
            os.close(descriptor)
        return self.read(path)

    def _read_settled(self, descriptor: int, path: str) -> tuple[bytes, Stamp]:
        """Read between two equal stamps: a program may be writing the file just now."""
        before = self._regular(descriptor, path)
        for _ in range(_TRIES_MAX):
            if before.size > NOTE_BYTES_MAX:
                raise Unreadable(
                    f"{path} has {before.size / 1e6:.1f} MB; notes over"
                    f" {NOTE_BYTES_MAX // 1_000_000} MB are listed but not opened."
                )
            data = os.read(descriptor, before.size + 1)
            if len(data) < before.size:
                data += read_all(descriptor)
            after = stamp_of(os.fstat(descriptor))
            if after == before and len(data) == after.size:
                return data, after
            before = after
            os.lseek(descriptor, 0, os.SEEK_SET)
        raise Unavailable(f"{path} is being written by another program. Try again in a moment.")

    def stamp(self, path: str) -> Stamp | None:
        """Look at a note file without reading it; None if it is not one."""
        try:
            descriptor = open_beneath(self.descriptor, path, _LOOKING)
        except OSError as error:
            return self._closed_stamp(path) if error.errno in _FORBIDDEN else None
        try:
            found = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        return stamp_of(found) if stat.S_ISREG(found.st_mode) else None

    def _closed_stamp(self, path: str) -> Stamp | None:
        """Look at a file that may not be opened: it is there all the same."""
        folder, _, name = path.rpartition("/")
        try:
            descriptor = open_beneath(self.descriptor, folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return None
        try:
            found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return stamp_of(found) if stat.S_ISREG(found.st_mode) else None

    def is_folder(self, path: str) -> bool:
        """Tell whether there is a folder of that name."""
        try:
            os.close(open_beneath(self.descriptor, path, os.O_RDONLY | os.O_DIRECTORY))
        except OSError:
            return False
        return True

    def find(self, path: str) -> str | None:
        """Return the name on disk of a note: exact, else equal under NFC."""
        if self.stamp(path) is not None:
            return path
        if path.isascii():
            return None
        found = ""
        for part in path.split("/"):
            name = self._same_name(found, part)
            if name is None:
                return None
            found = f"{found}/{name}" if found else name
        return found if self.stamp(found) is not None else None

    def scan(self, folder: str = "") -> Iterator[Listed]:
        """Yield every note beneath a folder; what is hidden, linked or no Markdown is no note."""
        try:
            top = open_beneath(self.descriptor, folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return
        yield from self._scan(top, folder)

    def _scan(self, descriptor: int, folder: str) -> Iterator[Listed]:
        below: list[str] = []
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        below.append(name)
                    elif listed := _listed(folder, entry):
                        yield listed
        except OSError:
            return  # a folder that vanished or may not be read holds no notes for us
        finally:
            os.close(descriptor)
        for name in below:
            yield from self.scan(f"{folder}/{name}" if folder else name)

    def _same_name(self, folder: str, wanted: str) -> str | None:
        names = self.names(folder)
        if wanted in names:
            return wanted
        return next((n for n in names if unicodedata.normalize("NFC", n) == wanted), None)

    def names(self, folder: str) -> list[str]:
        """Return all names in a folder; none of one that cannot be read."""
        try:
            descriptor = open_beneath(self.descriptor, folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return []
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def _open_file(self, path: str) -> int:
        try:
            return open_beneath(self.descriptor, path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV):
                raise NotFound(f"Document not found: {path}") from error
            if error.errno == errno.ENAMETOOLONG:
                raise BadArgument(f"The path is too long: {path[:80]}…") from error
            if error.errno in _FORBIDDEN:
                raise Unavailable(
                    f"{path} cannot be read: {reason(error)}. Give the person who runs"
                    " Commonplace permission to read the file."
                ) from error
            raise Unavailable(f"{path} cannot be opened: {reason(error)}.") from error

    @staticmethod
    def _regular(descriptor: int, path: str) -> Stamp:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise BadArgument(f"{path} is a folder, not a document. List it with glob.")
        if not stat.S_ISREG(found.st_mode):
            raise NotFound(f"Document not found: {path}")
        return stamp_of(found)


def stamp_of(found: os.stat_result) -> Stamp:
    """Take the stamp out of a stat result."""
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


def is_changing(descriptor: int, stamp: Stamp) -> bool | None:
    """Tell whether a program is writing a file, or has written it since it was stamped."""
    held = is_open_for_writing(descriptor)
    return True if stamp_of(os.fstat(descriptor)) != stamp else held


def content_sha(data: bytes) -> bytes:
    """Return the hash that tells one content of a note from another."""
    return hashlib.blake2b(data, digest_size=16).digest()


def reason(error: OSError) -> str:
    """Say why the system refused, without naming a path of the host."""
    return (error.strerror or "unknown reason").lower()


def _listed(folder: str, entry: os.DirEntry[str]) -> Listed | None:
    if not paths.has_note_suffix(entry.name):
        return None
    on_disk = f"{folder}/{entry.name}" if folder else entry.name
    path = on_disk if on_disk.isascii() else unicodedata.normalize("NFC", on_disk)
    if not paths.is_document(path):
        return None
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Listed(path, stamp_of(found), None if on_disk == path else on_disk)


def read_all(descriptor: int) -> bytes:
    """Read a note file to its end, or to just over the most that a note may hold."""
    data = bytearray()
    while part := os.read(descriptor, _CHUNK):
        data += part
        if len(data) > NOTE_BYTES_MAX:
            break  # it grew while it was read; the caller's stamps will not agree
    return bytes(data)
