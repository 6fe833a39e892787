"""What became of each change of a set, the way history tells it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.sets.outcomes import EXCERPT_CHARS_MAX, outcomes
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import create, delete, edit, everything, settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"a.md": "A red house.\n", "b.md": "Blue.\n"})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def rows(vault: Vault) -> list[tuple[object, ...]]:
    found = outcomes(await vault.sets.reader.get(1))
    return [(row["path"], row["kind"], row["state"], row["who"], row["reason"]) for row in found]


async def test_each_change_has_a_row_in_the_order_of_notes(vault: Vault) -> None:
    await edit(vault, "b.md", "Blue", "Green")
    await edit(vault, "a.md", "red", "green")
    await create(vault, "New.md", "New.\n")
    await delete(vault, "b.md")
    assert await rows(vault) == [
        ("New.md", "create", "waiting", "", ""),
        ("a.md", "suggestion", "waiting", "", ""),
        ("b.md", "suggestion", "waiting", "", ""),
        ("b.md", "delete", "waiting", "", ""),
    ]
    found = await everything(vault)
    new = min(found.writes)
    await vault.sets.decisions.decide(
        1, "reject", Chosen({"a.md": found.changes["a.md"]}, [new]), "Ann", "no need"
    )
    assert sorted(await rows(vault))[:2] == [
        ("New.md", "create", "rejected", "", "no need"),
        ("a.md", "suggestion", "rejected", "Ann", "no need"),
    ]


async def test_long_texts_are_cut_to_one_line(vault: Vault) -> None:
    await edit(vault, "a.md", "A red house.\n", "one\ntwo " + "x" * 1000 + "\n")
    (row,) = outcomes(await vault.sets.reader.get(1))
    assert "\n" not in str(row["new"])
    assert len(str(row["new"])) <= EXCERPT_CHARS_MAX + 1
