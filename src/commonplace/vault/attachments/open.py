"""One attachment, held open beneath its root: read in parts, known by a hash of what it holds."""

import errno
import hashlib
import os
import stat
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager

from commonplace.errors import NotFound, Unavailable, Unreadable
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import Stamp, reason, stamp_of
from commonplace.vault.files.roots import Roots

# To hash more would keep whoever asks for a part of a film waiting; its state stands in.
HASHED_BYTES_MAX = 64 * 1024 * 1024
HASHES_MAX = 4_096
_CHUNK = 1 << 20


class OpenFile:
    """A file that stays the same file while it is read, whatever happens to its name."""

    def __init__(self, path: str, descriptor: int, stamp: Stamp) -> None:
        self.path = path
        self.stamp = stamp
        self._descriptor = descriptor

    @property
    def size(self) -> int:
        """How many bytes it had when it was opened."""
        return self.stamp.size

    def read(self, start: int, length: int) -> bytes:
        """Read some bytes; fewer at the end."""
        return os.pread(self._descriptor, length, start)

    def whole(self, most: int) -> bytes:
        """Read everything, if it is no more than that."""
        if self.size > most:
            raise Unreadable(
                f"{self.path} has {self.size / 1e6:.1f} MB; this takes at most {most / 1e6:g} MB."
            )
        return b"".join(iter_parts(self, 0, self.size))

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)


def iter_parts(file: OpenFile, start: int, end: int) -> Generator[bytes]:
    """Yield the bytes from `start` to `end`; Unavailable if the file has become shorter."""
    while start < end:
        part = file.read(start, min(_CHUNK, end - start))
        if not part:
            raise Unavailable(f"{file.path} is being written by another program. Try again.")
        start += len(part)
        yield part


def open_file(roots: Roots, path: str, on_disk: str) -> OpenFile:
    """Open an attachment; no link is followed on the way, and nothing but a file is opened."""
    disk, inside = roots.at(on_disk)
    try:
        descriptor = open_beneath(disk.descriptor, inside, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV, errno.EISDIR):
            raise NotFound(f"There is no file {path} in this vault.") from error
        raise Unavailable(f"{path} cannot be opened: {reason(error)}.") from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise NotFound(f"There is no file {path} in this vault.")
    return OpenFile(path, descriptor, stamp_of(found))


@contextmanager
def opened(roots: Roots, path: str, on_disk: str) -> Generator[OpenFile]:
    """Hold an attachment open for a while."""
    file = open_file(roots, path, on_disk)
    try:
        yield file
    finally:
        file.close()


class Hashes:
    """The hashes of files, worked out once for each state of each."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, Stamp], str] = OrderedDict()

    def of(self, file: OpenFile) -> str:
        """Return a hash of what a file holds; of its state, if that would take long."""
        key = (file.path, file.stamp)
        if (known := self._known.get(key)) is not None:
            return known
        digest = hashlib.sha256()
        if file.size > HASHED_BYTES_MAX:
            digest.update(repr(file.stamp).encode())
        else:
            for part in iter_parts(file, 0, file.size):
                digest.update(part)
        found = self._known[key] = digest.hexdigest()[:32]
        while len(self._known) > HASHES_MAX:
            self._known.popitem(last=False)
        return found
