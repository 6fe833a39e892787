"""How a vault is doing, in numbers that are at hand."""

from pathlib import Path

import pytest

from commonplace.server.metrics.counts import Counters
from commonplace.server.metrics.text import Family
from commonplace.server.metrics.vault_metrics import Sockets, follower_families, owner_families
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

pytestmark = pytest.mark.anyio


def values(families: list[Family]) -> dict[str, float]:
    """All numbers by name and the word of their last label."""
    return {
        " ".join([family.name, *(value for _, value in sample.labels)]): sample.value
        for family in families
        for sample in family.samples
    }


async def test_an_owner_tells_of_its_vault_and_its_sockets(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/a.md").write_text("one")
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        counters = Counters()
        counters.add_edit("person:Ada")
        found = values(owner_families(vault, counters, Sockets(5, 1), None))
    assert found["commonplace_documents"] == 0
    assert found["commonplace_sockets"] == 5
    assert found["commonplace_sockets_behind"] == 1
    assert found["commonplace_edits_total person"] == 1
    assert {found[f"commonplace_failing {part}"] for part in ("log", "files", "index")} == {0}
    assert found["commonplace_queue_length index"] == 0
    assert not any("lease" in name for name in found)


def test_who_passes_everybody_on_names_the_vault_in_each_line() -> None:
    families = follower_families("team", 7, 3)
    assert {dict(s.labels)["vault"] for each in families for s in each.samples} == {"team"}
    found = values(families)
    assert found["commonplace_connections_passed_on team"] == 3
    assert found["commonplace_lease_fence team"] == 7
    assert found["commonplace_lease_held team"] == 0
