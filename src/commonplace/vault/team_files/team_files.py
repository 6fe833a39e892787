"""The files of a team's vault on the node that owns it: the store, its copy here, who follows."""

from dataclasses import dataclass
from datetime import date
from typing import Self

import anyio.to_thread

from commonplace.vault.lease.lease import Lease
from commonplace.vault.postgres.pool import Pool
from commonplace.vault.settings import Settings
from commonplace.vault.team_files.catch_up import catch_up
from commonplace.vault.team_files.follow import Follower
from commonplace.vault.team_files.store import FileStore
from commonplace.vault.team_files.synced_files import AGREED, SyncedFiles
from commonplace.vault.team_files.team_copy import TeamCopy
from commonplace.vault.team_files.team_copy_files import TeamCopyFiles


@dataclass(frozen=True, slots=True)
class TeamFiles:
    """What is open for as long as the vault is."""

    copy: TeamCopy
    follower: Follower

    @classmethod
    async def open(cls, source: str | Pool, lease: Lease, settings: Settings) -> Self:
        """Bring the folder of this node to what the database has, and keep both in step."""
        store = await anyio.to_thread.run_sync(FileStore, source, lease)
        lease.follow(store.sever)
        settings.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy = TeamCopy(store, TeamCopyFiles(settings), SyncedFiles(settings.state / AGREED))
        try:
            await catch_up(copy, lease.fence, date.today())  # noqa: DTZ011 (a name for people)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await copy.close()
            raise
        return cls(copy, Follower(copy))

    async def close(self) -> None:
        """Save what waits, then let go."""
        await self.copy.close()
