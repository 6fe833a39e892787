"""The roots of a vault as one tree of paths, or what a view shows of it.

One root: a path is relative to it. Several: the first part is the root's name.
"""

from collections.abc import Callable, Iterator
from copy import copy

import anyio.to_thread

from commonplace.core import globs, paths
from commonplace.core.view import View
from commonplace.errors import BadArgument, NotFound
from commonplace.vault.files.backing_store import NO_BACKING_STORE, BackingStore
from commonplace.vault.files.batch import Swaps
from commonplace.vault.files.reader import Listed, Look, RootFolder, Stamp
from commonplace.vault.files.writer import Pen
from commonplace.vault.settings import Settings


class Roots:
    """Every root of a vault, held open."""

    def __init__(self, settings: Settings, backing_store: BackingStore = NO_BACKING_STORE) -> None:
        self._named = settings.several_roots
        self._disks = {root.name: RootFolder(root) for root in settings.roots}
        self._pens = {name: Pen(disk, backing_store) for name, disk in self._disks.items()}
        self._ignored = [globs.compile_glob(pattern) for pattern in settings.ignore]
        self._backing_store = backing_store
        self.view = View()

    def seen(self, view: View) -> "Roots":
        """Return the same roots, with nothing in them but what a view shows."""
        part = copy(self)
        part.view = view
        return part

    def close(self) -> None:
        """Let go of the roots."""
        for disk in self._disks.values():
            disk.close()

    def missing(self) -> list[str]:
        """Name the roots that are no longer there."""
        return [name for name, disk in self._disks.items() if not disk.present()]

    def at(self, path: str) -> tuple[RootFolder, str]:
        """Find the root of a path, and the path inside it."""
        if not self.view.shows(path):
            raise NotFound(
                f"Document not found: {path}", f"This access token reaches {self.view.reach} only."
            )
        return self._place(path)

    def disk(self, root: str) -> RootFolder:
        """Return the root of that name."""
        return self._disks[root]

    def _place(self, path: str) -> tuple[RootFolder, str]:
        if not self._named:
            return next(iter(self._disks.values())), path
        name, _, inside = path.partition("/")
        if name not in self._disks:
            raise NotFound(
                f"{path} lies in no folder of this vault. The first part of a path names a folder"
                f" of this vault: {', '.join(self._disks)}."
            )
        return self._disks[name], inside

    def read(self, path: str) -> tuple[bytes, Stamp]:
        """Read a note's bytes."""
        disk, inside = self.at(path)
        return disk.read(inside)

    def look(self, path: str) -> Look:
        """Read a note's bytes, and tell whether a program is writing it."""
        disk, inside = self.at(path)
        return disk.look(inside)

    def read_patiently(self, path: str) -> tuple[bytes, Stamp]:
        """Read a note's bytes, in a thread: if it is being saved, a moment later."""
        disk, inside = self.at(path)
        return disk.read_patiently(inside)

    def stamp(self, path: str) -> Stamp | None:
        """Look at a note without reading it."""
        disk, inside = self.at(path)
        return disk.stamp(inside) if inside else None

    def find(self, path: str) -> str | None:
        """Return the name on disk of the note at `path`, if there is one."""
        disk, inside = self.at(path)
        found = disk.find(inside) if inside else None
        return self.joined(disk.root.name, found) if found else None

    def swap(
        self,
        path: str,
        data: bytes,
        token: str,
        *,
        patient: bool = True,
        expected: Callable[[bytes], bool] | None = None,
    ) -> tuple[bytes, Stamp]:
        """Put new bytes in place of a note, and get back what was there."""
        pen, inside = self._pen(path)
        return pen.swap(inside, data, token, patient=patient, expected=expected)

    def is_open_for_writing(self, path: str) -> bool:
        """Tell whether another program is known to have a note open for writing."""
        pen, inside = self._pen(path)
        return pen.is_open_for_writing(inside)

    def swaps(self) -> Swaps:
        """Begin to change many notes."""
        return Swaps(self.at, self._backing_store)

    def read_to_record(self, path: str) -> tuple[bytes, Stamp]:
        """Read a note's bytes patiently, in a thread, so that what they hold may be recorded."""
        data, stamp = self.read_patiently(path)
        self.keep_found(path, data, stamp)
        return data, stamp

    def keep_found(self, path: str, data: bytes, stamp: Stamp) -> None:
        """Have what another program saved kept, in a thread, before it is recorded anywhere."""
        self._backing_store.found(*self.split(path), data, stamp)

    async def keep_up(self, *changed: str) -> None:
        """Have it kept that other programs changed, moved or deleted these."""
        if self._backing_store is not NO_BACKING_STORE:
            for path in changed:
                await anyio.to_thread.run_sync(self._backing_store.look, *self.split(path))

    def spare(self, path: str, token: str) -> Look | None:
        """Look at what a swap pushed out, or one that was cut short left behind."""
        pen, inside = self._pen(path)
        return pen.spare(inside, token)

    def open_spare(self, path: str, token: str) -> int | None:
        """Open what a swap pushed out."""
        pen, inside = self._pen(path)
        return pen.open_spare(inside, token)

    def clear(self, path: str, token: str) -> None:
        """Remove what a swap left behind."""
        pen, inside = self._pen(path)
        pen.clear(inside, token)

    def name_spare(self, path: str, token: str, name: str) -> None:
        """Make what a swap left behind a note beside the other."""
        pen, inside = self._pen(path)
        pen.name_spare(inside, token, name)

    def create(self, path: str, data: bytes, token: str) -> Stamp:
        """Write a note that does not exist yet."""
        pen, inside = self._pen(path)
        return pen.create(inside, data, token)

    def rename(self, old: str, new: str) -> None:
        """Give a note another name in the same root."""
        (pen, was), (other, now) = self._pen(old), self._pen(new)
        if pen is not other:
            raise BadArgument("A note cannot be moved from one of the vault's folders to another.")
        pen.rename(was, now)

    def trash(self, path: str) -> str:
        """Move a note to its root's trash; returns where it lies now."""
        pen, inside = self._pen(path)
        kept = pen.trash(inside)
        return f"{path.partition('/')[0]}/{kept}" if self._named else kept

    def is_folder(self, path: str) -> bool:
        """Tell whether there is a folder of that path; the top is one."""
        if not path:
            return True
        if not self.view.shows_folder(path):
            return False
        if self._named and path.partition("/")[0] not in self._disks:
            return False
        disk, inside = self._place(path)
        return disk.is_folder(inside)

    def spelled(self, path: str) -> str:
        """Return a path with the folders that are there spelt as they are on disk."""
        disk, inside = self.at(path)
        folder, slash, name = inside.rpartition("/")
        return self.joined(disk.root.name, f"{_spelled(disk, folder)}{slash}{name}")

    def scan(self, folder: str = "") -> Iterator[Listed]:
        """Yield every note beneath a folder, but what the person ignores."""
        if self._named and not folder:
            for name in self._disks:
                yield from self.scan(name)
            return
        disk, inside = self._place(folder) if folder else (next(iter(self._disks.values())), "")
        for listed in disk.scan(inside):
            found = self._placed(disk, listed)
            if not self.ignores(found.path):
                yield found

    def listed(self, path: str) -> Listed | None:
        """Look for one note the way a scan would list it."""
        on_disk = self.find(path)
        if on_disk is None or self.ignores(path) or not paths.is_document(path):
            return None
        stamp = self.stamp(on_disk)
        return Listed(path, stamp, None if on_disk == path else on_disk) if stamp else None

    def ignores(self, path: str) -> bool:
        """Tell whether the person's settings, or the view, leave a note out."""
        return not self.view.shows(path) or any(pattern.matches(path) for pattern in self._ignored)

    def has(self, root: str) -> bool:
        """Tell whether the vault has a root of that name."""
        return root in self._disks

    def names(self) -> list[str]:
        """Name the roots."""
        return list(self._disks)

    def split(self, path: str) -> tuple[str, str]:
        """Return the name of a path's root, and the path inside it."""
        disk, inside = self.at(path)
        return disk.root.name, inside

    def joined(self, root: str, inside: str) -> str:
        """Return the vault's path of one inside a root."""
        return f"{root}/{inside}" if self._named else inside

    def path_of(self, absolute: str) -> str | None:
        """Turn a path of the host (from the watcher) into one of the vault."""
        for disk in self._disks.values():
            top = str(disk.root.path)
            if absolute == top:
                return disk.root.name if self._named else ""
            if absolute.startswith(top + "/"):
                return self.joined(disk.root.name, absolute[len(top) + 1 :])
        return None

    def _pen(self, path: str) -> tuple[Pen, str]:
        disk, inside = self.at(path)
        return self._pens[disk.root.name], inside

    def _placed(self, disk: RootFolder, listed: Listed) -> Listed:
        if not self._named:
            return listed
        on_disk = listed.on_disk and self.joined(disk.root.name, listed.on_disk)
        return listed._replace(path=self.joined(disk.root.name, listed.path), on_disk=on_disk)


def _spelled(disk: RootFolder, folder: str) -> str:
    """Return a folder's path spelt as on disk: none gets a twin that differs by case alone."""
    found = ""
    for part in folder.split("/") if folder else ():
        found = _below(disk, found, part)
    return found


def _below(disk: RootFolder, folder: str, name: str) -> str:
    """Return the subfolder that some file systems take for the one named, or that itself."""
    start = f"{folder}/" if folder else ""
    if disk.is_folder(start + name):
        return start + name
    key = paths.collision_key(name)
    like = [start + each for each in sorted(disk.names(folder)) if paths.collision_key(each) == key]
    return next(filter(disk.is_folder, like), start + name)
