"""Deleted notes: moved to the trash of their root (`files.trash_names`), and back.

A note's document goes with its file, so that what somebody still types in a note that is being
deleted ends up in the trash and not nowhere, and a restored note has its history. Whoever has it
open is then told that it is gone.
"""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Protocol

import anyio.to_thread

from commonplace.core import paths
from commonplace.core.text import endings
from commonplace.errors import BadPath, CommonplaceError, Conflict, NotFound, Unavailable
from commonplace.vault.documents.changes import Purpose
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import RootFolder, reason
from commonplace.vault.files.roots import Roots
from commonplace.vault.files.trash_names import TRASH, trash_names
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.log import Log

_LISTED_MAX = 10_000
_KIND = "trash"


class TrashIndex(Protocol):
    """What is asked of the index."""

    async def follow(self, paths: list[str]) -> None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Trashed:
    """A note in the trash: where it lies, where it was, and since when and by whom if known."""

    trash: str
    path: str
    time: float | None = None
    who: str | None = None


class Trash:
    """The trash of every root."""

    def __init__(
        self, roots: Roots, log: Log, afterwards: Afterwards, notes: LiveNotes, index: TrashIndex
    ) -> None:
        self._roots = roots
        self._log = log
        self._afterwards = afterwards
        self._notes = notes
        self._index = index

    async def put(self, path: str, who: str) -> str:
        """Move a note to the trash; returns where it lies now."""
        self._notes.refuse_read_only()
        if (id := self._notes.ids.known_id(path)) is not None:
            await self._notes.queue.flush(id)
        for kept in self._names(path):
            try:
                await self._move(path, kept)
            except Conflict:
                continue
            if id is not None:
                self._notes.moves.tell_gone(id)
            row = Trashed(kept, path, time.time(), who)
            await self._afterwards.put(_KIND, kept, json.dumps(asdict(row)))
            await self._index.follow([path])
            return kept
        raise Conflict(f"The trash holds too many notes named {path}. Empty it first.")

    async def restore(
        self,
        trash: str,
        actor: str = "person",
        set: str = "",  # noqa: A002 (the domain's word)
    ) -> str:
        """Move a note back to where it was; returns its path. Its path from before will do."""
        self._notes.refuse_read_only()
        trash = await self.newest(trash) or trash
        path = await self._origin(trash)
        if self._roots.find(trash) is None:
            raise NotFound(f"There is no {trash} in the trash. List it: commonplace trash --list.")
        if self._roots.find(path) is not None:
            raise Conflict(f"{path} exists already. Rename that note first, then restore this one.")
        await self._move(trash, path)
        await self._record(path, actor, Purpose("restore", set), trash)
        await self._afterwards.put(_KIND, trash, None)
        await self._index.follow([path])
        return path

    async def listed(self) -> list[Trashed]:
        """List what is in the trash, by name."""
        files = await anyio.to_thread.run_sync(self._files)
        known = {
            key: Trashed(**json.loads(row)) for key, row in (await self._log.records(_KIND)).items()
        }
        return [known.get(file) or Trashed(file, self._bare(file)) for file in files]

    async def newest(self, path: str) -> str | None:
        """Return where the note lies that went last from a path."""
        found = [one for one in await self.listed() if one.path == path]
        return max(found, key=lambda one: one.time or 0.0).trash if found else None

    async def _record(self, path: str, actor: str, purpose: Purpose, was: str) -> None:
        """Let the history know that a note is back."""
        try:
            data, _ = await anyio.to_thread.run_sync(self._roots.read, path)
            text, _ = endings.decode(data)
        except CommonplaceError:
            return  # it cannot be read, and has no history
        if (id := await self._notes.id_for_history(path)) is not None:
            self._notes.recorder.note(id, path, actor, purpose, text, was=was)

    def _files(self) -> list[str]:
        found: list[str] = []
        for root in self._roots.names():
            disk, _ = self._roots.at(self._roots.joined(root, TRASH))
            found += (self._roots.joined(root, inside) for inside in _files(disk, TRASH))
        return sorted(found)[:_LISTED_MAX]

    def _names(self, path: str) -> Iterator[str]:
        root, inside = self._roots.split(path)
        return (self._roots.joined(root, name) for name in trash_names(inside))

    async def _origin(self, trash: str) -> str:
        """Check a path that leads into the trash, and return where the note was."""
        path = self._bare(trash)
        kept = await self._log.record(_KIND, trash)
        return Trashed(**json.loads(kept)).path if kept else path

    def _bare(self, trash: str) -> str:
        root, inside = self._roots.split(trash)
        folder, _, path = inside.partition("/")
        if folder != TRASH or not paths.is_document(path):
            raise BadPath(f"{trash!r} is no note in the trash. List it: commonplace trash --list.")
        return self._roots.joined(root, path)

    async def _move(self, old: str, new: str) -> None:
        on_disk = self._roots.find(old) or old
        try:
            if on_disk == old:
                await self._notes.move(old, new)
            else:
                await anyio.to_thread.run_sync(self._roots.rename, on_disk, new)
                await self._notes.ids.follow_file(old, new)
        except FileNotFoundError:
            raise NotFound(f"Document not found: {old}") from None
        except OSError as error:
            raise Unavailable(f"{old} cannot be moved: {reason(error)}.") from error


def _files(disk: RootFolder, folder: str) -> Iterator[str]:
    """Yield every Markdown file beneath a folder; no link is followed."""
    try:
        descriptor = open_beneath(disk.descriptor, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    below: list[str] = []
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.name)
                elif entry.is_file(follow_symlinks=False) and paths.is_document(entry.name):
                    yield f"{folder}/{entry.name}"
    finally:
        os.close(descriptor)
    for name in below:
        if paths.is_document(f"{name}/x.md"):
            yield from _files(disk, f"{folder}/{name}")
