"""What is known of one document's file, and whether a content found in it is cut short."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import anyio
import anyio.to_thread

from commonplace.core.text import endings
from commonplace.core.text.endings import FileForm
from commonplace.core.text.truncation import deletes_much
from commonplace.errors import Unreadable
from commonplace.vault.documents.engine.replica import text_of
from commonplace.vault.documents.file import versions
from commonplace.vault.documents.file.stable_read import LastLook
from commonplace.vault.documents.file.versions import Held, Origin
from commonplace.vault.files.reader import Stamp, content_sha
from commonplace.vault.log.log import FileRecord

FILE_ACTOR = "file"


@dataclass(frozen=True, slots=True)
class Save:
    """What another program saved, and what it decided by that."""

    id: str
    text: str
    origin: Origin


SaveListener = Callable[[Save], Awaitable[None]]


@dataclass(slots=True)
class KnownFile:
    """What is known of one document's file; `form` and `base_text` once it was read.

    `before` are the states that the file held before we last wrote it; `restored`, whether the last
    of them is on record alone, from before a restart; `swapped`, whether what
    lies beside it is known to have come out of a swap; `held_since`, since when another program
    keeps us from writing.
    """

    disk: FileRecord | None = None
    form: FileForm | None = None
    base_text: str = ""
    before: list[Held] = field(default_factory=list[Held])
    seen: LastLook = field(default_factory=LastLook)
    restored: bool = False
    ageing: bool = False
    swapped: bool = False
    held_since: float | None = None
    lock: anyio.Lock = field(default_factory=anyio.Lock)

    async def made_from(self, disk: FileRecord, text: str) -> Origin:
        """Tell from which state another program made its text."""
        return await anyio.to_thread.run_sync(
            versions.made_from, disk.base, text_of(disk.base), tuple(self.before), text
        )


def cuts_short(data: bytes, base_text: str, *ours: bytes | None) -> bool:
    """Tell whether a content that is none of ours deletes much, or is no text."""
    if content_sha(data) in ours:
        return False
    try:
        return deletes_much(base_text, endings.decode(data)[0])
    except Unreadable:
        return True  # it may end in the middle of a character


def stamped(disk: FileRecord, stamp: Stamp) -> FileRecord:
    """Note what the file looked like from outside."""
    return replace(disk, mtime_ns=stamp.mtime_ns, size=stamp.size, inode=stamp.inode)


def stamp_of(disk: FileRecord) -> Stamp:
    """Return what the file looked like from outside."""
    return Stamp(disk.mtime_ns, disk.size, disk.inode)
