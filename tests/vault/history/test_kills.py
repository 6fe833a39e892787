"""kill -9 in the middle of a decision or an undo over many notes: whole afterwards, or not begun.

A decision accepts suggestions, or rejects the notes that an assistant suggested to create, which
then go to the trash. See `tests.vault.kills` for how many.
"""

import shutil
from functools import partial
from pathlib import Path

import pytest

from commonplace.core.text.edits import diff
from commonplace.vault.history.intents import Intents
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault
from tests.vault.kills import NOTES, Kill, copied, forget_recovery, kill, spread
from tests.vault.sets.deciding import settings

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

__all__ = ["kill"]

CLAUDE = Suggester("claude", "Claude")
BEFORE, AFTER = "one two three\n", "one 2 three\n"
GONE = "in the trash"
DONE = {"decide": {AFTER}, "undo": {BEFORE}, "reject": {GONE}}


async def prepare(folder: Path, what: str) -> None:
    """Make a vault with suggestions to decide, or with changes to undo."""
    (folder / "vault").mkdir(parents=True)
    for number in range(NOTES if what != "reject" else 0):
        (folder / "vault" / f"n{number:03}.md").write_text(BEFORE)
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        for number in range(NOTES):
            path = f"n{number:03}.md"
            if what == "reject":
                await suggest_note(vault, path)
            elif what == "decide":
                await vault.reader.read(path, CLAUDE.id, CLAUDE.name)
                await vault.suggestions.suggest(path, "two", "2", CLAUDE)
            else:
                await vault.notes.edit(path, lambda now: diff(now, AFTER), "assistant:Claude")


async def suggest_note(vault: Vault, path: str) -> None:
    """Let an assistant create a note where its creations are suggestions."""
    permissions = vault.permissions.under({"create": "suggest"})
    given = {"path": path, "content": AFTER}
    by = Asker(CLAUDE.id, CLAUDE.name)
    await permissions.ask(
        "create_note", given, by, partial(vault.write.creation, path, AFTER, None)
    )


async def texts(folder: Path, *, recovered: bool = True) -> set[str]:
    """What the log says of each note; the file follows it in its own time."""
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        if recovered:
            assert await vault.intents.open() == []
        found: set[str] = set()
        for number in range(NOTES):
            path = f"n{number:03}.md"
            if not vault.notes.exists(path):
                assert (folder / "vault" / ".trash" / path).exists()
                found.add(GONE)
                continue
            document = await vault.notes.ids.id_of(path)
            found.add((await vault.notes.documents.settled(document)).text)
        return found


@pytest.mark.parametrize("what", ["decide", "undo", "reject"])
async def test_killed_at_any_statement_nothing_is_half_done(
    tmp_path: Path, kill: Kill, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    await prepare(tmp_path / "first", what)
    untouched = await texts(tmp_path / "first")
    done = DONE[what]
    half = 0
    for at, folder, ended in spread(kill, tmp_path / "first", tmp_path, what):
        if not half:  # seen once is enough
            with monkeypatch.context() as careless:
                careless.setattr(Intents, "recover", forget_recovery)
                copy = copied(folder, tmp_path / "control")
                half += len(await texts(copy, recovered=False)) > 1
                shutil.rmtree(copy)
        found = await texts(folder)
        assert found in (untouched, done), (at, found)
        if ended == "done":
            assert found == done
    assert half, "no kill came in the middle: the control did not fail"
