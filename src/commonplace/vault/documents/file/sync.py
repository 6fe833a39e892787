"""The file as one more peer of a live document, both ways.

`base` is the state whose text the file had when file and document last agreed.

*In* (`intake`): a file that differs from the base was saved by another program. What changed
between base and file is merged into the document, character by character; nobody's edit is taken
back.

*Out*: the document's text is swapped into place. What comes out of the swap is the base, or
something that another program wrote a moment ago: then that is merged as well, and the file is
written again. The intent is on record before the swap, so that after a crash in between it is
known which of the two the file holds.

A file that is not text any more is left alone; what was typed goes to a conflict copy.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from time import time

import anyio
import anyio.to_thread

from commonplace.core.text import endings
from commonplace.core.text.endings import FileForm
from commonplace.errors import Conflict, Unavailable
from commonplace.vault.documents.documents import Documents, First, Settled
from commonplace.vault.documents.engine.replica import text_of
from commonplace.vault.documents.file import versions
from commonplace.vault.documents.file.intake import Intake
from commonplace.vault.documents.file.known_file import (
    FILE_ACTOR,
    KnownFile,
    SaveListener,
    stamp_of,
    stamped,
)
from commonplace.vault.documents.file.spares import Spares
from commonplace.vault.documents.file.stable_read import HELD_SECONDS_MAX, Caution
from commonplace.vault.documents.file.versions import OVERLAP_SECONDS, Held
from commonplace.vault.files.reader import Stamp, content_sha, reason
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.log import THIS_UPDATE, FileRecord, Log
from commonplace.vault.supervisor import Background

_ROUNDS_MAX = 20
_BUSY_SECONDS = 0.05

PathOf = Callable[[str], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class _Out:
    """What came out of a swap; the file itself, still open, if that was the base."""

    data: bytes
    descriptor: int | None = None


class FilePeer:
    """Keeps documents and their files in agreement."""

    def __init__(
        self,
        roots: Roots,
        log: Log,
        path_of: PathOf,
        today: Callable[[], date],
        caution: Caution | None = None,
        now: Callable[[], float] = time,
        heard: SaveListener | None = None,
    ) -> None:
        self._roots = roots
        self._log = log
        self._path_of = path_of
        self._now = now
        self._caution = caution or Caution()
        self._clock = self._caution.clock
        self._spares = Spares(roots, self._caution, today)
        self._intake = Intake(roots, log, self._caution, self._spares, heard)
        self._background = Background()
        self._closing = anyio.Event()
        self._files: dict[str, KnownFile] = {}

    async def close(self) -> None:
        """Look a last time at what was pushed out a moment ago."""
        self._closing.set()
        await self._spares.close()
        await self._background.finish()

    async def first(self, id: str) -> First | None:
        """Give the text that a document begins with: its file's."""
        path = await self._path_of(id)
        if path is None:
            return None
        data, stamp = await anyio.to_thread.run_sync(self._roots.read_to_record, path)
        text, form = endings.decode(data)
        file = self._file(id)
        file.disk, file.form, file.base_text = None, form, text
        return First(
            text, FILE_ACTOR, stamped(FileRecord(content_sha(data), b"", seq=THIS_UPDATE), stamp)
        )

    def _file(self, id: str) -> KnownFile:
        return self._files.setdefault(id, KnownFile())

    def forget(self, id: str) -> None:
        """Let go of a document that is no longer live."""
        self._files.pop(id, None)

    async def forget_before(self, id: str) -> None:
        """Keep no state that the file had before we last wrote it."""
        file = self._file(id)
        async with file.lock:
            file.before.clear()
            disk = file.disk or await self._log.disk(id)
            if disk is None or disk.before is None:
                return
            file.disk = replace(disk, before=None)
            await self._log.put_disk(id, file.disk)

    @asynccontextmanager
    async def hold(self, id: str) -> AsyncGenerator[None]:
        """Neither read nor write a document's file while it gets another name."""
        async with self._file(id).lock:
            yield

    async def take_in(self, documents: Documents, id: str) -> bool:
        """Merge what other programs did to the file; whether they wrote it at all.

        `Unsettled` if one is in the middle of it.
        """
        file = self._file(id)
        async with file.lock:
            path = await self._path_of(id)
            return path is not None and await self._intake.take_in(documents, id, file, path)

    async def write_out(self, documents: Documents, id: str) -> bool:
        """Bring the file to the document's text; False when the note is gone and stays so."""
        file = self._file(id)
        async with file.lock:
            for _ in range(_ROUNDS_MAX):
                path = await self._path_of(id)
                if path is None:
                    return False
                await self._intake.take_in(documents, id, file, path)
                now = await documents.settled(id)
                try:
                    if await self._agrees(id, file, now) or await self._swap(
                        documents, id, file, path, now
                    ):
                        file.held_since = None
                        return True
                except BlockingIOError:  # its writer comes first
                    file.held_since = file.held_since or self._caution.clock()
                    await self._caution.sleep(_BUSY_SECONDS)
        raise Unavailable("The file is being rewritten by another program; it is tried again.")

    async def in_step(self, documents: Documents, id: str) -> bool:
        """Tell whether the log, replayed, has the text that the file was last given."""
        disk = await self._log.disk(id)
        return disk is None or (await documents.settled(id)).text == text_of(disk.base)

    async def recover(self, documents: Documents, id: str) -> None:
        """Finish what a crash cut short: a swap half done, edits that never reached the file."""
        await self.write_out(documents, id)

    async def _agrees(self, id: str, file: KnownFile, now: Settled) -> bool:
        """Tell whether the file holds the text already, and remember that it does."""
        if file.disk is None or file.form is None:
            return False
        sha = content_sha(endings.encode(now.text, file.form, file.base_text))
        if sha != file.disk.base_sha:
            return False
        if file.disk.seq < now.seq:
            file.disk = replace(file.disk, seq=now.seq, intent=None, intent_sha=None)
            await self._log.put_disk(id, file.disk)
        return True

    async def _swap(
        self,
        documents: Documents,
        id: str,
        file: KnownFile,
        path: str,
        now: Settled,
    ) -> bool:
        """Put the text into the file; False if another program had written in the meantime."""
        form = file.form or FileForm()
        data = endings.encode(now.text, form, file.base_text)
        disk = replace(file.disk or FileRecord(b"", now.state), intent_sha=None, intent=None)
        intent = replace(disk, intent_sha=content_sha(data), intent=now.state, before=None)
        patient = not self._held_too_long(file)
        if patient and await anyio.to_thread.run_sync(self._roots.is_open_for_writing, path):
            raise BlockingIOError
        await self._log.put_disk(id, intent)
        file.disk = intent
        try:
            left, stamp = await anyio.to_thread.run_sync(
                partial(self._exchange, path, data, id, disk.base_sha, patient=patient)
            )
        except FileNotFoundError:
            left, stamp = None, await self._create(id, path, data)
        except BlockingIOError:
            file.disk = disk
            await self._log.put_disk(id, disk)
            raise
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {reason(error)}.") from error
        file.before.append(Held(disk.base, file.base_text, self._clock()))
        rescued = None
        if left is not None and left.descriptor is None:
            file.swapped = True
            rescued = await self._spares.finish_swap(documents, id, file, path, intent)
        elif left is not None and left.descriptor is not None:
            out = (left.descriptor, left.data)
            self._spares.watch(documents, id, path, disk, file.base_text, out, self._file)
        file.restored = False
        kept = FileRecord(
            content_sha(data),
            now.state,
            seq=now.seq,
            before=file.before[-1].base,
            before_time=self._now(),
        )
        file.disk = stamped(kept, stamp)
        file.form, file.base_text = endings.decode(data)[1], now.text
        # The spare is gone by now: a crash after the record would leave the old text lying there.
        await self._log.put_disk(id, file.disk)
        if not file.ageing:
            file.ageing = True
            self._background.start(self._age(id, file))
        return rescued is None

    async def _age(self, id: str, file: KnownFile) -> None:
        """Look at a file until the states that it held before are too old to matter."""
        while file.before and not self._closing.is_set():
            with anyio.move_on_after(OVERLAP_SECONDS):
                await self._closing.wait()
            async with file.lock:
                path, looked = await self._path_of(id), self._clock()
                stamp = path and await anyio.to_thread.run_sync(self._roots.stamp, path)
                if file.disk is None or stamp != stamp_of(file.disk):
                    break  # whoever takes it in will see to it
                file.before = versions.recent(file.before, looked)
        file.ageing = False

    def _held_too_long(self, file: KnownFile) -> bool:
        """Tell whether a program keeps the file open as if for ever; what it writes is watched."""
        since = file.held_since
        return since is not None and self._caution.clock() - since > HELD_SECONDS_MAX

    def _exchange(
        self, path: str, data: bytes, id: str, base_sha: bytes, *, patient: bool
    ) -> tuple[_Out, Stamp]:
        """Swap bytes into a file; what comes out is cleared away if it is the base."""
        out, stamp = self._roots.swap(
            path,
            data,
            id,
            patient=patient,
            expected=lambda there: content_sha(there) == base_sha,
        )
        if content_sha(out) != base_sha:
            return _Out(out), stamp
        descriptor = self._roots.open_spare(path, id)
        self._roots.clear(path, id)
        return _Out(out, descriptor), stamp

    async def _create(self, id: str, path: str, data: bytes) -> Stamp:
        """Write a file that another program deleted while somebody typed: the words are kept."""
        try:
            return await anyio.to_thread.run_sync(self._roots.create, path, data, id)
        except Conflict:
            raise Unavailable(f"{path} appeared just now; it is tried again.") from None
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {reason(error)}.") from error
