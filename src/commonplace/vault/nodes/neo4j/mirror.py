"""The follower that keeps a vault's notes in a database, so that people can ask it in Cypher.

The vault stays the truth, and the graph tools go on answering from it. A change is copied within a
moment. After a start, after a build of the index and after the database was away, both are compared
by fingerprints and what differs is copied: it continues where it was, whoever was killed.
"""

import logging
import time
from collections.abc import Callable, Collection

import anyio

from commonplace.errors import CommonplaceError
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.nodes.neo4j.connection import Database
from commonplace.vault.nodes.neo4j.replica import MirrorWriter, ReportProgress
from commonplace.vault.nodes.neo4j.source import VaultSource
from commonplace.vault.vault import Vault

COMPARED_FROM = 5_000
"""More changes than these are found by a comparison, not remembered one by one."""

TOLD_FROM = 1_000
"""Less than this, two for each note, is copied without a word."""

SECONDS_BETWEEN_LINES = 2.0

_PAUSES = (0.5, 1.0, 2.0, 5.0, 15.0)

logger = logging.getLogger(__name__)


class Mirror:
    """A vault's copy in a database."""

    def __init__(self, vault: Vault, database: Database) -> None:
        self._vault = vault
        self._source = VaultSource(vault.settings.state, vault.texts.of_note)
        self._replica = MirrorWriter(database, self._source)
        self._changed: dict[str, None] = {}
        self._moved: dict[str, str] = {}
        self._compare = True
        self._woken = anyio.Event()
        self._lines = ProgressLines()
        self.problem: str | None = None

    async def run(self, progress: ReportProgress | None = None) -> None:
        """Follow the vault until cancelled."""
        stops = [
            self._vault.contents.follow(self._heard),
            self._vault.indexer.graph.follow(self._relinked),
        ]
        try:
            await self._vault.indexer.settled()
            failures = 0
            while True:
                try:
                    await self._catch_up(progress)
                except CommonplaceError as error:
                    if str(error) != self.problem:
                        logger.warning("The mirror waits: %s", error)
                    self.problem = str(error)
                    await anyio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
                    failures += 1
                    continue
                if self.problem:
                    logger.warning("The mirror goes on.")
                failures, self.problem = 0, None
                await self._woken.wait()
        finally:
            for stop in stops:
                stop()

    def close(self) -> None:
        """Let go of the index."""
        self._source.close()

    # -- hearing

    def _heard(self, change: NoteChange) -> None:
        self._changed[change.path] = None
        if change.was is not None:
            self._moved[change.path] = change.was
            self._changed[change.was] = None
        self._wake()

    def _relinked(self, notes: Collection[int] | None) -> None:
        if notes is None:
            self._compare = True
        else:
            paths = self._vault.contents.catalog.paths_of(notes)
            self._changed |= dict.fromkeys(paths)
        self._wake()

    def _wake(self) -> None:
        if len(self._changed) > COMPARED_FROM:
            self._compare = True
        self._woken.set()

    # -- copying

    async def _catch_up(self, progress: ReportProgress | None) -> None:
        while self._compare or self._changed:
            self._woken = anyio.Event()
            compare, changed, moved = self._compare, self._changed, self._moved
            self._compare, self._changed, self._moved = False, {}, {}
            try:
                if compare:
                    changed |= dict.fromkeys(await self._replica.differences())
                await self._replica.put(changed, moved, progress or self._lines)
            except BaseException:
                self._compare = True  # some of it may have been written
                raise


class ProgressLines:
    """Says now and then how far a copy of many notes has come, and when all are there.

    Like the rest that the mirror tells, on the level that everybody sees: a first load of a large
    vault takes minutes, in which the database answers for part of it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told = clock()
        self._long = False

    def __call__(self, done: int, todo: int) -> None:
        """Take in that so much of so much is copied."""
        if done >= todo:
            if self._long:
                logger.warning("Mirroring: all notes are there.")
            self._long = False
        elif todo > TOLD_FROM and self._clock() - self._told >= SECONDS_BETWEEN_LINES:
            self._told, self._long = self._clock(), True
            logger.warning("Mirroring: %d %%", done * 100 // todo)
