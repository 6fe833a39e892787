"""Loads documents from their log, however long or hostile their history is.

A long history is joined and timed in a process of its own first. One that takes too long even so
(it was poisoned before updates were tried) is given up: the document begins anew, in a new epoch,
with the text that it had. The old history stays in the log under another name.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from commonplace.core.text.merge import merge3
from commonplace.core.yjs.encoding import LargeUpdate
from commonplace.errors import CommonplaceError
from commonplace.vault.documents.saver import Live
from commonplace.vault.documents.trial_worker import Slow
from commonplace.vault.documents.trials import Trials
from commonplace.vault.log.log import FileRecord, Log, Replay

LARGE_MIN = 1024 * 1024  # bytes of history from which reading it would hold up everybody else

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class First:
    """The text that a document starts from, and the file it came from."""

    text: str
    actor: str
    disk: FileRecord | None = None


FirstText = Callable[[str], Awaitable[First | None]]


class Replays:
    """Reads the log for live documents."""

    def __init__(self, log: Log, trials: Trials, first: FirstText | None) -> None:
        self._log = log
        self._trials = trials
        self._first = first

    async def load(self, live: Live, kept: Replay, *, alone: bool) -> None:
        """Load a document; `Slow` if that would hold up everybody else for long.

        Only a document that nobody else has may be loaded in a thread.
        """
        in_thread = alone and sum(map(len, kept.updates)) > LARGE_MIN
        try:
            await _load(live, kept, tried=False, in_thread=in_thread)
        except LargeUpdate:
            joined = await self._trials.join(live.document.id, kept.updates)
            kept = replace(kept, updates=(joined.update,))
            await _load(live, kept, tried=True, in_thread=alone)

    async def restart(self, id: str, kept: Replay) -> str | None:
        """Give up a history; return the text that the document had, if that can be read."""
        text = await self._text(id, kept.updates)
        merged = None if text is None else await self._with_file(id, text)
        epoch = await self._log.restart(id)
        _logger.warning(
            "The history of document %s takes too long to replay. It begins anew with %s;"
            " the old history is kept in the log as %s~%d.",
            id,
            "the text of its file" if merged is None else "the text that it had",
            id,
            epoch - 1,
        )
        return merged

    def close(self) -> None:
        """End the process that tries histories."""
        self._trials.close()

    async def _with_file(self, id: str, text: str) -> str:
        """Return the text with what another program did to the file meanwhile."""
        disk = await self._log.disk(id)
        first = await self._first(id) if self._first else None
        if disk is None or first is None or first.disk is None:
            return text
        if first.disk.base_sha in (disk.base_sha, disk.intent_sha):
            return text
        base = await self._text(id, [disk.base])
        return first.text if base is None else merge3(base, text, first.text)

    async def _text(self, id: str, updates: tuple[bytes, ...] | list[bytes]) -> str | None:
        try:
            return await self._trials.read_text(id, updates)
        except Slow:
            return None
        except CommonplaceError as error:
            _logger.warning("The history of document %s cannot be read: %s", id, error)
            return None


async def _load(live: Live, kept: Replay, *, tried: bool, in_thread: bool) -> None:
    if in_thread:
        await asyncio.to_thread(live.load, kept, tried=tried)
    else:
        live.load(kept, tried=tried)
