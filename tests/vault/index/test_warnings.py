"""What is amiss in notes is told once, and again when the note changed."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.index.warnings import WARNINGS_MAX, Warnings
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio
NOTES: dict[str, str | bytes] = {
    "a.md": "---\ntags: [x, X]\n---\n[[nowhere]] ![[gone]] [x](no.md) [[b]]\n",
    "b.md": "---\na: [\n---\nfine\n",
    "bad.md": b"\xff\xfe\x00",
    "many.md": " ".join(f"[[n{number}]]" for number in range(WARNINGS_MAX + 5)),
    "good.md": "[[a]]\n",
}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        yield vault


async def test_each_fault_is_told_once(vault: Vault) -> None:
    warnings = Warnings(vault.index)
    assert warnings.tell(["a.md"]) == [
        "Broken link: [[nowhere]]",
        "Broken link: ![[gone]]",
        "Broken link: […](no.md)",
        "Duplicate tag ignored: X",
    ]
    assert warnings.tell(["a.md"]) == []
    assert warnings.tell(["good.md", "none.md"]) == []


async def test_of_several_notes_each_is_named(vault: Vault) -> None:
    told = Warnings(vault.index).tell(["b.md", "bad.md", "b.md"])
    assert [line.partition(":")[0] for line in told] == ["b.md", "bad.md"]
    assert "not valid YAML" in told[0]
    assert "Unreadable" in told[1]


async def test_a_note_that_changed_is_looked_at_anew(vault: Vault) -> None:
    warnings = Warnings(vault.index)
    warnings.tell(["a.md"])
    warnings.heard(NoteChange("a.md", "changed"))
    assert len(warnings.tell(["a.md"])) == 4


async def test_a_link_that_breaks_later_is_news_alone(vault: Vault, tmp_path: Path) -> None:
    warnings = Warnings(vault.index)
    warnings.tell(["good.md"])
    (tmp_path / "vault/a.md").unlink()
    await vault.indexer.refresh()
    assert warnings.tell(["good.md"]) == ["Broken link: [[a]]"]


async def test_very_many_are_cut_and_said_so(vault: Vault) -> None:
    told = Warnings(vault.index).tell(["many.md"])
    assert len(told) == WARNINGS_MAX + 1
    assert told[-1] == "More links are broken; get_links lists them."
