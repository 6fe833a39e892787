"""An index that is damaged is made anew: it is derived from the notes."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings

pytestmark = pytest.mark.anyio

PAGE_BYTES = 4096


@pytest.mark.parametrize("page", [0, 1, 2])
async def test_a_damaged_table_is_no_obstacle(
    make_settings: Callable[..., Settings], page: int
) -> None:
    settings = make_settings({f"n{at}.md": f"# N{at}\n\n[[n1]]\n" for at in range(5)})
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
    damage(settings.state / "index.db", page)
    async with open_vault(settings, follow=False) as vault:
        assert all(check.ok for check in await vault.health.diagnose())
    async with open_vault(settings) as vault:
        with anyio.fail_after(20):
            await vault.indexer.settled()
        assert vault.index.counts()["notes"] == 5


def damage(file: Path, page: int) -> None:
    """Write nonsense over one page."""
    data = bytearray(file.read_bytes())
    data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = b"\xff" * PAGE_BYTES
    file.write_bytes(data)
