"""Puts new bytes in place of many notes together: the disk is waited for once, not for each.

Every file is changed as `Pen.swap` changes one: written aside and down to the disk, then exchanged,
and what was there comes back, to lie under the temporary name until it is cleared. A crash in
between leaves each of them either as it was or as it was to be.
"""

import os
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from commonplace.errors import Unavailable
from commonplace.vault.files.backing_store import NO_BACKING_STORE, BackingStore, FileWrite
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import RootFolder, Stamp, stamp_of
from commonplace.vault.files.rename import exchange, settle
from commonplace.vault.files.writer import (
    refuse_written,
    remove,
    take_out,
    temporary,
    write_aside,
)

# Waiting for the disk takes no processor, so more threads than cores pay off.
_THREADS = 16


@dataclass(frozen=True, slots=True)
class NewBytes:
    """A note's new bytes, and the token of the temporary name."""

    path: str
    data: bytes
    token: str


class Swaps:
    """Some notes, while they are being changed; each folder is opened once."""

    def __init__(
        self,
        at: Callable[[str], tuple[RootFolder, str]],
        backing_store: BackingStore = NO_BACKING_STORE,
    ) -> None:
        """Take what finds a path's root, and the path inside it."""
        self._at = at
        self._backing_store = backing_store
        self._folders: dict[str, int] = {}
        self._pool = ThreadPoolExecutor(_THREADS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        for folder in self._folders.values():
            os.close(folder)

    def swap(self, changes: Sequence[NewBytes]) -> list[bytes | OSError]:
        """Change notes; gives what was in each, or why it could not be changed."""
        swaps = [_Swap(change, self._folder) for change in changes]
        for swap in swaps:
            self._backing_store.announce(swap.change.data)
            swap.attempt(swap.write)
        list(self._pool.map(_Swap.try_sync, swaps))
        ready = [swap for swap in swaps if swap.error is None]
        try:
            with self._backing_store.change([self._written(swap) for swap in ready]):
                for swap in ready:
                    swap.attempt(swap.exchange)
        except Unavailable:
            for swap in ready:
                swap.give_up()
            raise
        list(self._pool.map(os.fsync, {swap.folder for swap in swaps if swap.error is None}))
        for swap in swaps:
            swap.attempt(swap.take_out)
        return [swap.error or swap.out for swap in swaps]

    def _written(self, swap: "_Swap") -> FileWrite:
        disk, inside = self._at(swap.change.path)
        return FileWrite(disk.root.name, inside, swap.change.data, swap.mode, swap.stamp)

    def clear(self, change: NewBytes) -> None:
        """Remove what a change left behind."""
        with suppress(OSError):
            folder, _ = self._folder(change.path)
            os.unlink(temporary(change.token), dir_fd=folder)

    def _folder(self, path: str) -> tuple[int, str]:
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            disk, inside = self._at(path)
            above, flags = inside.rpartition("/")[0], os.O_RDONLY | os.O_DIRECTORY
            self._folders[folder] = open_beneath(disk.descriptor, above, flags)
        return self._folders[folder], name


class _Swap:
    """One note that is being changed, a step at a time; nothing follows a step that failed."""

    def __init__(self, change: NewBytes, folder: Callable[[str], tuple[int, str]]) -> None:
        self.change = change
        self._find = folder
        self._spare = temporary(change.token)
        self._name = ""
        self._written = -1
        self.folder = -1
        self.mode = 0
        self.stamp = Stamp(0, 0, 0)
        self.out = b""
        self.error: OSError | None = None

    def attempt(self, step: Callable[[], None]) -> None:
        if self.error is None:
            try:
                step()
            except OSError as error:
                self.error = error

    def write(self) -> None:
        self.folder, self._name = self._find(self.change.path)
        settle(self.folder, self._spare)
        found = os.stat(self._name, dir_fd=self.folder, follow_symlinks=False)
        self.mode = stat.S_IMODE(found.st_mode)
        self._written = write_aside(self.folder, self._spare, self.change.data, self.mode)

    def sync(self) -> None:
        try:
            os.fsync(self._written)
            self.stamp = stamp_of(os.fstat(self._written))
        except OSError:
            os.unlink(self._spare, dir_fd=self.folder)
            raise
        finally:
            os.close(self._written)

    def try_sync(self) -> None:
        self.attempt(self.sync)

    def exchange(self) -> None:
        try:
            refuse_written(self.folder, self._name)
            old = exchange(self.folder, self._spare, self._name)
            if old is not None:
                os.close(old)
        except OSError:
            remove(self.folder, self._spare)
            raise

    def give_up(self) -> None:
        remove(self.folder, self._spare)

    def take_out(self) -> None:
        self.out = take_out(self.folder, self._spare)
