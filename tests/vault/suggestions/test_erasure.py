"""A passage is forgotten in the ledger, and with the way back of decisions that held it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.history import MASK
from commonplace.errors import NotFound
from commonplace.vault.open import open_vault
from commonplace.vault.suggestions.erasure import reads
from commonplace.vault.suggestions.review import Verdict
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import edit, settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"a.md": "A red house.\n", "b.md": "A red barn.\n"})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def decided(vault: Vault, path: str, new: str, verdict: Verdict = "accept") -> str:
    await edit(vault, path, "red", new)
    ids = [one.id for one in await vault.pending.listed(path)]
    return (await vault.review.decide(verdict, {path: ids}, "Ann")).undo


async def test_a_row_stays_and_does_not_say_it(vault: Vault) -> None:
    undo = await decided(vault, "a.md", "secret green")
    other = await decided(vault, "b.md", "blue")
    await vault.timeline.forget("secret", "")
    rows = {one.path: one.new for one in vault.ledger.decisions(10)}
    assert rows == {"a.md": f"{MASK * 6} green", "b.md": "blue"}
    with pytest.raises(NotFound):
        await vault.review.undo(undo)
    assert await vault.review.undo(other) == 1


async def test_of_one_note_alone_if_it_is_asked_so(vault: Vault) -> None:
    await decided(vault, "a.md", "secret", "reject")
    await decided(vault, "b.md", "secret", "reject")
    await vault.timeline.forget("secret", "b.md")
    assert {one.path: one.new for one in vault.ledger.decisions(10)} == {
        "a.md": "secret",
        "b.md": MASK * 6,
    }


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("a red house", True),
        ("a {++red++} house", True),
        ("a red {--house--}{++barn++}", True),
        ("a {--blue--}{++red++} {>>no<<}house", True),
        ("a {++red++}house", False),
    ],
)
def test_a_passage_is_found_among_marks(marked: str, found: bool) -> None:
    assert reads(marked, "red house") == found
