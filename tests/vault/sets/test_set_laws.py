"""Laws over random sets: accepted, rejected, and undone, with people typing beside.

`SETS=10000 pytest -n 2 --dist load --basetemp /dev/shm/sets tests/vault/sets/test_set_laws.py`
draws the full number; `SETS_FIRST=5000` goes on from there.
"""

import os
import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from commonplace.core import critic
from commonplace.core.text.edits import Edit
from commonplace.errors import CommonplaceError
from commonplace.vault.history.intents import Intent
from commonplace.vault.open import open_vault
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.suggestions.decisions import Decisions
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import (
    CLAUDE,
    create,
    delete,
    everything,
    files,
    rename,
    settings,
    update,
)

ROUNDS = int(os.environ.get("SETS", "4"))
FIRST = int(os.environ.get("SETS_FIRST", "0"))
NOTES_MAX = 50 if ROUNDS > 100 else 6
OTHER = Suggester("process:9", "Cursor")

WORDS = "red blue green house garden folder water hedge slope tea".split()  # noqa: SIM905


def sentence(drawn: random.Random) -> str:
    return " ".join(drawn.choice(WORDS) for _ in range(drawn.randint(3, 8))).capitalize() + "."


@dataclass(frozen=True)
class Asked:
    """What an assistant asked for beside suggestions: a new note, and other lines in notes."""

    created: str
    lines: dict[str, tuple[str, str]]

    def after(self, path: str, text: str) -> str:
        """Return a note as these writes make it, before any link follows the rename."""
        return text.replace(*self.lines.get(path, ("", "")))


async def work(vault: Vault, paths: list[str], drawn: random.Random, seed: int) -> Asked:
    """Let one assistant do many things, and another one suggest beside it."""
    asked = Asked(f"{sentence(drawn)} {link(drawn, seed)}\n", {})
    for path in paths:
        for by in (CLAUDE, OTHER):
            read = await vault.reader.read(path, by.id, by.name)
            lines = [line for line in read.text.split("\n") if line and "[[" not in line]
            if by is OTHER and drawn.random() < 0.6:
                continue
            for line in drawn.sample(lines, min(len(lines), drawn.randint(1, 3))):
                try:
                    await vault.suggestions.suggest(path, line, sentence(drawn), by)
                except CommonplaceError:
                    continue  # not unique, or touched by the other one: not what is tried here
    await create(vault, f"Fresh {seed}.md", asked.created)
    for path in drawn.sample(paths, len(paths) // 3):
        old = f"See [[N0]] from {path}."
        asked.lines[path] = old, drawn.choice((f"Go to {link(drawn, seed)} now.", "No link."))
        text = critic.accepted(await vault.texts.marked(path))
        await update(vault, path, asked.after(path, text))
    if len(paths) > 2:
        await rename(vault, paths[0], f"Renamed {seed}.md")
        await delete(vault, paths[-1])
    return asked


def link(drawn: random.Random, seed: int) -> str:
    """Write a link to the note that is renamed, by the old name or the new one."""
    return drawn.choice(("[[N0]]", f"[[Renamed {seed}]]"))


async def type_beside(vault: Vault, drawn: random.Random) -> dict[str, str]:
    """Let a person add a line at the end of some notes; return the last line of each."""
    typed: dict[str, str] = {}
    for path in await notes(vault):
        if drawn.random() < 0.5:
            line = f"Typed {drawn.random()}\n"
            await vault.notes.edit(
                path, lambda text, line=line: [Edit(len(text), len(text), line)], "person:Ann"
            )
            typed[path] = line
    return typed


async def notes(vault: Vault) -> list[str]:
    return sorted(await files(vault))


async def views(vault: Vault, ids: dict[str, list[str]], *, accepted: bool) -> dict[str, str]:
    """Return what each note says with a set's suggestions decided, others' left as they are."""
    from commonplace.core.text import edits

    found: dict[str, str] = {}
    for path, text in (await files(vault)).items():
        choose = critic.accept if accepted else critic.reject
        found[path] = edits.apply(text, choose(text, ids.get(path, [])))
    return found


async def one_round(folder: Path, seed: int) -> None:
    drawn = random.Random(seed)
    folder.mkdir()
    chosen = settings(folder)
    count = round(NOTES_MAX ** drawn.random())  # each size is drawn, small ones more often
    paths = [f"N{n}.md" for n in range(count)]
    texts = {
        p: "\n".join([*(sentence(drawn) for _ in range(6)), f"See [[N0]] from {p}.\n"])
        for p in paths
    }
    write(folder / "vault", {**texts})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        asked = await work(vault, paths, drawn, seed)
        claude = next(
            one.number for one in vault.sets.kept.store.sets.values() if one.who == "Claude"
        )
        await type_beside(vault, drawn)
        before = await files(vault)
        parts = await everything(vault, claude)
        ids = {path: list(found) for path, found in parts.changes.items()}
        rejected = await views(vault, ids, accepted=False)
        await vault.sets.decisions.decide(claude, "reject", parts, "Ann")
        assert await files(vault) == rejected
        await vault.sets.decisions.undo(claude, "Ann")
        assert await files(vault) == before
        accepted = await views(vault, ids, accepted=True)
        await vault.sets.decisions.decide(claude, "accept", await everything(vault, claude), "Ann")
        after = await files(vault)
        moved = {f"Renamed {seed}.md": paths[0]} if len(paths) > 2 else {}
        gone = {paths[-1], paths[0]} if len(paths) > 2 else set[str]()
        for path, text in after.items():
            if path == f"Fresh {seed}.md":
                assert path not in before
                wanted = asked.created
            else:
                wanted = asked.after(old := moved.get(path, path), accepted[old])
            assert text == (wanted.replace("[[N0]]", f"[[Renamed {seed}]]") if moved else wanted)
        assert set(before) - gone == set(after) - {f"Fresh {seed}.md", *moved}
        await vault.sets.decisions.undo(claude, "Ann")
        assert await files(vault) == before
    shutil.rmtree(folder)  # those of thousands of rounds would fill the memory


@pytest.mark.parametrize("seed", range(FIRST, ROUNDS))
def test_accepted_rejected_and_undone_sets_are_what_they_must_be(tmp_path: Path, seed: int) -> None:
    anyio.run(one_round, tmp_path / "round", seed)


def test_a_decision_that_forgets_a_note_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide_note, count = Decisions.decide_note, 0

    async def careless(self: Decisions, intent: Intent, step: int, what: Mapping[str, Any]) -> None:
        nonlocal count
        count += 1
        if count % 3:
            await decide_note(self, intent, step, what)

    monkeypatch.setattr(Decisions, "decide_note", careless)

    async def rounds() -> None:
        for seed in range(100, 108):
            await one_round(tmp_path / str(seed), seed)

    with pytest.raises(AssertionError):
        anyio.run(rounds)
