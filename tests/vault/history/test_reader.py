"""A reader of twenty lines, which knows nothing of Commonplace, shows what a history says."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from commonplace.core.text.edits import diff
from commonplace.vault.history.history import RevisionFilter
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

pytestmark = pytest.mark.anyio

READER = Path(__file__).parents[3] / "docs" / "examples" / "read_history.py"


async def test_a_reader_of_twenty_lines_shows_every_revision(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/a.md").write_text("Ein Käse 😀.\n" * 30)
    random = Random(7)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await vault.write.create("b.md", "new\n", "assistant:Claude")
        for number in range(90):
            words = (await vault.texts.marked("a.md")).split(" ")
            words[random.randrange(len(words))] = f"wörd{number}"
            text = " ".join(words)
            actor = random.choice(["person:Ann", "assistant:Claude"])
            await vault.notes.edit("a.md", lambda now, text=text: diff(now, text), actor)
        await vault.renames.rename("a.md", "c.md", "person:Ann")
        await vault.recorder.flush()
        kept = (await vault.history.revisions(RevisionFilter(limit=1_000)))[::-1]
        texts = [await vault.history.text(each.id) for each in kept]
    shown = subprocess.run(
        [sys.executable, "-I", str(READER), str(tmp_path / "state" / "history.db")],
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout
    at = 0
    for each, text in zip(kept, texts, strict=True):
        said = f"  {each.path}  {each.actor}  {each.cause}\n{text}\n"
        assert said in shown[at:]
        at = shown.index(said, at) + len(said)
    assert len(kept) == 92


def test_the_reader_has_twenty_lines() -> None:
    text = READER.read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and "import" not in line]
    assert len(lines[1:]) <= 20
    assert "commonplace" not in text
