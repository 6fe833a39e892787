"""The files of a working copy: found, read, and written whole, by the paths of the store.

Which files a vault keeps: all that are not hidden, and the trash. No link is followed.
"""

import errno
import os
import stat
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple

from commonplace.errors import Unavailable, Unreadable
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import RootFolder, Stamp, reason, stamp_of
from commonplace.vault.files.trash_names import TRASH
from commonplace.vault.files.writer import write_aside
from commonplace.vault.settings import Settings
from commonplace.vault.team_files.store import KeptFile

CONTENT_BYTES_MAX = 100 * 1024 * 1024
_SPARE = ".commonplace"
_CHUNK = 1 << 20
_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
# Waiting for the disk takes no processor, so more threads than cores pay off.
_THREADS = 16


class FileReplacement(NamedTuple):
    """A file to be put in place of what looks as expected; None for nothing."""

    path: bytes
    kept: KeptFile
    data: bytes
    expected: Stamp | None


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of the copy, by its path in the store."""

    path: bytes
    stamp: Stamp
    mode: int


class TeamCopyFiles:
    """The folders of a working copy, held open."""

    def __init__(self, settings: Settings) -> None:
        self._several = settings.several_roots
        self._disks = {root.name: RootFolder(root) for root in settings.roots}

    def close(self) -> None:
        """Let go of the folders."""
        for disk in self._disks.values():
            disk.close()

    @property
    def present(self) -> bool:
        """Whether all folders are still where they were opened."""
        return all(disk.present() for disk in self._disks.values())

    def key(self, root: str, inside: str) -> bytes:
        """Return the path in the store of one inside a root."""
        return os.fsencode(f"{root}/{inside}" if self._several else inside)

    def walk(self, below: bytes = b"") -> Iterator[FoundFile]:
        """Yield the files that are kept, beneath a path of the store, or the one that is there."""
        for disk, inside in self._places(below):
            if inside and (found := self._found(disk, inside)):
                yield FoundFile(self.key(disk.root.name, inside), *found)
                continue
            for path, entry in walk(disk.descriptor, inside):
                yield FoundFile(self.key(disk.root.name, path), stamp_of(entry), _mode(entry))

    def spares(self) -> Iterator[bytes]:
        """Yield what changes that were cut short left under temporary names."""
        for disk in self._disks.values():
            for path, _ in walk(disk.descriptor, "", with_spares=True):
                if is_spare(path.rpartition("/")[2]):
                    yield self.key(disk.root.name, path)

    def find(self, path: bytes) -> FoundFile | None:
        """Look at a file without reading it; None if there is none."""
        disk, inside = self._at(path)
        found = self._found(disk, inside)
        return FoundFile(path, *found) if found else None

    def _found(self, disk: RootFolder, inside: str) -> tuple[Stamp, int] | None:
        with _unless_missing(), _folder(disk, inside) as (folder, name):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode):
                return stamp_of(found), _mode(found)
        return None

    @contextmanager
    def opened(self, path: bytes) -> Generator[int]:
        """Open a file to read it."""
        disk, inside = self._at(path)
        descriptor = open_beneath(disk.descriptor, inside, os.O_RDONLY | os.O_NONBLOCK)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def read(self, path: bytes) -> tuple[bytes, FoundFile]:
        """Read a file, and tell how it looked when it had these bytes."""
        with self.opened(path) as descriptor:
            while True:
                before = os.fstat(descriptor)
                if before.st_size > CONTENT_BYTES_MAX:
                    raise Unreadable(
                        f"{shown(path)} has {before.st_size / 1e6:.0f} MB;"
                        f" a team's vault keeps files of up to {CONTENT_BYTES_MAX // 1_000_000} MB."
                    )
                data = read_whole(descriptor)
                if stamp_of(os.fstat(descriptor)) == stamp_of(before) and (
                    len(data) == before.st_size
                ):
                    return data, FoundFile(path, stamp_of(before), _mode(before))

    def write(self, path: bytes, kept: KeptFile, data: bytes, expected: Stamp | None) -> Stamp:
        """Put a file in place, whole and down to the disk, of one that looked as expected."""
        disk, inside = self._at(path)
        spare = f".{os.urandom(8).hex()}{_SPARE}"
        try:
            _make_folders(disk, inside)
            with _folder(disk, inside) as (folder, name):
                written = write_aside(folder, spare, data, kept.mode)
                try:
                    os.utime(written, ns=(kept.mtime_ns, kept.mtime_ns))
                    os.fsync(written)
                    stamp = stamp_of(os.fstat(written))
                finally:
                    os.close(written)
                found = self._found(disk, inside)
                if (found[0] if found else None) != expected:
                    os.unlink(spare, dir_fd=folder)
                    raise _changing(path)
                os.rename(spare, name, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
        except OSError as error:
            raise Unavailable(
                f"{shown(path)} cannot be written into this node's folder: {reason(error)}."
            ) from error
        return stamp

    def write_many(self, files: Iterable[FileReplacement]) -> list[Stamp]:
        """Put many files in place, several at once: each waits for the disk."""
        with ThreadPoolExecutor(_THREADS) as pool:
            return list(pool.map(self._write_one, files))

    def _write_one(self, file: FileReplacement) -> Stamp:
        return self.write(*file)

    def rename(self, old: bytes, new: bytes) -> None:
        """Give a file another name in the same folder, where no other has it."""
        disk, was = self._at(old)
        _, now = self._at(new)
        with _folder(disk, was) as (folder, name):
            os.rename(name, now.rpartition("/")[2], src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def remove(self, path: bytes, expected: Stamp) -> None:
        """Remove a file that looks as expected, and the folders that are empty without it."""
        found = self.find(path)
        if found is None or found.stamp != expected:
            raise _changing(path)
        disk, inside = self._at(path)
        with _folder(disk, inside) as (folder, name):
            os.unlink(name, dir_fd=folder)
        above = inside.rpartition("/")[0]
        with suppress(OSError):  # something else is in it
            while above:
                with _folder(disk, above) as (folder, name):
                    os.rmdir(name, dir_fd=folder)
                above = above.rpartition("/")[0]

    def _at(self, path: bytes) -> tuple[RootFolder, str]:
        text = os.fsdecode(path)
        if any(part in ("", ".", "..") for part in text.split("/")):
            raise Unavailable(f"{shown(path)} cannot be the path of a file.")
        if not self._several:
            return next(iter(self._disks.values())), text
        root, _, inside = text.partition("/")
        if root not in self._disks or not inside:
            raise Unavailable(
                f"The vault has files in a folder {shown(root.encode())} that this node does not"
                " have. Name the same folders on each node."
            )
        return self._disks[root], inside

    def _places(self, below: bytes) -> Iterator[tuple[RootFolder, str]]:
        text = os.fsdecode(below)
        if text and not self._several:
            yield next(iter(self._disks.values())), text
        elif text:
            root, _, inside = text.partition("/")
            if root in self._disks:
                yield self._disks[root], inside
        else:
            for disk in self._disks.values():
                yield disk, ""


def walk(
    top: int, folder: str, *, with_spares: bool = False
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the regular files beneath a folder that a vault keeps, by their paths."""
    if not _is_kept(folder):
        return
    below: list[str] = []
    descriptor = -1
    with _unless_missing():
        descriptor = open_beneath(top, folder, os.O_RDONLY | os.O_DIRECTORY)
    if descriptor < 0:
        return
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    below.append(path)
                elif entry.is_file(follow_symlinks=False) and (
                    _is_kept(path) or (with_spares and is_spare(entry.name))
                ):
                    with suppress(FileNotFoundError):
                        yield path, entry.stat(follow_symlinks=False)
    finally:
        os.close(descriptor)
    for path in below:
        if _is_kept(path):
            yield from walk(top, path, with_spares=with_spares)


def is_spare(name: str) -> bool:
    """Tell whether a file's name is that of a change under way."""
    return name.startswith(".") and name.removesuffix("-out").endswith(_SPARE)


def is_hidden(path: str) -> bool:
    """Tell whether a file is left out of a vault; the trash is not."""
    return not _is_kept(path)


def _is_kept(path: str) -> bool:
    first, *rest = path.split("/")
    return (not first.startswith(".") or first == TRASH) and not any(
        part.startswith(".") for part in rest
    )


def shown(path: bytes) -> str:
    """Write a path so that a person can read it, whatever its bytes are."""
    return path.decode("utf-8", "backslashreplace")


def read_whole(descriptor: int) -> bytes:
    """Read an open file from its beginning to its end."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    data = bytearray()
    while part := os.read(descriptor, _CHUNK):
        data += part
    return bytes(data)


def _mode(found: os.stat_result) -> int:
    return stat.S_IMODE(found.st_mode)


def _changing(path: bytes) -> Unavailable:
    return Unavailable(f"{shown(path)} is being changed by another program here.")


@contextmanager
def _unless_missing() -> Generator[None]:
    """Let go by that something is not there; what cannot be read may well be there, and raises."""
    try:
        yield
    except OSError as error:
        if error.errno not in _MISSING:
            raise


@contextmanager
def _folder(disk: RootFolder, path: str) -> Generator[tuple[int, str]]:
    above, _, name = path.rpartition("/")
    descriptor = open_beneath(disk.descriptor, above, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor, name
    finally:
        os.close(descriptor)


def _make_folders(disk: RootFolder, path: str) -> None:
    made = ""
    for part in path.split("/")[:-1]:
        above, made = made, f"{made}/{part}" if made else part
        descriptor = open_beneath(disk.descriptor, above, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=descriptor)
        finally:
            os.close(descriptor)
