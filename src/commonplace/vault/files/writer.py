"""Writes note files: each change whole, down to the disk, and nothing overwritten unseen.

A new text is written under a temporary, hidden name beside the note, then moved into place.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress

from commonplace.errors import Conflict
from commonplace.vault.beneath import open_beneath
from commonplace.vault.disk import Disk, Stamp, read_all, stamp_of
from commonplace.vault.moving import exchange, move

_TRASH_NAMES_MAX = 10_000


class Pen:
    """The one who writes the files of a root."""

    def __init__(self, disk: Disk) -> None:
        self._top = disk.descriptor

    def swap(self, path: str, data: bytes, token: str) -> tuple[bytes, Stamp]:
        """Put new bytes in place of a note; returns what was there and the new stamp.

        The file keeps its mode. Whatever another program wrote until the last moment comes back;
        it lies under the temporary name until `clear` is called with the same token.
        """
        with self._folder_of(path) as (folder, name):
            spare = temporary(token)
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            stamp = _write_new(folder, spare, data, stat.S_IMODE(mode))
            try:
                exchange(folder, spare, name)
            except OSError:
                os.unlink(spare, dir_fd=folder)
                raise
            os.fsync(folder)
            out = os.open(spare, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            try:
                before = read_all(out)
            finally:
                os.close(out)
            return before, stamp

    def spare(self, path: str, token: str) -> bytes | None:
        """Read what a swap that was cut short left behind."""
        try:
            with self._folder_of(path) as (folder, _):
                found = os.open(
                    temporary(token), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder
                )
                try:
                    return read_all(found)
                finally:
                    os.close(found)
        except OSError:
            return None

    def clear(self, path: str, token: str) -> None:
        """Remove what a swap left behind."""
        with suppress(OSError), self._folder_of(path) as (folder, _):
            os.unlink(temporary(token), dir_fd=folder)

    def create(self, path: str, data: bytes, token: str) -> Stamp:
        """Write a note that does not exist yet, its folders as well; Conflict if it does."""
        self._make_folders(path)
        with self._folder_of(path) as (folder, name):
            spare = temporary(token)
            stamp = _write_new(folder, spare, data, 0o666 & ~_umask())
            try:
                move(folder, spare, folder, name)
            except OSError as error:
                os.unlink(spare, dir_fd=folder)
                if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR):
                    raise Conflict(f"{path} exists already. Choose another name.") from error
                raise
            os.fsync(folder)
            return stamp

    def rename(self, old: str, new: str) -> None:
        """Give a note another name; Conflict if it is taken."""
        self._make_folders(new)
        with self._folder_of(old) as (before, was), self._folder_of(new) as (after, now):
            try:
                move(before, was, after, now)
            except FileExistsError as error:
                if not _same_file(before, was, after, now):
                    raise Conflict(f"{new} exists already. Choose another name.") from error
                # A disk that ignores case: the new name is another spelling of the old one.
                os.rename(was, now, src_dir_fd=before, dst_dir_fd=after)
            os.fsync(before)
            os.fsync(after)

    def trash(self, path: str) -> str:
        """Move a note to `.trash`, its path kept, a number added if that is taken."""
        stem, dot, ending = path.rpartition(".")
        for number in range(1, _TRASH_NAMES_MAX):
            kept = f".trash/{path}" if number == 1 else f".trash/{stem} {number}{dot}{ending}"
            try:
                self.rename(path, kept)
            except Conflict:
                continue
            return kept
        raise Conflict(f"The trash holds too many notes named {path}. Empty it first.")

    @contextmanager
    def _folder_of(self, path: str) -> Generator[tuple[int, str]]:
        folder, _, name = path.rpartition("/")
        descriptor = open_beneath(self._top, folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield descriptor, name
        finally:
            os.close(descriptor)

    def _make_folders(self, path: str) -> None:
        made = ""
        for part in path.split("/")[:-1]:
            above, made = made, f"{made}/{part}" if made else part
            folder = open_beneath(self._top, above, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.mkdir(part, dir_fd=folder)
                os.fsync(folder)
            except FileExistsError:
                continue
            finally:
                os.close(folder)


def _write_new(folder: int, name: str, data: bytes, mode: int) -> Stamp:
    """Write a file that no one else sees yet, wholly and down to the disk.

    Its stamp is taken now: once it has its name, another program's save would be in it.
    """
    descriptor = write_aside(folder, name, data, mode)
    try:
        os.fsync(descriptor)
        stamp = stamp_of(os.fstat(descriptor))
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)
    return stamp


def write_aside(folder: int, name: str, data: bytes, mode: int) -> int:
    """Write a file that no one else sees yet, wholly; it is open, to be waited for and closed."""
    descriptor = _opened_new(folder, name)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fchmod(descriptor, mode)
        assert os.fstat(descriptor).st_size == len(data)
    except BaseException:
        os.unlink(name, dir_fd=folder)
        os.close(descriptor)
        raise
    return descriptor


def _opened_new(folder: int, name: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, 0o600, dir_fd=folder)
    except FileExistsError:  # a crash left it
        os.unlink(name, dir_fd=folder)
        return os.open(name, flags, 0o600, dir_fd=folder)


def temporary(token: str) -> str:
    """Name the hidden file that a change is made in."""
    return f".{token}.commonplace"


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _same_file(one_folder: int, one: str, other_folder: int, other: str) -> bool:
    return os.path.samestat(
        os.stat(one, dir_fd=one_folder, follow_symlinks=False),
        os.stat(other, dir_fd=other_folder, follow_symlinks=False),
    )
