"""Which attachments there are, by path and by name.

The list is a snapshot of the folders. Nothing watches them: a question that the snapshot answers
with no is asked again of a newer one, so a file that came a moment ago is found.
"""

import os
import stat
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import anyio
import anyio.to_thread

from commonplace.core import links, paths
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import RootFolder, Stamp, stamp_of
from commonplace.vault.files.roots import Roots

_FILES_MAX = 200_000
FRESH_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class File:
    """An attachment: its path (NFC), its state, and its name on disk if that differs."""

    path: str
    stamp: Stamp
    on_disk: str


@dataclass(frozen=True, slots=True)
class AttachmentList:
    """The attachments at one moment."""

    began: float
    by_path: dict[str, File] = field(default_factory=dict[str, File])
    by_name: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def named(self, key: str) -> list[str]:
        """Return the paths of the files that carry a name."""
        return self.by_name.get(key, [])


class AttachmentFiles:
    """Lists the attachments of every root."""

    def __init__(self, roots: Roots, clock: Callable[[], float] = time.monotonic) -> None:
        self._roots = roots
        self._clock = clock
        self._scanning = anyio.Lock()
        self._last = AttachmentList(float("-inf"))

    async def recent(self) -> AttachmentList:
        """Return a list that is at most a moment old."""
        return await self.since(self._clock() - FRESH_SECONDS)

    async def current(self) -> AttachmentList:
        """Return a list of what is there now."""
        return await self.since(self._clock())

    async def since(self, moment: float) -> AttachmentList:
        """Return a list that was begun at this moment or later; those who wait share one scan."""
        async with self._scanning:
            if self._last.began < moment:
                self._last = await anyio.to_thread.run_sync(self._scan)
            return self._last

    def _scan(self) -> AttachmentList:
        snapshot = AttachmentList(self._clock())
        for root in self._roots.names():
            for inside, on_disk, stamp in _files(self._roots.disk(root), ""):
                path = self._roots.joined(root, inside)
                if self._roots.ignores(path):
                    continue
                snapshot.by_path[path] = File(path, stamp, self._roots.joined(root, on_disk))
                key = links.name_key(path)
                snapshot.by_name.setdefault(key, []).append(path)
                if len(snapshot.by_path) >= _FILES_MAX:
                    return snapshot
        return snapshot


def _files(disk: RootFolder, folder: str) -> Iterator[tuple[str, str, Stamp]]:
    """Yield (path, name on disk, stamp) beneath a folder; nothing hidden, nothing linked."""
    below: list[str] = []
    try:
        descriptor = open_beneath(disk.descriptor, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                on_disk = f"{folder}/{entry.name}" if folder else entry.name
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    below.append(on_disk)
                elif found := _listed(entry, on_disk):
                    yield found
    except OSError:
        return  # a folder that vanished or may not be read holds nothing for us
    finally:
        os.close(descriptor)
    for name in below:
        yield from _files(disk, name)


def _listed(entry: os.DirEntry[str], on_disk: str) -> tuple[str, str, Stamp] | None:
    path = on_disk if on_disk.isascii() else unicodedata.normalize("NFC", on_disk)
    if not paths.is_attachment(path):
        return None
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return (path, on_disk, stamp_of(found)) if stat.S_ISREG(found.st_mode) else None
