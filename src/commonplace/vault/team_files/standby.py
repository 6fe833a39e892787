"""Keeps a node's copy of a team's files as the store has them, while another node owns the vault.

Nothing is written into the store. What other programs did in the copy is left as it is: that is for
`catch_up`, when the node takes the vault over, which then finds little to do.
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import anyio.to_thread

from commonplace.vault.files.reader import Stamp
from commonplace.vault.log.postgres_engine import schema_of
from commonplace.vault.postgres.connection import Connection
from commonplace.vault.postgres.pool import Pool, reading
from commonplace.vault.settings import Settings
from commonplace.vault.team_files import store
from commonplace.vault.team_files.catch_up import drop_our_spares, fetch
from commonplace.vault.team_files.differences import find_all, find_some
from commonplace.vault.team_files.store import KeptFile
from commonplace.vault.team_files.synced_files import AGREED, SyncedFiles
from commonplace.vault.team_files.team_copy_files import TeamCopyFiles

_LEFT = "This node's folder keeps them until it takes the vault over."

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class StoreReader:
    """The files of a vault, read without its lease: what is read may be old by then."""

    def __init__(self, source: str | Pool, vault: str) -> None:
        self._source = source
        self._schema = schema_of(vault)

    async def listed(self) -> tuple[int, dict[bytes, KeptFile]]:
        """List all files, and the number of the last change that is surely among them."""
        return await self._read(lambda db: (store.last_change(db), store.listed(db)))

    async def changes(self, since: int) -> tuple[int, dict[bytes, KeptFile | None]]:
        """Return files that changed after a number, and the number of the last of them."""
        return await self._read(partial(store.changes, since=since))

    async def sizes(self, shas: Sequence[bytes]) -> dict[bytes, int]:
        """Return how big contents are, by hash."""
        return await self._read(partial(store.sizes, shas=shas))

    async def contents(self, shas: Sequence[bytes]) -> dict[bytes, bytes]:
        """Read contents, by hash; those that were replaced meanwhile are left out."""
        return await self._read(partial(store.read_kept_contents, shas=shas))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        def read() -> T:
            with reading(self._source, self._schema) as connection:
                return work(connection)

        return await anyio.to_thread.run_sync(read)


class StandbyCopy:
    """The copy of a node that waits."""

    def __init__(self, source: str | Pool, vault: str, settings: Settings) -> None:
        self.store = StoreReader(source, vault)
        self.files = TeamCopyFiles(settings)
        self.agreed = SyncedFiles(settings.state / AGREED)
        self._last: int | None = None

    def close(self) -> None:
        """Let go of the folder."""
        self.agreed.close()
        self.files.close()

    async def bring_up_to_date(self) -> list[bytes]:
        """Change what changed in the store, the first time all that differs; return which files.

        A file that is changed again meanwhile may be left for the next time.

        Raises:
            Conflict: the folder holds other files, and never was a copy of this vault.
            Unavailable: the database does not answer, or a file cannot be written.

        """
        stored: dict[bytes, KeptFile | None]
        if self._last is None:
            last, listed = await self.store.listed()
            # While it is known what we wrote: that is forgotten once the files have changed again.
            await anyio.to_thread.run_sync(drop_our_spares, self)
            found = await anyio.to_thread.run_sync(find_all, self, listed)
        else:
            last, stored = await self.store.changes(self._last)
            found = await anyio.to_thread.run_sync(find_some, self, stored)
            listed = {path: kept for path, kept in stored.items() if kept is not None}
        gone = found.remove
        if self.agreed.are_very_many(len(gone)):
            # Of a database that was made anew, or restored: the copies may be all that is left.
            _logger.warning("%d files vanished from the database at once. %s", len(gone), _LEFT)
            gone = {}
        await anyio.to_thread.run_sync(self._remove, gone)
        await fetch(self, found.fetch, listed)
        self.agreed.put(found.alike)
        self.agreed.remove([*gone, *found.forget])
        self._last = last
        return [*gone, *found.fetch]

    def _remove(self, files: dict[bytes, Stamp]) -> None:
        for path, stamp in files.items():
            self.files.remove(path, stamp)
