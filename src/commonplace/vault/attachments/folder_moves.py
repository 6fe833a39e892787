"""Folders as people change them: made, renamed with all that is in them, listed when empty.

A folder is renamed note by note, since links to each have to follow. What is neither a note nor an
attachment stays, and with it the old folder.
"""

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import anyio.to_thread

from commonplace.core import paths
from commonplace.errors import BadArgument, CommonplaceError, Conflict, Forbidden, NotFound
from commonplace.vault.attachments.attachments import Attachments
from commonplace.vault.files import empty_folders
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import RootFolder
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.catalog import CatalogEntry
from commonplace.vault.notes.rename import Renamed

MOVED_MAX = 1_000
_LISTED_MAX = 10_000

RenameFile = Callable[[str, str, str], Awaitable[Renamed]]


class NoteList(Protocol):
    """What is asked of the list of notes."""

    async def newest(self, folder: str = "") -> list[CatalogEntry]: ...  # noqa: D102


@dataclass(slots=True)
class MovedFolder:
    """What came of renaming a folder; `left` says what could not follow, and why."""

    path: str
    notes: int = 0
    files: int = 0
    left: list[str] = field(default_factory=list[str])


class FolderChanges:
    """The folders of every root."""

    def __init__(
        self,
        roots: Roots,
        notes: NoteList,
        attachments: Attachments,
        rename: RenameFile,
        *,
        read_only: bool,
    ) -> None:
        self._roots = roots
        self._notes = notes
        self._attachments = attachments
        self._rename = rename
        self._read_only = read_only

    async def make(self, raw: str) -> str:
        """Make a folder, those above it as well; returns its path."""
        path = self._writable(raw)
        await anyio.to_thread.run_sync(empty_folders.make, self._roots, path)
        return path

    async def empty(self) -> list[str]:
        """Return the folders that hold no note, nor does any beneath them."""
        with_notes: set[str] = set()
        for entry in await self._notes.newest():
            folder = paths.parent(entry.path)
            while folder and folder not in with_notes:
                with_notes.add(folder)
                folder = paths.parent(folder)
        found = await anyio.to_thread.run_sync(self._folders, "")
        return [folder for folder in found if folder not in with_notes][:_LISTED_MAX]

    async def rename(self, raw: str, to: str, actor: str) -> MovedFolder:
        """Give a folder another path, and with it all notes and files in it and every link."""
        old, new = self._writable(raw), self._writable(to)
        if new == old or new.startswith(f"{old}/"):
            raise BadArgument(f"{old} cannot be moved into itself.")
        notes = [entry.path for entry in await self._notes.newest(old)]
        files = [
            path for path in (await self._attachments.files.current()).by_path if _in(old, path)
        ]
        if len(notes) + len(files) > MOVED_MAX:
            raise BadArgument(
                f"{old} holds {len(notes) + len(files)} notes and files; at most {MOVED_MAX} can be"
                " moved at once. Move the folders in it one by one."
            )
        await self._refuse_taken(old, new)
        inner = await anyio.to_thread.run_sync(self._folders, old)
        for folder in (old, *inner):
            await anyio.to_thread.run_sync(
                empty_folders.make, self._roots, new + folder[len(old) :]
            )
        moved = MovedFolder(new)
        for path in notes:
            moved.notes += await self._move(
                self._rename, path, new + path[len(old) :], actor, moved
            )
        for path in files:
            to = new + path[len(old) :]
            moved.files += await self._move(self._attachments.move, path, to, actor, moved)
        for folder in sorted((old, *inner), key=len, reverse=True):
            with suppress(Conflict):  # something else is in it
                await anyio.to_thread.run_sync(empty_folders.remove, self._roots, folder)
        return moved

    async def _move(
        self, move: RenameFile, path: str, to: str, actor: str, moved: MovedFolder
    ) -> bool:
        try:
            done = await move(path, to, actor)
        except CommonplaceError as error:
            moved.left.append(f"{path}: {error}")
            return False
        moved.left += done.left
        return True

    async def _refuse_taken(self, old: str, new: str) -> None:
        if self._roots.split(f"{old}/x")[0] != self._roots.split(f"{new}/x")[0]:
            raise BadArgument("A folder cannot be moved from one root of the vault to another.")
        with suppress(NotFound):
            if await self._notes.newest(new):
                raise Conflict(f"{new} exists already and holds notes. Choose another name.")

    def _writable(self, raw: str) -> str:
        if self._read_only:
            raise Forbidden("This vault was opened read-only; nothing is changed.")
        path = paths.folder_path(raw.strip())
        if not path:
            raise BadArgument("Name the folder.")
        return path

    def _folders(self, top: str) -> list[str]:
        """List the folders beneath one, by name; nothing hidden, nothing linked."""
        if top:
            disk, inside = self._roots.at(top)
            root = disk.root.name
            return sorted(self._roots.joined(root, each) for each in _below(disk, inside))
        found: list[str] = []
        for root in self._roots.names():
            disk, _ = self._roots.at(self._roots.joined(root, "x"))
            found += (self._roots.joined(root, each) for each in _below(disk, ""))
        return sorted(each for each in found if not self._roots.ignores(f"{each}/x.md"))


def _in(folder: str, path: str) -> bool:
    return path.startswith(f"{folder}/")


def _below(disk: RootFolder, folder: str) -> Iterator[str]:
    try:
        descriptor = open_beneath(disk.descriptor, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        with os.scandir(descriptor) as entries:
            names = [
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return  # a folder that vanished or may not be read
    finally:
        os.close(descriptor)
    for name in names:
        path = f"{folder}/{name}" if folder else name
        if paths.is_document(f"{path}/x.md"):
            yield path
            yield from _below(disk, path)
