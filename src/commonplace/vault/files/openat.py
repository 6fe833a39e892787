"""Open a path beneath a directory descriptor, following no symbolic link on the way.

Checking a path first and opening it afterwards lets a link slip in between. Here the kernel checks
while it opens: `openat2` with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, or, where that is missing,
one `openat` with O_NOFOLLOW a part.
"""

import ctypes
import errno
import os
import sys

_OPENAT2 = 437
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_RETRIES_MAX = 64


class _How(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


_libc: ctypes.CDLL | None = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _openat2(directory: int, path: str, flags: int, mode: int) -> int:
    """Ask the kernel; a rename racing with the lookup answers EAGAIN, so ask again."""
    assert _libc is not None
    how = _How(
        flags | os.O_CLOEXEC,
        mode if flags & os.O_CREAT else 0,
        _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS,
    )
    name = os.fsencode(path)
    for _ in range(_RETRIES_MAX):
        descriptor = _libc.syscall(_OPENAT2, directory, name, ctypes.byref(how), ctypes.sizeof(how))
        if descriptor >= 0:
            return int(descriptor)
        code = ctypes.get_errno()
        if code not in (errno.EAGAIN, errno.EINTR):
            raise OSError(code, os.strerror(code))
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def _walk(directory: int, path: str, flags: int, mode: int) -> int:
    """Descend one part at a time, each opened without following links."""
    *folders, name = path.split("/")
    here = directory
    try:
        for folder in folders:
            below = os.open(
                folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here
            )
            if here != directory:
                os.close(here)
            here = below
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=here)
    finally:
        if here != directory:
            os.close(here)


def _kernel_has_openat2() -> bool:
    if _libc is None:
        return False
    try:
        os.close(_openat2(_here(), ".", os.O_RDONLY | os.O_DIRECTORY, 0))
    except OSError:
        return False
    return True


def _here() -> int:
    return -100  # AT_FDCWD


_open = _openat2 if _kernel_has_openat2() else _walk


def open_beneath(directory: int, path: str, flags: int, mode: int = 0o600) -> int:
    """Open `path` (relative, parts already checked by `core.paths`) beneath `directory`."""
    if not path:
        return os.open(".", flags | os.O_CLOEXEC, dir_fd=directory)
    return _open(directory, path, flags, mode)
