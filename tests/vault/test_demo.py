"""The demo vault, which is the user guide: every link in it leads somewhere."""

from pathlib import Path

import pytest

from commonplace.core import critic
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

pytestmark = pytest.mark.anyio

DEMO = Path(__file__).parents[2] / "demo"


async def test_only_the_link_that_is_meant_to_lead_nowhere_does(tmp_path: Path) -> None:
    async with open_vault(Settings((Root("demo", DEMO),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        entries = await vault.listing.newest()
        assert len(entries) >= 40
        missing = {
            entry.path: found
            for entry in entries
            if (found := (await vault.listing.links(entry.path)).unresolved)
        }
        assert list(missing) == ["Guide/Unresolved links.md"]
        assert all(check.ok for check in await vault.health.diagnose())
        for entry in entries:
            assert not critic.suggestions(await vault.texts.marked(entry.path)), entry.path
