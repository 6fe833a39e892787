"""Which files of a working copy are others under another name, as `mv` leaves them.

The content has to tell plainly: the same text as one that is gone, or the same file with at least
half of its words. A file's number alone tells nothing, since a disk gives that of a deleted file to
the next one that is made.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import anyio.to_thread

from commonplace.core.paths import has_note_suffix
from commonplace.errors import CommonplaceError
from commonplace.vault.checkout.bases import Bases
from commonplace.vault.checkout.files import CopyFiles
from commonplace.vault.files.reader import Stamp

MOVES_MAX = 1_000
NUMBERS_MAX = 50_000


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that stands for no note yet."""

    path: str
    inode: int
    text: str


class Moves:
    """Finds files with a new name; it knows the numbers of all files as they were last seen."""

    def __init__(self, files: CopyFiles, bases: Bases, exists: Callable[[str], bool]) -> None:
        self._files, self._bases, self._exists = files, bases, exists
        self._inodes: dict[str, int] = {}

    async def find(self, due: Iterable[str], busy: Collection[str]) -> dict[str, str]:
        """Return the old names by the new ones, of files among those that are due.

        Those that are `busy` are none: they are being written.
        """
        stamps = await anyio.to_thread.run_sync(self._stamps, list(due))
        found = await self._found(stamps, busy)
        # The number of one that is gone is kept: the same name may come back before it is told.
        self._inodes |= {path: stamp.inode for path, stamp in stamps.items() if stamp}
        while len(self._inodes) > NUMBERS_MAX:
            del self._inodes[next(iter(self._inodes))]
        return found

    async def _found(
        self, stamps: Mapping[str, Stamp | None], busy: Collection[str]
    ) -> dict[str, str]:
        gone = {path for path, stamp in stamps.items() if stamp is None and self._has(path)}
        fresh = {path: stamp for path, stamp in stamps.items() if stamp and self._is_new(path)}
        if not gone and not fresh:
            return {}
        if gone:  # where it went may not have been told yet
            listed = await anyio.to_thread.run_sync(lambda: dict(self._files.scan()))
            known = self._bases.paths()
            other = listed.keys() - known - set(busy)
            fresh |= {path: listed[path] for path in other if self._is_new(path)}
        else:  # and where it came from neither
            gone = await anyio.to_thread.run_sync(self._gone, {one.inode for one in fresh.values()})
            gone = {path for path in gone if self._has(path) and path not in busy}
        if not gone or not fresh or max(len(gone), len(fresh)) > MOVES_MAX:
            return {}
        found = await anyio.to_thread.run_sync(self._read, fresh)
        return paired({path: self._bases.get(path) or "" for path in gone}, self._inodes, found)

    def _has(self, path: str) -> bool:
        return self._bases.get(path) is not None

    def _is_new(self, path: str) -> bool:
        """Tell whether nothing else stands under this name, here or there."""
        free = path in self._bases.moves.values() or not self._exists(path)
        return has_note_suffix(path) and not self._has(path) and free

    # -- in a thread

    def _stamps(self, paths: Iterable[str]) -> dict[str, Stamp | None]:
        return {path: self._files.stamp(path) for path in paths if has_note_suffix(path)}

    def _gone(self, inodes: set[int]) -> set[str]:
        known = list(self._inodes.items())
        near = [path for path, inode in known if inode in inodes]
        return {path for path in near if self._files.stamp(path) is None}

    def _read(self, fresh: Mapping[str, Stamp]) -> list[NewFile]:
        found: list[NewFile] = []
        for path, stamp in sorted(fresh.items()):
            try:
                text = self._files.read(path)
            except CommonplaceError:
                continue  # no text, and so no note
            if text is not None:
                found.append(NewFile(path, stamp.inode, text))
        return found


def paired(
    gone: Mapping[str, str], inodes: Mapping[str, int], fresh: Iterable[NewFile]
) -> dict[str, str]:
    """Tell which new file is which of those that are gone, given what these held."""
    left, found = dict(gone), dict[str, str]()
    files = list(fresh)
    for file in files:
        for old, text in left.items():
            if inodes.get(old) == file.inode and _is_near(text, file.text):
                found[file.path] = old
                del left[old]
                break
    for file in files:
        same = [old for old, text in left.items() if text == file.text and text.strip()]
        twins = [one for one in files if one.text == file.text and one.path not in found]
        if file.path not in found and len(same) == len(twins) == 1:
            found[file.path] = same[0]
            del left[same[0]]
    return found


def _is_near(old: str, new: str) -> bool:
    before = set(old.split())
    return old == new or 2 * len(before & set(new.split())) >= max(len(before), 1)
