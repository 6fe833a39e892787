"""Writes note files: each change whole, down to the disk, and nothing overwritten unseen.

A new text is written under a temporary, hidden name beside the note, then moved into place.
"""

import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

from commonplace.errors import Conflict, Unavailable
from commonplace.vault.files.backing_store import NO_BACKING_STORE, BackingStore, FileWrite, Moved
from commonplace.vault.files.open_files import is_open_for_writing, wait_for_writers
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import (
    SAVE_SECONDS_MAX,
    Look,
    RootFolder,
    Stamp,
    is_changing,
    read_all,
    reason,
    stamp_of,
)
from commonplace.vault.files.rename import exchange, move, settle
from commonplace.vault.files.trash_names import trash_names


class Pen:
    """The one who writes the files of a root."""

    def __init__(self, disk: RootFolder, backing_store: BackingStore = NO_BACKING_STORE) -> None:
        """Take who says, at the last moment, whether this process may still write."""
        self._top = disk.descriptor
        self._root = disk.root.name
        self._backing_store = backing_store
        self._replaced: dict[str, int] = {}
        """Old files of which only a copy lies under the temporary name, open, by token."""

    def swap(
        self,
        path: str,
        data: bytes,
        token: str,
        *,
        patient: bool = True,
        expected: Callable[[bytes], bool] | None = None,
    ) -> tuple[bytes, Stamp]:
        """Put new bytes in place of a note; returns what was there and the new stamp.

        The file keeps its mode. Whatever another program wrote until the last moment comes back;
        it lies under the temporary name until `clear` is called with the same token. A note that
        another program is writing just now is not touched (BlockingIOError) by one who is patient;
        nor is one that is not as expected, where a mere copy of it would come back.
        """
        with self._folder_of(path) as (folder, name):
            spare = temporary(token)
            settle(folder, spare)
            mode = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            self._backing_store.announce(data)
            stamp = _write_new(folder, spare, data, mode)
            change = FileWrite(self._root, path, data, mode, stamp)
            try:
                with self._backing_store.change((change,)):
                    if patient:
                        refuse_written(folder, name)
                    old = exchange(folder, spare, name, expected if patient else None)
            except (OSError, Unavailable):
                remove(folder, spare)
                raise
            self._keep_replaced(token, old)
            os.fsync(folder)
            return take_out(folder, spare) if old is None else look_at(old).data, stamp

    def _keep_replaced(self, token: str, old: int | None) -> None:
        if (before := self._replaced.pop(token, None)) is not None:
            os.close(before)
        if old is not None:
            self._replaced[token] = old

    def is_open_for_writing(self, path: str) -> bool:
        """Tell whether another program is known to have a note open for writing."""
        with suppress(FileNotFoundError), self._folder_of(path) as (folder, name):
            try:
                refuse_written(folder, name)
            except BlockingIOError:
                return True
        return False

    def open_spare(self, path: str, token: str) -> int | None:
        """Open what a swap pushed out; None if there is nothing."""
        if (old := self._replaced.get(token)) is not None:
            return os.dup(old)
        try:
            with self._folder_of(path) as (folder, _):
                settle(folder, temporary(token))
                return _opened(folder, temporary(token))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreadable_spare(path, error) from error

    def spare(self, path: str, token: str) -> Look | None:
        """Look at what a swap pushed out, or one that was cut short left behind."""
        found = self.open_spare(path, token)
        if found is None:
            return None
        try:
            return look_at(found)
        except OSError as error:
            raise _unreadable_spare(path, error) from error
        finally:
            os.close(found)

    def clear(self, path: str, token: str) -> None:
        """Remove what a swap left behind."""
        self._keep_replaced(token, None)
        with suppress(OSError), self._folder_of(path) as (folder, _):
            os.unlink(temporary(token), dir_fd=folder)

    def name_spare(self, path: str, token: str, name: str) -> None:
        """Make what a swap left behind a note in the same folder; Conflict if the name is taken."""
        above = path[: path.rfind("/") + 1]
        last, spare = name.rpartition("/")[2], temporary(token)
        with self._folder_of(path) as (folder, _):
            try:
                with self._backing_store.change((Moved(self._root, above + last, above + spare),)):
                    move(folder, spare, folder, last)
            except FileExistsError as error:
                raise Conflict(f"{name} exists already. Choose another name.") from error
            os.fsync(folder)

    def create(self, path: str, data: bytes, token: str) -> Stamp:
        """Write a note that does not exist yet, its folders as well; Conflict if it does."""
        self._make_folders(path)
        with self._folder_of(path) as (folder, name):
            spare, mode = temporary(token), 0o666 & ~_umask()
            self._backing_store.announce(data)
            stamp = _write_new(folder, spare, data, mode)
            change = FileWrite(self._root, path, data, mode, stamp, new=True)
            try:
                with self._backing_store.change((change,)):
                    move(folder, spare, folder, name)
            except Unavailable:
                os.unlink(spare, dir_fd=folder)
                raise
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
                with self._backing_store.change((Moved(self._root, new, old),)):
                    _move_or_respell(before, was, after, now)
            except FileExistsError as error:
                raise Conflict(f"{new} exists already. Choose another name.") from error
            os.fsync(before)
            os.fsync(after)

    def trash(self, path: str) -> str:
        """Move a note to `.trash`, its path kept, a number added if that is taken."""
        for kept in trash_names(path):
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


def _move_or_respell(before: int, was: str, after: int, now: str) -> None:
    try:
        move(before, was, after, now)
    except FileExistsError:
        if not _same_file(before, was, after, now):
            raise
        # A disk that ignores case: the new name is another spelling of the old one.
        os.rename(was, now, src_dir_fd=before, dst_dir_fd=after)


def look_at(descriptor: int) -> Look:
    """Read an open file from its beginning, and tell whether a program is writing it."""
    stamp = stamp_of(os.fstat(descriptor))
    os.lseek(descriptor, 0, os.SEEK_SET)
    data = read_all(descriptor)
    return Look(data, stamp, is_changing(descriptor, stamp))


def _unreadable_spare(path: str, error: OSError) -> Unavailable:
    return Unavailable(f"What another program wrote to {path} cannot be read: {reason(error)}.")


def take_out(folder: int, spare: str) -> bytes:
    """Read what a swap pushed out: a program that was about to save it may write a while yet."""
    out = _opened(folder, spare)
    try:
        wait_for_writers(out, SAVE_SECONDS_MAX)
        return read_all(out)
    finally:
        os.close(out)


def _opened(folder: int, name: str) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    return os.open(name, flags, dir_fd=folder)


def refuse_written(folder: int, name: str) -> None:
    """Refuse to swap a file out from under a program that is saving it."""
    descriptor = _opened(folder, name)
    try:
        if is_open_for_writing(descriptor):
            raise BlockingIOError(errno.EAGAIN, "another program is writing it")
    finally:
        os.close(descriptor)


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
        with suppress(PermissionError):  # some file systems have no modes to set
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


def remove(folder: int, name: str) -> None:
    """Remove a file that may have got its name, or not, before something failed."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


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
