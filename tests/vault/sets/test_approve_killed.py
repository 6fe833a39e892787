"""kill -9 in the middle of approving many writes that wait: all are done afterwards, or none is.

A few kills in each run; see `tests.vault.kills` for more.
"""

import shutil
from pathlib import Path

import pytest

from commonplace.vault.history.intents import Intents
from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.vault.kills import NOTES, Kill, copied, forget_recovery, kill, spread
from tests.vault.sets import deciding
from tests.wait import empties

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

__all__ = ["kill"]

Found = set[tuple[bool, str]]
WAITING: Found = {(False, "waiting")}
DONE: Found = {(True, "approved")}


async def park(vault: Vault, number: int) -> None:
    """Let an assistant ask for a write; they are of four kinds in turns."""
    path, other = f"n{number:03}.md", f"m{number:03}.md"
    match number % 4:
        case 0:
            await deciding.create(vault, other, "new\n")
        case 1:
            await deciding.update(vault, path, "one 2\n")
        case 2:
            await deciding.rename(vault, path, other)
        case _:
            await deciding.delete(vault, path)


async def is_made(vault: Vault, number: int) -> bool:
    """Tell by the notes whether a write was done."""
    path, other = f"n{number:03}.md", f"m{number:03}.md"
    match number % 4:
        case 0:
            return vault.notes.exists(other)
        case 1:
            return await vault.texts.marked(path) == "one 2\n"
        case 2:
            return vault.notes.exists(other) and not vault.notes.exists(path)
        case _:
            return not vault.notes.exists(path)


async def prepare(folder: Path) -> None:
    folder.mkdir()
    settings = deciding.settings(folder)
    for number in range(NOTES):
        (folder / "vault" / f"n{number:03}.md").write_text("one two\n")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        for number in range(NOTES):
            await park(vault, number)


async def found(folder: Path, *, recovered: bool = True) -> Found:
    """Open a vault, and tell of each write whether it was made and what the queue says."""
    async with open_vault(deciding.settings(folder)) as vault:
        await vault.indexer.settled()
        if recovered:
            await empties(vault.intents.open)
        states: Found = set()
        for number in range(NOTES):
            parked = await vault.permissions.find(number + 1)
            states.add((await is_made(vault, number), parked.state if parked else "gone"))
        return states


async def test_killed_at_any_statement_no_approval_is_half_done(
    tmp_path: Path, kill: Kill, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tmp_path / "first"
    await prepare(first)
    assert await found(first) == WAITING
    half = 0
    for at, folder, ended in spread(kill, first, tmp_path, "approve"):
        if not half:  # seen once is enough
            with monkeypatch.context() as careless:
                careless.setattr(Intents, "recover", forget_recovery)
                copy = copied(folder, tmp_path / "control")
                half += await found(copy, recovered=False) not in (WAITING, DONE)
                shutil.rmtree(copy)
        now = await found(folder)
        assert now in (WAITING, DONE), (at, now)
        assert now == DONE or ended == "killed"
    assert half, "no kill came in the middle: the control did not fail"
