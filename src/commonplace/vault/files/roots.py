"""The roots of a vault as one tree of paths.

One root: a path is relative to it. Several: the first part is the root's name.
"""

from collections.abc import Iterator

from commonplace.core import globs, paths
from commonplace.errors import BadArgument, NotFound
from commonplace.vault.disk import Disk, Listed, Stamp
from commonplace.vault.pen import Pen
from commonplace.vault.settings import Settings
from commonplace.vault.swaps import Swaps


class Roots:
    """Every root of a vault, held open."""

    def __init__(self, settings: Settings) -> None:
        self._named = settings.several_roots
        self._disks = {root.name: Disk(root) for root in settings.roots}
        self._pens = {name: Pen(disk) for name, disk in self._disks.items()}
        self._ignored = [globs.compile_glob(pattern) for pattern in settings.ignore]

    def close(self) -> None:
        """Let go of the roots."""
        for disk in self._disks.values():
            disk.close()

    def missing(self) -> list[str]:
        """Name the roots that are no longer there."""
        return [name for name, disk in self._disks.items() if not disk.present()]

    def at(self, path: str) -> tuple[Disk, str]:
        """Find the root of a path, and the path inside it."""
        if not self._named:
            return next(iter(self._disks.values())), path
        name, _, inside = path.partition("/")
        if name not in self._disks:
            raise NotFound(
                f"Document not found: {path}. The first part of a path names a folder of this"
                f" vault: {', '.join(self._disks)}."
            )
        return self._disks[name], inside

    def read(self, path: str) -> tuple[bytes, Stamp]:
        """Read a note's bytes."""
        disk, inside = self.at(path)
        return disk.read(inside)

    def stamp(self, path: str) -> Stamp | None:
        """Look at a note without reading it."""
        disk, inside = self.at(path)
        return disk.stamp(inside) if inside else None

    def find(self, path: str) -> str | None:
        """Return the name on disk of the note at `path`, if there is one."""
        disk, inside = self.at(path)
        found = disk.find(inside) if inside else None
        return self._outside(disk, found) if found else None

    def swap(self, path: str, data: bytes, token: str) -> tuple[bytes, Stamp]:
        """Put new bytes in place of a note, and get back what was there."""
        pen, inside = self._pen(path)
        return pen.swap(inside, data, token)

    def swaps(self) -> Swaps:
        """Begin to change many notes."""

        def at(path: str) -> tuple[int, str]:
            disk, inside = self.at(path)
            return disk.descriptor, inside

        return Swaps(at)

    def spare(self, path: str, token: str) -> bytes | None:
        """Read what a swap that was cut short left behind."""
        pen, inside = self._pen(path)
        return pen.spare(inside, token)

    def clear(self, path: str, token: str) -> None:
        """Remove what a swap left behind."""
        pen, inside = self._pen(path)
        pen.clear(inside, token)

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
        if self._named and path.partition("/")[0] not in self._disks:
            return False
        disk, inside = self.at(path)
        return disk.is_folder(inside)

    def scan(self, folder: str = "") -> Iterator[Listed]:
        """Yield every note beneath a folder, but what the person ignores."""
        if self._named and not folder:
            for name in self._disks:
                yield from self.scan(name)
            return
        disk, inside = self.at(folder) if folder else (next(iter(self._disks.values())), "")
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
        """Tell whether the person's settings leave a note out."""
        return any(pattern.matches(path) for pattern in self._ignored)

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
                return self._outside(disk, absolute[len(top) + 1 :])
        return None

    def _pen(self, path: str) -> tuple[Pen, str]:
        disk, inside = self.at(path)
        return self._pens[disk.root.name], inside

    def _outside(self, disk: Disk, inside: str) -> str:
        return f"{disk.root.name}/{inside}" if self._named else inside

    def _placed(self, disk: Disk, listed: Listed) -> Listed:
        if not self._named:
            return listed
        on_disk = listed.on_disk and self._outside(disk, listed.on_disk)
        return listed._replace(path=self._outside(disk, listed.path), on_disk=on_disk)
