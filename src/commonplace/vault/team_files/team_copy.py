"""A node's working copy of a team's files: nothing changes in it that the store does not have.

The store comes first, in a transaction under the lease, the folder after it. So the store stands
to the log as the folder does on one machine: whatever moment a node dies at, the next one finds in
the store what a restart would find on the disk, and is mended by the same steps.
"""

import asyncio
import errno
import logging
import os
import threading
from collections.abc import Coroutine, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.files.backing_store import FileChange, FileWrite
from commonplace.vault.files.open_files import is_open_for_writing
from commonplace.vault.files.reader import Stamp
from commonplace.vault.team_files.store import FileStore, KeptFile, sha_of
from commonplace.vault.team_files.synced_files import SyncedFiles
from commonplace.vault.team_files.team_copy_files import TeamCopyFiles

_logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Planned:
    """A file as it is to be: what is kept of it, how it will look; None if it will be gone."""

    path: bytes
    kept: KeptFile | None
    stamp: Stamp | None


class TeamCopy:
    """A copy of a team's files on a node. Its methods are called in threads, but for `close`."""

    def __init__(self, store: FileStore, files: TeamCopyFiles, agreed: SyncedFiles) -> None:
        self.store = store
        self.files = files
        self.agreed = agreed
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._held = _FileLocks()
        self._unneeded: list[bytes] = []
        self.doubtful: set[bytes] = set()
        """Files of which the store may have another state than the folder."""

    async def close(self) -> None:
        """Save what waits, then let go."""
        await self.store.close()
        self.agreed.close()
        self.files.close()

    def announce(self, data: bytes) -> None:
        """Remember what is ours of that which may be left under a temporary name."""
        self.agreed.announce(sha_of(data))

    @contextmanager
    def change(self, changes: Sequence[FileChange]) -> Generator[None]:
        """Let the store have what files are about to hold; the folder follows within this."""
        with self._held.hold(self._paths(changes)):
            planned, contents = self._planned(changes)
            before = {each.path: self._kept(each.path) for each in planned}
            for each in planned:
                if each.kept is not None:
                    self.agreed.expect(each.path, each.kept.sha)
            self._put({each.path: each.kept for each in planned}, contents)
            try:
                yield
            finally:
                self._settle(planned, before)

    def found(self, root: str, path: str, data: bytes, stamp: Stamp) -> None:
        """Let the store have what another program saved, before the log builds on it."""
        key = self.files.key(root, path)
        with self._held.hold([key]):
            there, known = self.files.find(key), self.agreed.get(key)
            if there is None or (known is not None and known.stamp == there.stamp):
                return  # gone again, or replaced by us since it was read
            self._take(key, data, stamp, there.mode)

    def look(self, root: str, path: str) -> None:
        """Let the store have what another program made of a file."""
        key = self.files.key(root, path)
        if not self.take_in(key, gone=True):
            self.doubtful.add(key)

    def take_in(self, path: bytes, *, gone: bool) -> bool:
        """Let the store have a file as it is; False if it must be looked at again later.

        That is so while a program is writing it, and for a missing one, unless it is known
        to be `gone`: some programs save by making a file anew.
        """
        with self._held.hold([path]):
            there, known = self.files.find(path), self.agreed.get(path)
            if there is None:
                if known is None:
                    return True
                if gone:
                    self._put({path: None})
                    self._drop(known.kept)
                    self.agreed.remove([path])
                return gone
            if known is not None and known.stamp == there.stamp and known.kept is not None:
                return True
            try:
                with self.files.opened(path) as descriptor:
                    if is_open_for_writing(descriptor):
                        return False
                    data, there = self.files.read(path)
                    if is_open_for_writing(descriptor):
                        return False
            except OSError:
                return False
            self._take(path, data, there.stamp, there.mode)
            return True

    def drop_unneeded(self) -> None:
        """Drop the contents that files had before they were changed."""
        if self._unneeded:
            self._put({})

    def _take(self, path: bytes, data: bytes, stamp: Stamp, mode: int) -> None:
        kept = KeptFile(sha_of(data), mode, stamp.mtime_ns)
        before = self._kept(path)
        if before is None or before.sha != kept.sha:
            self._put({path: kept}, [data])
            self._drop(before)
        self.agreed.put([(path, kept, stamp)])

    def _planned(self, changes: Sequence[FileChange]) -> tuple[list[_Planned], list[bytes]]:
        planned, contents = list[_Planned](), list[bytes]()
        for change in changes:
            path = self.files.key(change.root, change.path)
            if isinstance(change, FileWrite):
                if change.new and self.files.find(path) is not None:
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
                kept = KeptFile(sha_of(change.data), change.mode, change.stamp.mtime_ns)
                planned.append(_Planned(path, kept, change.stamp))
                contents.append(change.data)
            else:
                was = self.files.key(change.root, change.was)
                kept, stamp, content = self._moved(was, path)
                planned += (_Planned(path, kept, stamp), _Planned(was, None, None))
                contents += content
        return planned, contents

    def _moved(self, was: bytes, path: bytes) -> tuple[KeptFile, Stamp, list[bytes]]:
        """Tell what a file holds that gets another name."""
        there, other = self.files.find(was), self.files.find(path)
        if there is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if other is not None and other.stamp != there.stamp:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        known = self.agreed.get(was)
        if known is not None and known.stamp == there.stamp and known.kept is not None:
            return known.kept, there.stamp, []
        data, there = self.files.read(was)
        return KeptFile(sha_of(data), there.mode, there.stamp.mtime_ns), there.stamp, [data]

    def _settle(self, planned: Sequence[_Planned], before: Mapping[bytes, KeptFile | None]) -> None:
        """Remember what happened; what did not is taken back in the store too.

        Nothing is raised: whoever asked for the change must hear what became of that.
        """
        back: dict[bytes, KeptFile | None] = {}
        done: set[Stamp | None] = {None}
        for each in planned:
            try:
                there = self.files.find(each.path)
            except OSError:  # nobody knows what became of it
                self.doubtful.add(each.path)
                continue
            stamp = there.stamp if there else None
            # On a disk that ignores case a file that moved may be found by its old spelling too.
            if stamp != each.stamp and (each.kept is not None or stamp not in done):
                back[each.path] = before[each.path]
                continue
            done.add(stamp)
            if each.kept is None or each.stamp is None:
                self.agreed.remove([each.path])
                continue
            self.agreed.put([(each.path, each.kept, each.stamp)])
            if (old := before[each.path]) is not None and old.sha != each.kept.sha:
                self._drop(old)
        if back:
            self.doubtful |= back.keys()
            try:
                self._put(back)
            except CommonplaceError as error:
                _logger.warning("A file's change could not be taken back. %s", error)

    def _put(self, files: Mapping[bytes, KeptFile | None], contents: Sequence[bytes] = ()) -> None:
        unneeded, self._unneeded = self._unneeded, []
        self.wait(self.store.change(files, contents, unneeded))

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait, in a thread, for what the event loop does."""
        assert threading.get_ident() != self._thread  # it would wait for itself
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except CommonplaceError as error:
            raise Unavailable(str(error)) from error

    def _kept(self, path: bytes) -> KeptFile | None:
        known = self.agreed.get(path)
        return None if known is None else known.kept

    def _drop(self, kept: KeptFile | None) -> None:
        if kept is not None:
            self._unneeded.append(kept.sha)

    def _paths(self, changes: Sequence[FileChange]) -> set[bytes]:
        """Name the files that changes touch."""
        found = {self.files.key(each.root, each.path) for each in changes}
        return found | {
            self.files.key(each.root, each.was)
            for each in changes
            if not isinstance(each, FileWrite)
        }


class _FileLocks:
    """The files that somebody changes just now: each by one at a time."""

    def __init__(self) -> None:
        self._paths: set[bytes] = set()
        self._changed = threading.Condition()

    @contextmanager
    def hold(self, paths: Iterable[bytes]) -> Generator[None]:
        wanted = set(paths)
        with self._changed:
            self._changed.wait_for(lambda: self._paths.isdisjoint(wanted))
            self._paths |= wanted
        try:
            yield
        finally:
            with self._changed:
                self._paths -= wanted
                self._changed.notify_all()
