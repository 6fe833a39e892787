"""A working copy, open: filled from the vault, then followed on both sides until it is closed."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import anyio.to_thread

from commonplace.core.paths import has_note_suffix
from commonplace.core.text import endings
from commonplace.core.text.endings import FileForm
from commonplace.core.view import View
from commonplace.errors import BadArgument, CommonplaceError, Conflict, NotFound, Unavailable
from commonplace.vault.checkout.bases import Bases
from commonplace.vault.checkout.due import DueNotes
from commonplace.vault.checkout.files import CopyFiles
from commonplace.vault.checkout.moves import Moves
from commonplace.vault.checkout.sync import NoteSync
from commonplace.vault.documents.changes import Change
from commonplace.vault.files import watch
from commonplace.vault.files.reader import Stamp
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.supervisor import tell_failure
from commonplace.vault.vault import Vault

COPIED_NOTES_MAX = 20_000
_RESCAN_SECONDS = 5.0
_RETRY_SECONDS = 0.1
TROUBLES_MAX = 100

_FILL_AT_ONCE = 200


def check_room(vault: Vault, chosen: View) -> None:
    """Check that chosen folders fit into a working copy; a vault that does not leaves it empty.

    Raises:
        BadArgument: they do not.

    """
    count = len(_wanted(vault, chosen)) if chosen.limited else 0
    if count > COPIED_NOTES_MAX:
        raise BadArgument(
            f"These folders hold {count:,} notes; a working copy takes {COPIED_NOTES_MAX:,}."
            " Choose fewer."
        )


def _wanted(vault: Vault, chosen: View) -> list[str]:
    listed = vault.contents.catalog.paths()
    return [path for path in listed if has_note_suffix(path) and chosen.shows(path)]


class WorkingCopy:
    """The accepted view of a vault's notes in a folder of their own."""

    def __init__(self, vault: Vault, folder: Path, bases: Path, by: Asker, chosen: View) -> None:
        self._vault, self._chosen = vault, chosen
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._files = CopyFiles(folder)
        self._bases = Bases(bases)
        self._stamps: dict[str, Stamp] = {}
        self._has_room = True
        self._sync = NoteSync(vault, self._files, self._bases, by, self._note_trouble)
        self.folder = folder
        self.troubles: dict[str, str] = {}
        self._due = DueNotes(
            self._sync,
            Moves(self._files, self._bases, vault.texts.exists),
            lambda path: self.troubles.pop(path, None),
        )
        self.listeners: list[Callable[[str, str], None]] = []

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        vault: Vault,
        folder: Path,
        bases: Path,
        by: Asker,
        chosen: View = View(),  # noqa: B008 (frozen)
    ) -> "AsyncGenerator[WorkingCopy]":
        """Fill a folder with notes, those of the chosen folders or all, and follow both sides."""
        copy = cls(vault, folder, bases, by, chosen)
        try:
            await copy.fill()
            with copy._following():
                working = (copy._work(), copy._watch(), copy._look_again())
                tasks = [asyncio.create_task(each) for each in working]
                try:
                    yield copy
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await copy._due.close()
            copy._files.close()
            copy._bases.close()

    async def fill(self) -> None:
        """Bring every note in: those that are new, and those that changed meanwhile."""
        await self._vault.indexer.settled()
        check_room(self._vault, self._chosen)
        wanted = _wanted(self._vault, self._chosen)
        self._has_room = len(wanted) <= COPIED_NOTES_MAX
        wanted = wanted if self._has_room else []
        found = await anyio.to_thread.run_sync(self._changed)
        begun = known = self._bases.paths()
        if not found:  # whoever empties a folder while nobody looks wants it filled anew
            self._bases.clear()
            known = self._bases.paths()
        moved = self._bases.moves.values()
        fresh = [path for path in wanted if path not in known and path not in moved]
        if begun:
            self._due.add({*found, *known, *fresh})
        else:  # nobody has been in the folder yet, so nothing in it can lead elsewhere
            for start in range(0, len(fresh), _FILL_AT_ONCE):
                await self._write_new(fresh[start : start + _FILL_AT_ONCE])
        await self.settle()

    async def settle(self) -> None:
        """Take in all that is saved in the copy by now, and bring in what the vault says."""
        self._due.add(await anyio.to_thread.run_sync(self._changed))
        self._due.add(self._sync.take_unsettled())
        await self._due.bring_together()

    def note_of(self, path: str) -> str:
        """Return the note that a file of the copy stands for."""
        return self._sync.note_of(path)

    async def read(self, absolute: str, line: int | None = None, limit: int | None = None) -> str:
        """Read a file of the copy, or some lines of it."""
        path = self._files.inside(absolute)
        text = await anyio.to_thread.run_sync(self._files.read, path)
        if text is None:
            raise NotFound("There is no such file in the working folder. Check its path.")
        if line is None and limit is None:
            return text
        first = max((line or 1) - 1, 0)
        return "".join(
            text.splitlines(keepends=True)[first : None if limit is None else first + limit]
        )

    async def write(self, absolute: str, text: str) -> None:
        """Write a file of the copy, and take it in."""
        path = self._files.inside(absolute)
        if not has_note_suffix(path):
            raise BadArgument("Only notes (.md) can be written here.")
        old = await anyio.to_thread.run_sync(self._files.read, path)
        if not await anyio.to_thread.run_sync(self._files.write, path, text, old):
            raise Conflict("The file was changed meanwhile. Read it again.")
        self._due.add([path])
        await self._due.bring_together()
        if trouble := self.troubles.pop(path, ""):
            raise BadArgument(trouble)

    # -- parts

    async def _write_new(self, paths: list[str]) -> None:
        texts: dict[str, str] = {}
        for path in paths:
            with suppress(CommonplaceError):
                texts[path] = await self._vault.texts.accepted(path)
        done = await anyio.to_thread.run_sync(self._write_files, texts)
        for path in done:
            self._bases.put(path, texts[path])

    def _write_files(self, texts: dict[str, str]) -> list[str]:
        """Write files that are not there yet, without waiting for the disk."""
        done: list[str] = []
        for path, text in texts.items():
            file = self.folder / path
            with suppress(OSError):
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("xb") as opened:
                    opened.write(endings.encode(text, FileForm(), ""))
                done.append(path)
        return done

    def _changed(self) -> set[str]:
        """Return the notes whose files are not as they were at the last look."""
        before, now = self._stamps, dict(self._files.scan())
        self._stamps = now
        changed = {path for path, stamp in now.items() if before.get(path) != stamp}
        return changed | (before.keys() - now.keys())

    def _note_trouble(self, path: str, text: str) -> None:
        if len(self.troubles) < TROUBLES_MAX:
            self.troubles[path] = text
        for listener in self.listeners:
            listener(path, text)

    # -- following

    @contextmanager
    def _following(self) -> Generator[None]:
        documents = self._vault.notes.documents
        stop = self._vault.contents.follow(self._hear_note)
        documents.follow(self._hear_edit)
        forget = self._vault.permissions.follow(
            lambda _: self._due.add(self._sync.requests.take_asked())
        )
        try:
            yield
        finally:
            forget()
            documents.unfollow(self._hear_edit)
            stop()

    def _hear_note(self, change: NoteChange) -> None:
        for path in (change.path, change.was):
            if path and has_note_suffix(path) and self._takes(path):
                self._due.add({path})

    def _hear_edit(self, change: Change) -> None:
        path = self._vault.notes.ids.known_path(change.id)
        if path is not None and has_note_suffix(path) and self._takes(path):
            self._due.add({path})

    def _takes(self, path: str) -> bool:
        """Tell whether the copy has a note, or has room for it."""
        room = self._has_room and len(self._stamps) < COPIED_NOTES_MAX
        held = path in self._stamps or self._sync.file_of(path) != path
        return held or (room and self._chosen.shows(path))

    async def _work(self) -> None:
        pause = _RETRY_SECONDS
        while True:
            await self._due.news.wait()
            try:
                await self._due.bring_together()
            except Exception as error:  # noqa: BLE001 (one round fails alone)
                tell_failure("A working copy could not be brought up to date.", error)
                await asyncio.sleep(_RESCAN_SECONDS)
            if self._sync.has_unsettled:
                asyncio.get_running_loop().call_later(pause, self._try_again)
            pause = min(2 * pause, _RESCAN_SECONDS) if self._sync.has_unsettled else _RETRY_SECONDS

    def _try_again(self) -> None:
        self._due.add(self._sync.take_unsettled())

    async def _look_again(self) -> None:
        """Look at all files: at first often, since it takes a while until we are told of saves."""
        every = _RETRY_SECONDS
        while True:
            await asyncio.sleep(every)
            every = min(2 * every, _RESCAN_SECONDS)
            try:
                self._due.add(await anyio.to_thread.run_sync(self._changed))
            except Exception as error:  # noqa: BLE001 (one look fails alone)
                tell_failure("The files of a working copy could not be looked at.", error)

    async def _watch(self) -> None:
        async def look_at(paths: set[str]) -> None:
            notes = {path for path in paths if has_note_suffix(path)}
            if notes != paths:  # a folder stands for all beneath it
                notes |= await anyio.to_thread.run_sync(self._changed)
            self._due.add(notes)

        with suppress(Unavailable):  # rescans go on alone
            await watch.follow(self._files.settings, self._files.roots, look_at)
