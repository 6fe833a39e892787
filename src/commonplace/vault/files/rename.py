"""Renames that never overwrite, and exchanges that lose nothing.

`exchange` swaps two names in one step, so whatever another program wrote in the last moment comes
out under the other name instead of being overwritten unseen. Linux has both in `renameat2`. Where
that is missing (macOS, NFS), a hard link keeps what was there until the new file has its name;
where links are missing too (exFAT, many network disks), a copy does, and a name is claimed by an
empty file. A crash in between is made good by `settle`: the note is there whole at any time. A copy
does not change any more, whatever a program is about to write into the old file: so that is given
back open, to be looked at, and it is replaced only while it is as expected.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

ExchangeMethod = Literal["at once", "by links", "by copies"]

_NOREPLACE, _EXCHANGE = 1, 2
_NO_LINKS = frozenset((errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL))
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_libc: ctypes.CDLL | None = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def move(old_folder: int, old: str, new_folder: int, new: str) -> None:
    """Rename; FileExistsError if the new name is taken."""
    if not _renameat2(old_folder, old, new_folder, new, _NOREPLACE):
        if _linked(old_folder, old, new_folder, new):
            os.unlink(old, dir_fd=old_folder)
        else:
            _move_to_claimed(old_folder, old, new_folder, new)


def exchange(
    folder: int, one: str, other: str, expected: Callable[[bytes], bool] | None = None
) -> int | None:
    """Swap two names of one folder; FileNotFoundError if either is missing.

    Where but a copy of the other can be kept, its old file is returned, open; BlockingIOError if it
    does not hold what is expected.
    """
    if _renameat2(folder, one, folder, other, _EXCHANGE):
        return None
    settle(folder, one)
    if not _linked(folder, other, folder, _kept(one)):
        return _exchange_with_copy(folder, one, other, expected)
    os.fsync(folder)
    _put_in_place(folder, one, other)
    os.rename(_kept(one), one, src_dir_fd=folder, dst_dir_fd=folder)
    return None


def way_to_exchange(folder: int, one: str, other: str) -> ExchangeMethod:
    """Try how names are exchanged in a folder, with two new files that are gone afterwards."""
    made = (one, other, _kept(one))
    try:
        for name in made[:2]:
            _write(folder, name, b"-")
        if _renameat2(folder, one, folder, other, _EXCHANGE):
            return "at once"
        return "by links" if _linked(folder, other, folder, _kept(one)) else "by copies"
    finally:
        for name in made:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


def settle(folder: int, one: str) -> None:
    """Finish an exchange that a crash cut short, if there was one.

    While `one` is there, the other still has its old file, and what was kept of that is not needed;
    once it is gone, what was kept is what has to come out.
    """
    with suppress(FileNotFoundError):
        if _exists(folder, one):
            os.unlink(_kept(one), dir_fd=folder)
        else:
            os.rename(_kept(one), one, src_dir_fd=folder, dst_dir_fd=folder)


def _kept(one: str) -> str:
    return f"{one}-out"


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _linked(old_folder: int, old: str, new_folder: int, new: str) -> bool:
    """Give a file a second name; False if this file system knows no such thing."""
    try:
        os.link(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return False
    return True


def _move_to_claimed(old_folder: int, old: str, new_folder: int, new: str) -> None:
    """Claim the new name with an empty file, which no other can have then; put the file over it."""
    os.close(os.open(new, _NEW, 0o600, dir_fd=new_folder))
    try:
        os.rename(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder)
    except OSError:
        os.unlink(new, dir_fd=new_folder)
        raise


def _put_in_place(folder: int, one: str, other: str) -> None:
    try:
        os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(_kept(one), dir_fd=folder)
        raise


def _exchange_with_copy(
    folder: int, one: str, other: str, expected: Callable[[bytes], bool] | None
) -> int:
    """Keep a copy of what is there; what is written to it until it is replaced comes out too."""
    source = os.open(other, _READ, dir_fd=folder)
    try:
        copied = _all_of(source)
        _refuse_unless(expected is None or expected(copied))
        _write(folder, _kept(one), copied)
        os.fsync(folder)
        if not (same := os.path.samestat(os.fstat(source), os.stat(other, dir_fd=folder))):
            os.unlink(_kept(one), dir_fd=folder)
        _refuse_unless(same)
        _put_in_place(folder, one, other)
        if (late := _all_of(source)) != copied:
            os.unlink(_kept(one), dir_fd=folder)
            _write(folder, _kept(one), late)
        os.rename(_kept(one), one, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.close(source)
        raise
    return source


def _refuse_unless(untouched: bool) -> None:
    if not untouched:
        raise BlockingIOError(errno.EAGAIN, "another program is writing it")


def _all_of(descriptor: int) -> bytes:
    pieces: list[bytes] = []
    while piece := os.pread(descriptor, 1 << 20, sum(map(len, pieces))):
        pieces.append(piece)
    return b"".join(pieces)


def _write(folder: int, name: str, data: bytes) -> None:
    descriptor = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _renameat2(old_folder: int, old: str, new_folder: int, new: str, flags: int) -> bool:
    """Ask the kernel; False if it, or the file system, does not know how."""
    if _libc is None or not hasattr(_libc, "renameat2"):
        return False
    done = _libc.renameat2(old_folder, os.fsencode(old), new_folder, os.fsencode(new), flags)
    if done == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code))
