"""What a node does while another owns the vault: it keeps its copy of the files and its index warm.

Whoever takes over brings both up to date; the less they differ, the sooner it can answer.
"""

import os

import anyio
import anyio.to_thread

from commonplace.vault.databases import named_alike
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.indexer import Indexer
from commonplace.vault.index.mirror import Contents
from commonplace.vault.index.reader import Index
from commonplace.vault.postgres.pool import Pool
from commonplace.vault.settings import Settings
from commonplace.vault.team_files.standby import StandbyCopy

_LOOK_SECONDS = 1.0


async def stand_by(settings: Settings, pool: Pool, vault: str) -> None:
    """Follow the vault's files until cancelled; raises what keeps it from that."""
    settings = await anyio.to_thread.run_sync(named_alike, settings, pool, vault)
    copy = StandbyCopy(pool, vault, settings)
    roots, index = Roots(settings), Index(settings.state)
    indexer = Indexer(settings, roots, Contents(index.unread_corpus()))
    try:
        await copy.bring_up_to_date()
        await indexer.refresh()
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            if changed := await copy.bring_up_to_date():
                await indexer.update([os.fsdecode(path) for path in changed])
    finally:
        indexer.close()
        index.close()
        roots.close()
        copy.close()
