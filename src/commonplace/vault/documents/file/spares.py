"""What a swap pushed out of a file: merged if another program wrote it, watched for a while.

Also after a crash in between: then it lies beside the note, and the record of the swap's intent
tells what it is.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import anyio.to_thread

from commonplace.core.text import endings
from commonplace.errors import Unavailable, Unreadable
from commonplace.vault.documents.documents import Documents
from commonplace.vault.documents.engine.replica import text_of
from commonplace.vault.documents.file.known_file import FILE_ACTOR, KnownFile, cuts_short
from commonplace.vault.documents.file.leftovers import Leftovers
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.documents.file.versions import Held
from commonplace.vault.files.conflict_copy import keep_conflict_copy
from commonplace.vault.files.reader import Look, content_sha
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.log import FileRecord


class Spares:
    """Rescues what other programs wrote into a file that we replaced."""

    def __init__(self, roots: Roots, caution: Caution, today: Callable[[], date]) -> None:
        self._roots = roots
        self._caution = caution
        self._today = today
        self._leftovers = Leftovers(caution)

    async def close(self) -> None:
        """Look a last time at what was pushed out a moment ago."""
        await self._leftovers.close()

    async def finish_swap(
        self, documents: Documents, id: str, file: KnownFile, path: str, disk: FileRecord
    ) -> Held | None:
        """Merge what a swap pushed out, unless it is the base; also after a crash in between."""
        look = await anyio.to_thread.run_sync(self._roots.spare, path, id)
        if look is None:
            return None
        rescued = None
        if file.swapped or not await anyio.to_thread.run_sync(self._is_ours, path, look.data, disk):
            base_text = text_of(disk.base)
            out = await self._caution.believe(
                lambda: self._look_at_spare(path, id),
                lambda data: cuts_short(data, base_text, disk.base_sha),
                file.seen,
            )
            if content_sha(out.data) != disk.base_sha:
                rescued = await self.rescue(documents, id, path, out.data, disk, file)
        await anyio.to_thread.run_sync(self._roots.clear, path, id)
        file.swapped = False
        # Its program has seen what is rescued, and not what we wrote.
        file.before += [rescued] if rescued else []
        return rescued

    def _is_ours(self, path: str, left: bytes, disk: FileRecord) -> bool:
        """Tell whether a spare is what we were writing: the note is as it was before the swap."""
        if content_sha(left) == disk.intent_sha:
            return True
        if content_sha(left) == disk.base_sha:
            return False  # somebody may be about to write into it
        stamp = self._roots.stamp(path)
        now = content_sha(self._roots.read(path)[0]) if stamp is not None else None
        if now == disk.base_sha:
            return True
        half = left.decode(errors="ignore").removeprefix("\ufeff").replace("\r\n", "\n")
        return now != disk.intent_sha and text_of(disk.intent or b"").startswith(half)

    async def _look_at_spare(self, path: str, id: str) -> Look:
        look = await anyio.to_thread.run_sync(self._roots.spare, path, id)
        if look is None:
            raise Unavailable(f"{path} was changed by another program; it is tried again.")
        return look

    def watch(
        self,
        documents: Documents,
        id: str,
        path: str,
        disk: FileRecord,
        base_text: str,
        out: tuple[int, bytes],
        file_of: Callable[[str], KnownFile],
    ) -> None:
        """Keep what was pushed out, an open file, in sight: a program may write into it yet."""
        descriptor, data = out

        async def rescue(out: bytes) -> None:
            file = file_of(id)
            async with file.lock:
                await self.rescue(documents, id, path, out, disk, file, record=False)

        self._leftovers.watch(
            descriptor,
            data,
            lambda out: cuts_short(out, base_text, disk.base_sha),
            rescue,
        )

    async def rescue(
        self,
        documents: Documents,
        id: str,
        path: str,
        out: bytes,
        disk: FileRecord,
        file: KnownFile,
        *,
        record: bool = True,
    ) -> Held | None:
        """Merge what a swap pushed out; what is no text is kept beside the note.

        What became of it is on record in the same step, as long as the intent of the swap is.
        """
        try:
            text, _ = endings.decode(out)
        except Unreadable:
            await anyio.to_thread.run_sync(keep_conflict_copy, self._roots, path, id, self._today())
            return None
        origin = await file.made_from(disk, text)
        made_from = replace(disk, base_sha=content_sha(out), base=origin.base)
        ingested = await documents.ingest(
            id, made_from, text, FILE_ACTOR, record=record, edits=origin.edits
        )
        return Held(ingested.base, text, self._caution.clock())
