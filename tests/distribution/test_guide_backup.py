"""The guide's way to back up and restore one machine: with its own commands, while it works."""

import shutil
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.vault.history.history import RevisionFilter
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.distribution.guide_backup import run_block
from tests.wait import holds

pytestmark = pytest.mark.anyio

needs_sqlite = pytest.mark.skipif(not shutil.which("sqlite3"), reason="sqlite3 is not installed")


@needs_sqlite
async def test_what_the_guide_says_brings_everything_back(tmp_path: Path) -> None:
    notes, copies = tmp_path / "one" / "Notes", tmp_path / "copies"
    notes.mkdir(parents=True)
    copies.mkdir()
    (notes / "a.md").write_text("It begins here.\n")
    state = tmp_path / "one" / "state"
    async with open_vault(Settings((Root("Notes", notes),), state)) as vault:
        await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "Saved. ")], "person:Ann")
        document = await vault.timeline.document("a.md")
        await vault.recorder.settle(document)
        _, secret = await vault.tokens.create("Ada", "write")
        await holds(notes / "a.md", "Saved. It begins here.\n")
        run_block("One machine", 0, copies, notes, STATE=str(state))
        await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "Too late. ")], "person:Ann")
    back, other = tmp_path / "two" / "Notes", tmp_path / "two" / "state"
    run_block("One machine", 1, copies, back, STATE=str(other))
    async with open_vault(Settings((Root("Notes", back),), other)) as vault:
        await vault.indexer.settled()
        assert await vault.texts.marked("a.md") == "Saved. It begins here.\n"
        assert await vault.timeline.document("a.md") == document
        assert await vault.tokens.verify(secret) is not None
        actors = {each.actor for each in await vault.history.revisions(RevisionFilter(document))}
        assert "person:Ann" in actors
