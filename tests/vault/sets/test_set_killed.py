"""A set that is decided while the process is killed: all of it or nothing after the next start.

It edits every note, and creates, renames and deletes one. See `tests.vault.kills` for how many are
killed, of how many notes.
"""

import shutil
from pathlib import Path

import anyio
import pytest

from commonplace.vault.history.intents import Intents
from commonplace.vault.open import open_vault
from tests.vault.conftest import write
from tests.vault.kills import MORE, NOTES, Kill, copied, forget_recovery, kill, spread
from tests.vault.sets.deciding import create, delete, edit, files, rename, settings

pytestmark = pytest.mark.slow

__all__ = ["kill"]

EACH = 5
SECONDS_MAX = 1.0


async def _prepare(folder: Path) -> None:
    lines = "".join(f"Line {n} is red.\n\n" for n in range(EACH))
    write(settings(folder).roots[0].path, {f"{n}.md": f"# {n}\n\n{lines}" for n in range(NOTES)})
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        for note in range(NOTES):
            for line in range(EACH):
                await edit(vault, f"{note}.md", f"Line {line} is red", f"Line {line} is green")
        await create(vault, "New.md", "Made by an assistant.\n")
        await rename(vault, "0.md", "Renamed.md")
        await delete(vault, "1.md")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    anyio.run(_prepare, folder)
    return folder


async def _after(folder: Path) -> set[bool]:
    """Tell of each part of the set whether it was decided."""
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        await vault.sets.decisions.recover()
        paths = await files(vault)
        found = {"New.md" in paths, "Renamed.md" in paths, "0.md" not in paths, "1.md" not in paths}
        for path in paths:  # a file may be behind its document after a crash
            async with vault.notes.documents.hold(await vault.notes.ids.id_of(path)) as document:
                found.add("{" not in document.text)
        return found


def test_a_set_is_decided_in_a_second(prepared: Path, tmp_path: Path, kill: Kill) -> None:
    told, _, _, cpu = kill(copied(prepared, tmp_path / "copy"), "set", MORE).split()
    assert told == "done"
    # The bar is for 200 notes with 1,000 changes on a quiet machine; what a load beside it takes
    # is not counted.
    assert float(cpu) < SECONDS_MAX * (1 if NOTES >= 200 else 5)


def test_a_killed_decision_is_whole_or_nothing(
    prepared: Path, tmp_path: Path, kill: Kill, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = 0
    for at, folder, ended in spread(kill, prepared, tmp_path, "set"):
        if not half:  # seen once is enough
            with monkeypatch.context() as careless:
                careless.setattr(Intents, "recover", forget_recovery)
                half += len(anyio.run(_after, copied(folder, tmp_path / "control"))) > 1
                shutil.rmtree(tmp_path / "control")
        found = anyio.run(_after, folder)
        assert found == {True} or (found == {False} and ended == "killed"), (at, found)
    assert half, "no kill came in the middle: the control did not fail"
