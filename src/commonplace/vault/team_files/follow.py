"""Lets the store follow what other programs do to the files of the node that owns the vault.

Hints tell where to look, and a rescan finds what they missed. A file that is being written is
looked at again in a moment, and one that is missing counts as deleted only after a while. Where
very many vanish at once, none of them is taken out of the store: rather a copy that somebody threw
away comes back than a vault is emptied.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import anyio
import anyio.to_thread

from commonplace.errors import CommonplaceError
from commonplace.vault.files.reader import reason
from commonplace.vault.team_files.team_copy import TeamCopy
from commonplace.vault.team_files.team_copy_files import shown

_RESCAN_SECONDS = 60.0
GONE_SECONDS = 2.0
_AGAIN_SECONDS = 0.5

_logger = logging.getLogger(__name__)


class Follower:
    """Looks at files that other programs may have changed."""

    def __init__(self, copy: TeamCopy, clock: Callable[[], float] = time.monotonic) -> None:
        self._copy = copy
        self._clock = clock
        self._hinted: set[bytes] = set()
        self._missing: dict[bytes, float] = {}
        self._told = anyio.Event()
        self._complained: set[bytes] = set()

    def hint(self, paths: Iterable[str]) -> None:
        """Hear of vault paths, files or folders, that may have changed."""
        self._hinted.update(map(os.fsencode, paths))
        self._told.set()

    async def run(self) -> None:
        """Look at what is hinted at, and at everything from time to time, until cancelled.

        At first, what earlier owners left in the store is cleared away.
        """
        with suppress(CommonplaceError):  # the next owner does it too
            await self._copy.store.sweep()
        rescan = self._clock() + _RESCAN_SECONDS
        while True:
            waits = bool(self._missing or self._copy.doubtful)
            pause = _AGAIN_SECONDS if waits else max(0.0, rescan - self._clock())
            with anyio.move_on_after(pause):
                await self._told.wait()
            self._told = anyio.Event()
            hinted, self._hinted = self._hinted, set()
            if self._clock() >= rescan:
                hinted = {b""}
                rescan = self._clock() + _RESCAN_SECONDS
            await anyio.to_thread.run_sync(self.look, hinted)

    def look(self, hinted: Iterable[bytes]) -> None:
        """Look at files and folders, and again at what was in doubt."""
        doubtful, self._copy.doubtful = self._copy.doubtful, set()
        paths = {*doubtful, *self._missing}
        for hint in hinted:
            try:
                paths |= {each.path for each in self._copy.files.walk(hint)}
                paths |= self._known_below(hint)
            except OSError as error:
                self._complain(hint, error)
        for path in paths:
            self._look_at(path)
        self._take_out()
        with suppress(CommonplaceError):  # the next owner sweeps too
            self._copy.drop_unneeded()

    def _known_below(self, hint: bytes) -> set[bytes]:
        """Return the files that both had at a path, or beneath it."""
        if hint and self._copy.agreed.get(hint) is not None:
            return {hint}
        if hint and self._copy.files.find(hint) is not None:
            return set()
        return self._copy.agreed.below(hint)

    def _look_at(self, path: bytes) -> None:
        try:
            if self._copy.take_in(path, gone=False):
                self._missing.pop(path, None)
            elif self._copy.files.find(path) is None:
                self._missing.setdefault(path, self._clock())
            else:
                self._missing.pop(path, None)
                self._copy.doubtful.add(path)
        except (CommonplaceError, OSError) as error:
            self._copy.doubtful.add(path)
            self._complain(path, error)

    def _take_out(self) -> None:
        """Take out of the store what is gone for good."""
        due = self._clock() - GONE_SECONDS
        gone = [path for path, since in self._missing.items() if since <= due]
        if not gone or not self._copy.files.present:
            return
        if self._copy.agreed.are_very_many(len(self._missing)):
            _logger.warning(
                "%d files vanished from this node's folder at once. The database keeps them: they"
                " come back when the vault is opened again.",
                len(self._missing),
            )
            self._missing.clear()
            return
        for path in gone:
            del self._missing[path]
            try:
                self._copy.take_in(path, gone=True)
            except (CommonplaceError, OSError) as error:
                self._copy.doubtful.add(path)
                self._complain(path, error)

    def _complain(self, path: bytes, error: CommonplaceError | OSError) -> None:
        if path not in self._complained:
            self._complained.add(path)
            why = reason(error) if isinstance(error, OSError) else str(error)
            _logger.warning("%s is not kept in the database yet: %s", shown(path), why)
