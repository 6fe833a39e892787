"""Which files a vault has, with a hash of each, and what changed since somebody last asked.

The list is kept in memory and numbered: a *cursor* names the list and the number up to which
somebody knows it. Whoever comes with the cursor of another list, as after a restart, gets all.
Notes are looked at when the index tells of them; all files are, at times that depend on how long
that takes.
"""

import hashlib
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import anyio
import anyio.to_thread

from commonplace.core import paths
from commonplace.core.file_sides import FILE_BYTES_MAX
from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.attachments.files import File
from commonplace.vault.attachments.open import iter_parts, opened
from commonplace.vault.files.reader import Stamp
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.vault import Vault

LIST_WAIT_SECONDS_MAX = 15.0
_RESCAN_SECONDS = 2.0
_RESCAN_PART = 40
_GONE_MAX = 100_000
_HASHED_AT_ONCE = 200


class SharedFile(NamedTuple):
    """A file as it was last seen; `sha` is empty for one that is too large to be copied."""

    stamp: Stamp
    sha: str
    number: int


@dataclass(frozen=True, slots=True)
class FileListing:
    """What changed since a cursor; everything, if the list is `whole`."""

    cursor: str
    whole: bool
    files: dict[str, SharedFile]
    gone: list[str]


class SharedList:
    """The list of one vault's files."""

    def __init__(self, vault: Vault, clock: Callable[[], float] = time.monotonic) -> None:
        self._vault = vault
        self._clock = clock
        self._id = uuid.uuid4().hex[:12]
        self._number = 0
        self._files: dict[str, SharedFile] = {}
        self._gone: dict[str, int] = {}
        self._forgotten = 0
        self._changed: set[str] = set()
        self._news = anyio.Event()
        self._turn = anyio.Lock()
        self._scanned = float("-inf")
        self._pause = _RESCAN_SECONDS

    async def since(self, cursor: str, wait: float) -> FileListing:
        """Return what changed since a cursor; wait for a while if nothing has."""
        asked = self._clock()
        end = asked + min(wait, LIST_WAIT_SECONDS_MAX)
        with self._following():
            while True:
                # Whoever comes for the first time may come once only, and wants what is there now.
                await self._refresh(asked if not cursor else float("-inf"))
                found = self._after(cursor)
                left = end - self._clock()
                if found.whole or found.files or found.gone or left <= 0:
                    return found
                with anyio.move_on_after(min(self._pause, left)):
                    await self._news.wait()

    def note(self, path: str) -> None:
        """Have one file looked at before anybody is told something."""
        self._changed.add(path)
        self._news.set()

    @contextmanager
    def _following(self) -> Generator[None]:
        def hear(change: NoteChange) -> None:
            for path in (change.path, change.was):
                if path:
                    self.note(path)

        stop = self._vault.contents.follow(hear)
        try:
            yield
        finally:
            stop()

    async def _refresh(self, moment: float) -> None:
        """Look at what changed, and at all files if that is due, or was last before a moment."""
        async with self._turn:
            if missing := self._vault.roots.missing():
                raise Unavailable(
                    f"The vault's folder {missing[0]} is missing. Was its disk unmounted?"
                )
            self._news = anyio.Event()
            changed, self._changed = self._changed, set()
            for path in changed:
                await self._look(path)
            began = self._clock()
            if self._scanned < moment or began - self._scanned >= self._pause:
                await self._look_at_all()
                self._scanned = began
                self._pause = max(_RESCAN_SECONDS, _RESCAN_PART * (self._clock() - began))

    async def _look_at_all(self) -> None:
        found = await anyio.to_thread.run_sync(self._notes)
        found |= (await self._vault.attachments.files.current()).by_path
        changed = [
            file
            for path, file in found.items()
            if path not in self._files or self._files[path].stamp != file.stamp
        ]
        for start in range(0, len(changed), _HASHED_AT_ONCE):
            some = changed[start : start + _HASHED_AT_ONCE]
            for file, sha in await anyio.to_thread.run_sync(self._hash_all, some):
                self._put(file, sha)
        for path in self._files.keys() - found.keys():
            self._remove(path)

    def _notes(self) -> dict[str, File]:
        scanned = self._vault.roots.scan()
        return {one.path: File(one.path, one.stamp, one.on_disk or one.path) for one in scanned}

    def _hash_all(self, files: list[File]) -> list[tuple[File, str]]:
        return [(file, sha) for file in files if (sha := self._hash(file)) is not None]

    async def _look(self, path: str) -> None:
        file = await find_file(self._vault, path)
        if file is None:
            self._remove(path)
        elif path not in self._files or self._files[path].stamp != file.stamp:
            sha = await anyio.to_thread.run_sync(self._hash, file)
            if sha is not None:
                self._put(file, sha)

    def _hash(self, file: File) -> str | None:
        """Hash a file; None while a program is writing it, or if it is gone again."""
        if file.stamp.size > FILE_BYTES_MAX:
            return ""
        digest = hashlib.sha256()
        try:
            with opened(self._vault.roots, file.path, file.on_disk) as held:
                for part in iter_parts(held, 0, held.size):
                    digest.update(part)
                same = held.stamp == file.stamp == self._vault.roots.stamp(file.on_disk)
        except (CommonplaceError, OSError):
            return None
        return digest.hexdigest() if same else None

    def _put(self, file: File, sha: str) -> None:
        known = self._files.get(file.path)
        if known is None or known.sha != sha:
            self._number += 1
            self._gone.pop(file.path, None)
            known = SharedFile(file.stamp, sha, self._number)
        self._files[file.path] = known._replace(stamp=file.stamp)

    def _remove(self, path: str) -> None:
        if self._files.pop(path, None) is not None:
            self._number += 1
            self._gone[path] = self._number
        while len(self._gone) > _GONE_MAX:
            self._forgotten = self._gone.pop(next(iter(self._gone)))

    def _after(self, cursor: str) -> FileListing:
        id, _, number = cursor.partition("-")
        known = int(number) if number.isascii() and number.isdigit() and len(number) < 16 else -1
        now = f"{self._id}-{self._number}"
        if id != self._id or not self._forgotten <= known <= self._number:
            return FileListing(now, True, dict(self._files), [])
        files = {path: file for path, file in self._files.items() if file.number > known}
        return FileListing(now, False, files, [p for p, at in self._gone.items() if at > known])


async def find_file(vault: Vault, path: str) -> File | None:
    """Return a note or an attachment by its path; None if there is none."""
    if not paths.has_note_suffix(path):
        return await vault.attachments.find(path)
    found = vault.roots.listed(path)
    return File(path, found.stamp, found.on_disk or path) if found else None
