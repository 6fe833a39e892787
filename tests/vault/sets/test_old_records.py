"""Decisions kept before they were intents are finished, undone, and can still be taken back."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from commonplace.vault.log.log import Record
from commonplace.vault.open import open_vault
from commonplace.vault.sets.old_records import OLD
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write
from tests.vault.sets.deciding import create, edit, everything, files, settings

pytestmark = pytest.mark.anyio

NOTES: Notes = {f"{n}.md": f"Note {n} is red.\n" for n in range(4)}
WAITING = {f"{n}.md": f"Note {n} is {{--red--}}{{++green++}}.\n" for n in range(4)}
ACCEPTED = {
    **{f"{n}.md": f"Note {n} is green.\n" for n in range(4)},
    "New.md": "Made by an assistant.\n",
}


async def old_record(vault: Vault, progress: str) -> dict[str, object]:
    """Return a decision that accepts everything, as the program before kept it."""
    chosen = await everything(vault)
    notes: list[dict[str, object]] = []
    for path, ids in chosen.changes.items():
        document = await vault.notes.ids.id_of(path)
        made = {id: vault.ledger.credit(document, id) for id in ids}
        notes.append(
            {
                "document": document,
                "path": path,
                "ids": list(ids),
                "before": await vault.texts.marked(path),
                "credits": {id: asdict(credit) for id, credit in made.items() if credit},
                "words": None,
            }
        )
    parked = await vault.permissions.waiting()
    writes = [{"parked": asdict(p), "before": "", "after": None, "path": p.path} for p in parked]
    common: dict[str, object] = {"id": 1, "set": 1, "verdict": "accept", "who": "Ann"}
    common |= {"reason": "", "time": 1_000.0, "progress": progress}
    return {**common, "notes": notes, "writes": writes}


async def left_behind(folder: Path, progress: str, done: int) -> None:
    """Leave a state folder whose decision came so far that some notes and the write are done."""
    write(settings(folder).roots[0].path, NOTES)
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        for path in NOTES:
            await edit(vault, path, "red", "green")
        await create(vault, "New.md", ACCEPTED["New.md"])
        kept = await old_record(vault, progress)
        for path, ids in list((await everything(vault)).changes.items())[:done]:
            await vault.review.decide("accept", {path: ids}, "Ann")
        if done:
            await vault.permissions.approve(1, "Ann")
        await vault.log.put_records([Record(OLD, "1", json.dumps(kept))])


async def started(folder: Path, *, undo: bool = False) -> tuple[dict[str, str], list[int]]:
    """Start anew; return the files, and which decisions can be undone."""
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        await vault.sets.decisions.recover()
        assert await vault.log.records(OLD) == {}
        assert await vault.intents.open() == []
        if undo:
            await vault.sets.decisions.undo(1, "Ann")
            assert (await vault.sets.reader.get(1)).summary.counts.waiting == 5
        return await files(vault), [one.id for one in await vault.sets.decisions.listed(1)]


@pytest.mark.parametrize("done", [0, 2, 4])
async def test_one_that_was_cut_short_is_finished_and_can_be_undone(
    tmp_path: Path, done: int
) -> None:
    await left_behind(tmp_path, "deciding", done)
    assert await started(tmp_path) == (ACCEPTED, [1])
    assert await started(tmp_path, undo=True) == (WAITING, [])


async def test_one_that_was_finished_can_be_undone(tmp_path: Path) -> None:
    await left_behind(tmp_path, "decided", 4)
    assert await started(tmp_path, undo=True) == (WAITING, [])


@pytest.mark.parametrize("left", [0, 2, 4])
async def test_one_that_was_being_undone_is_undone(tmp_path: Path, left: int) -> None:
    await left_behind(tmp_path, "undoing", left)
    assert await started(tmp_path) == (WAITING, [])
