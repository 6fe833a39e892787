"""What another program saved, merged into the live document: the way in from a file (`sync`)."""

from dataclasses import replace

import anyio.to_thread

from commonplace.core.text import endings
from commonplace.core.text.truncation import deletes_much
from commonplace.vault.documents.documents import Documents
from commonplace.vault.documents.engine.replica import text_of
from commonplace.vault.documents.file import versions
from commonplace.vault.documents.file.known_file import (
    FILE_ACTOR,
    KnownFile,
    Save,
    SaveListener,
    cuts_short,
    stamp_of,
    stamped,
)
from commonplace.vault.documents.file.spares import Spares
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.files.reader import Look, Stamp, content_sha
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.log import FileRecord, Log


class Intake:
    """Takes files in that are not as we left them; `heard` is told of each save."""

    def __init__(
        self, roots: Roots, log: Log, caution: Caution, spares: Spares, heard: SaveListener | None
    ) -> None:
        self._roots = roots
        self._log = log
        self._caution = caution
        self._spares = spares
        self._heard = heard

    async def take_in(self, documents: Documents, id: str, file: KnownFile, path: str) -> bool:
        """Merge what other programs did to the file; return whether they wrote it at all.

        If they wrote what it held, the index may have seen it in the middle of that.
        """
        if file.disk is None:
            file.disk, file.restored = await self._log.disk(id), True
        if (disk := file.disk) is None:
            return False  # never live: it will be imported as it is
        if disk.intent is not None:
            await self._spares.finish_swap(documents, id, file, path, disk)
        looked = self._caution.clock()
        stamp = await anyio.to_thread.run_sync(self._roots.stamp, path)
        if stamp is None or (file.form is not None and stamp == stamp_of(disk)):
            file.before = versions.recent(file.before, looked)
            return False
        data, stamp = await self._read_believed(path, disk, file)
        text, form = endings.decode(data)
        sha = content_sha(data)
        written = stamp.mtime_ns / 1e9
        disk = stamped(versions.settled_intent(disk, sha, text, written), stamp)
        changed = sha != disk.base_sha
        if changed:
            if file.restored:
                file.before += versions.remembered(disk, written, self._caution.clock())
            disk = await self._merge(documents, id, file, replace(disk, base_sha=sha), text)
            if deletes_much(file.base_text, text):
                # If it was half of a save after all, the rest is new text: what the file held
                # before it is deleted, and nothing can be merged with that any more.
                file.before.clear()
                disk = replace(disk, before=None)
        elif disk != file.disk:
            await self._log.put_disk(id, disk)
        file.disk, file.form, file.base_text = disk, form, text
        file.before = versions.recent(file.before, looked)
        file.restored = file.restored and not changed
        return True

    async def _merge(
        self, documents: Documents, id: str, file: KnownFile, disk: FileRecord, text: str
    ) -> FileRecord:
        """Merge a text that was saved with what came since its program read the file."""
        origin = await file.made_from(disk, text)
        if origin.doubts:
            disk = replace(disk, seq=0)  # whether or not it changes the document, it is behind
        made_from = replace(disk, base=origin.base)
        ingested = await documents.ingest(id, made_from, text, FILE_ACTOR, edits=origin.edits)
        if self._heard is not None:
            await self._heard(Save(id, text, origin))
        return replace(disk, base=ingested.base)

    async def _read_believed(
        self, path: str, disk: FileRecord, file: KnownFile
    ) -> tuple[bytes, Stamp]:
        """Read a file; if it is not as we left it, once its writer is done."""
        ours = (disk.base_sha, disk.intent_sha)
        base_text = file.base_text if file.form is not None else text_of(disk.base)

        async def look() -> Look:
            found = await anyio.to_thread.run_sync(self._roots.look, path)
            return found._replace(held=False) if content_sha(found.data) in ours else found

        found = await self._caution.believe(
            look, lambda data: cuts_short(data, base_text, *ours), file.seen
        )
        if content_sha(found.data) not in ours:
            await anyio.to_thread.run_sync(self._roots.keep_found, path, found.data, found.stamp)
        return found.data, found.stamp
