"""Renames that never overwrite, and exchanges that lose nothing.

`exchange` swaps two names in one step, so whatever another program wrote in the last moment comes
out under the other name instead of being overwritten unseen. Linux has both in `renameat2`; where
it is missing, a hard link stands in for the first and a rename with a copy for the second.
"""

import ctypes
import errno
import os
import sys

_NOREPLACE, _EXCHANGE = 1, 2

_libc: ctypes.CDLL | None = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def move(old_folder: int, old: str, new_folder: int, new: str) -> None:
    """Rename; FileExistsError if the new name is taken."""
    if not _renameat2(old_folder, old, new_folder, new, _NOREPLACE):
        os.link(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)
        os.unlink(old, dir_fd=old_folder)


def exchange(folder: int, one: str, other: str) -> None:
    """Swap two names of one folder; FileNotFoundError if either is missing."""
    if not _renameat2(folder, one, folder, other, _EXCHANGE):
        kept = f"{one}-out"
        os.link(other, kept, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
        os.rename(kept, one, src_dir_fd=folder, dst_dir_fd=folder)


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
