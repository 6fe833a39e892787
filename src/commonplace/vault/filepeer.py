"""The file as one more peer of a live document, both ways.

`base` is the state whose text the file had when file and document last agreed.

*In*: a file that differs from the base was saved by another program. What changed between base
and file is merged into the document, character by character; nobody's edit is taken back.

*Out*: the document's text is swapped into place. What comes out of the swap is the base, or
something that another program wrote a moment ago: then that is merged as well, and the file is
written again. The intent is on record before the swap, so that after a crash in between it is
known which of the two the file holds.

A file that is not text any more is left alone; what was typed goes to a conflict copy.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from time import monotonic, time_ns

import anyio
import anyio.to_thread

from commonplace.core import edits, endings
from commonplace.core.endings import Form
from commonplace.errors import Conflict, Unavailable, Unreadable
from commonplace.vault.disk import Stamp, reason
from commonplace.vault.engine import text_of
from commonplace.vault.live import Documents, First, Settled
from commonplace.vault.log import THIS_UPDATE, Disk, Log
from commonplace.vault.roots import Roots

ACTOR = "file"
OVERLAP_SECONDS = 2.0
# A program that writes in place empties the file first: what it holds is believed when it has
# been so for a moment, or is believed in the end.
SETTLE_SECONDS = 0.05
SETTLE_SECONDS_MAX = 1.0
_ROUNDS_MAX = 20
_COPIES_MAX = 1000

PathOf = Callable[[str], Awaitable[str | None]]


def content_sha(data: bytes) -> bytes:
    """Tell one content of a file from another."""
    return hashlib.blake2b(data, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class _Previous:
    """What the file held before we last wrote it, and when that was."""

    base: bytes
    text: str
    time: float


@dataclass(slots=True)
class _File:
    """What is known of one document's file; `form` and `base_text` once it was read."""

    disk: Disk | None = None
    form: Form | None = None
    base_text: str = ""
    previous: _Previous | None = None
    lock: anyio.Lock = field(default_factory=anyio.Lock)


class FilePeer:
    """Keeps documents and their files in agreement."""

    def __init__(self, roots: Roots, log: Log, path_of: PathOf, today: Callable[[], date]) -> None:
        self._roots = roots
        self._log = log
        self._path_of = path_of
        self._today = today
        self._files: dict[str, _File] = {}

    async def first(self, id: str) -> First | None:
        """Give the text that a document begins with: its file's."""
        path = await self._path_of(id)
        if path is None:
            return None
        data, stamp = await anyio.to_thread.run_sync(self._roots.read, path)
        text, form = endings.decode(data)
        self._files[id] = file = self._files.get(id) or _File()
        file.disk, file.form, file.base_text = None, form, text
        return First(text, ACTOR, _stamped(Disk(content_sha(data), b"", seq=THIS_UPDATE), stamp))

    def forget(self, id: str) -> None:
        """Let go of a document that is no longer live."""
        self._files.pop(id, None)

    @asynccontextmanager
    async def hold(self, id: str) -> AsyncGenerator[None]:
        """Neither read nor write a document's file while it gets another name."""
        async with self._files.setdefault(id, _File()).lock:
            yield

    async def take_in(self, documents: Documents, id: str) -> bool:
        """Merge what other programs did to the file; whether they did anything."""
        file = self._files.setdefault(id, _File())
        async with file.lock:
            path = await self._path_of(id)
            return path is not None and await self._take_in(documents, id, file, path)

    async def write_out(self, documents: Documents, id: str) -> bool:
        """Bring the file to the document's text; False when the note is gone and stays so."""
        file = self._files.setdefault(id, _File())
        async with file.lock:
            for _ in range(_ROUNDS_MAX):
                path = await self._path_of(id)
                if path is None:
                    return False
                await self._take_in(documents, id, file, path)
                now = await documents.settled(id)
                if await self._agrees(id, file, now) or await self._swap(
                    documents, id, file, path, now
                ):
                    return True
        raise Unavailable("The file is being rewritten by another program; it is tried again.")

    async def in_step(self, documents: Documents, id: str) -> bool:
        """Tell whether the log, replayed, has the text that the file was last given."""
        disk = await self._log.disk(id)
        return disk is None or (await documents.settled(id)).text == text_of(disk.base)

    async def recover(self, documents: Documents, id: str) -> None:
        """Finish what a crash cut short: a swap half done, edits that never reached the file."""
        await self.write_out(documents, id)

    async def _finish_swap(
        self, documents: Documents, id: str, file: _File, path: str, disk: Disk
    ) -> None:
        """Look at what a swap pushed out that failed half way, or was cut short by a crash."""
        left = await anyio.to_thread.run_sync(self._roots.spare, path, id)
        if left is not None:
            if content_sha(left) not in (disk.base_sha, disk.intent_sha):
                await self._rescue(documents, id, path, left, disk, file)
            await anyio.to_thread.run_sync(self._roots.clear, path, id)

    async def _take_in(self, documents: Documents, id: str, file: _File, path: str) -> bool:
        disk = file.disk = file.disk or await self._log.disk(id)
        if disk is None:
            return False  # never live: it will be imported as it is
        if disk.intent is not None:
            await self._finish_swap(documents, id, file, path, disk)
        stamp = await anyio.to_thread.run_sync(self._roots.stamp, path)
        if stamp is None or (file.form is not None and stamp == _stamp(disk)):
            return False
        data, stamp = await self._read_settled(path, disk.base_sha)
        text, form = endings.decode(data)
        sha = content_sha(data)
        disk = _stamped(_settled_intent(disk, sha, text), stamp)
        changed = sha != disk.base_sha
        if changed:
            made_from = replace(disk, base_sha=sha, base=_made_from(file, disk, text))
            ingested = await documents.ingest(id, made_from, text, ACTOR)
            disk = replace(disk, base_sha=sha, base=ingested.base)
        elif disk != file.disk:
            await self._log.put_disk(id, disk)
        file.disk, file.form, file.base_text = disk, form, text
        return changed

    async def _read_settled(self, path: str, base_sha: bytes) -> tuple[bytes, Stamp]:
        """Read a file; if it is not as we left it, once its writer seems to be done."""
        end = monotonic() + SETTLE_SECONDS_MAX
        while True:
            data, stamp = await anyio.to_thread.run_sync(self._roots.read, path)
            age = time_ns() / 1e9 - stamp.mtime_ns / 1e9
            done = not 0 <= age < SETTLE_SECONDS or monotonic() > end
            if done or content_sha(data) == base_sha:
                return data, stamp
            await anyio.sleep(SETTLE_SECONDS - age)

    async def _agrees(self, id: str, file: _File, now: Settled) -> bool:
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
        file: _File,
        path: str,
        now: Settled,
    ) -> bool:
        """Put the text into the file; False if another program had written in the meantime."""
        form = file.form or Form()
        data = endings.encode(now.text, form, file.base_text)
        disk = replace(file.disk or Disk(b"", now.state), intent_sha=None, intent=None)
        intent = replace(disk, intent_sha=content_sha(data), intent=now.state)
        await self._log.put_disk(id, intent)
        file.disk = intent
        try:
            ours, stamp = await anyio.to_thread.run_sync(
                self._exchange, path, data, id, disk.base_sha
            )
        except FileNotFoundError:
            ours, stamp = True, await self._create(id, path, data)
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {reason(error)}.") from error
        previous = _Previous(disk.base, file.base_text, monotonic())
        if not ours:
            out = await self._settled_spare(path, id)
            rescued = await self._rescue(documents, id, path, out, intent, file)
            previous = rescued or previous  # its program has seen that, and not what we wrote
            await anyio.to_thread.run_sync(self._roots.clear, path, id)
        file.previous = previous
        file.disk = _stamped(Disk(content_sha(data), now.state, seq=now.seq), stamp)
        file.form, file.base_text = endings.decode(data)[1], now.text
        # The spare is gone by now: a crash after the record would leave the old text lying there.
        await self._log.put_disk(id, file.disk)
        return ours

    def _exchange(self, path: str, data: bytes, id: str, base_sha: bytes) -> tuple[bool, Stamp]:
        """Swap bytes into a file; whether what comes out is the base, which is cleared away."""
        out, stamp = self._roots.swap(path, data, id)
        ours = content_sha(out) == base_sha
        if ours:
            self._roots.clear(path, id)
        return ours, stamp

    async def _settled_spare(self, path: str, id: str) -> bytes:
        """Read what a swap pushed out, once the program that wrote it seems to be done."""
        end = monotonic() + SETTLE_SECONDS_MAX
        before = None
        while True:
            out = await anyio.to_thread.run_sync(self._roots.spare, path, id)
            if out is None:
                raise Unavailable(f"{path} was changed by another program; it is tried again.")
            if out == before or monotonic() > end:
                return out
            before = out
            await anyio.sleep(SETTLE_SECONDS)

    async def _create(self, id: str, path: str, data: bytes) -> Stamp:
        """Write a file that another program deleted while somebody typed: the words are kept."""
        try:
            return await anyio.to_thread.run_sync(self._roots.create, path, data, id)
        except Conflict:
            raise Unavailable(f"{path} appeared just now; it is tried again.") from None
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {reason(error)}.") from error

    async def _rescue(
        self,
        documents: Documents,
        id: str,
        path: str,
        out: bytes,
        disk: Disk,
        file: _File,
    ) -> _Previous | None:
        """Merge what a swap pushed out; what is no text is kept beside the note."""
        try:
            text, _ = endings.decode(out)
        except Unreadable:
            await anyio.to_thread.run_sync(self._keep_copy, path, out, id)
            return None
        made_from = replace(disk, base_sha=content_sha(out), base=_made_from(file, disk, text))
        ingested = await documents.ingest(id, made_from, text, ACTOR)
        return _Previous(ingested.base, text, monotonic())

    def _keep_copy(self, path: str, data: bytes, token: str) -> None:
        stem, _, ending = path.rpartition(".")
        for number in range(1, _COPIES_MAX):
            more = "" if number == 1 else f" {number}"
            name = f"{stem} (conflict {self._today().isoformat()}{more}).{ending}"
            try:
                self._roots.create(name, data, f"{token}-copy")
            except Conflict:
                continue
            return
        raise Unavailable(f"There are too many conflict copies of {path}; remove some.")


def _made_from(file: _File, disk: Disk, text: str) -> bytes:
    """Tell from which state another program made its text.

    One that read the file just before we wrote it, and saved just after, has not seen what we
    wrote. Its text is nearer to the file as it was; taken as a change of what we wrote, the save
    would take that back. A file put back exactly as it was is a wish, and is left so.
    """
    before = file.previous
    if before is None or monotonic() - before.time > OVERLAP_SECONDS or text == before.text:
        return disk.base
    nearer = _distance(before.text, text) < _distance(file.base_text, text)
    return before.base if nearer else disk.base


def _distance(before: str, after: str) -> tuple[int, int]:
    """Tell how far a text is from another: in lines, and of equally many in characters.

    Of two lines that two people add at one place, the one is often half of the other.
    """
    lines = Counter(before.splitlines())
    lines.subtract(after.splitlines())
    characters = sum(edit.end - edit.start + len(edit.text) for edit in edits.diff(before, after))
    return sum(map(abs, lines.values())), characters


def _settled_intent(disk: Disk, sha: bytes, text: str) -> Disk:
    """Settle which text the file was last given, when a swap may have been cut short."""
    if disk.intent is None or disk.intent_sha is None:
        return disk
    done = replace(disk, base_sha=disk.intent_sha, base=disk.intent, intent_sha=None, intent=None)
    undone = replace(disk, intent_sha=None, intent=None)
    if sha == disk.intent_sha:
        return done
    if sha == disk.base_sha:
        return undone
    # Another program wrote since: on top of the one that its text is nearer to.
    return min((undone, done), key=lambda one: _distance(text_of(one.base), text))


def _stamped(disk: Disk, stamp: Stamp) -> Disk:
    return replace(disk, mtime_ns=stamp.mtime_ns, size=stamp.size, inode=stamp.inode)


def _stamp(disk: Disk) -> Stamp:
    return Stamp(disk.mtime_ns, disk.size, disk.inode)
