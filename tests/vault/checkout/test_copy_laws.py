"""The law of working copies: two agents save beside two people, and nobody's words are lost.

After every round the accepted view is what both copies hold, and the base is the people's text; how
long it took until all was seen on all sides is told. `COMMONPLACE_SAVES` says how many saves.
"""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import Edit
from commonplace.core.view import View
from commonplace.vault.checkout.bases import Bases
from commonplace.vault.checkout.working_copy import WorkingCopy
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.wait import PATIENCE, eventually

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
Make = Callable[..., Settings]

SAVES = int(os.environ.get("COMMONPLACE_SAVES", "60"))
AGENTS = ("ant", "bee")
PEOPLE = ("ada", "bob")
WRITERS = (*PEOPLE, *AGENTS)
WORDS = ("wort", "naïve", "日本", "🌱", "x-y", "it's")
LINES = 12
NOTES = ("A.md", "in/B.md")


def first_text(note: str) -> str:
    return "".join(f"- {note} {n} {WRITERS[n % 4]} first end\n" for n in range(LINES))


class Model:
    """What each line must read, to the people and with all suggestions accepted."""

    def __init__(self) -> None:
        self.base = {note: first_text(note).splitlines(keepends=True) for note in NOTES}
        self.accepted = {note: list(lines) for note, lines in self.base.items()}

    def change(self, rng: random.Random, who: str, number: int) -> tuple[str, int, str, str]:
        """Change one of a writer's lines; return its note and number, and how it read and reads."""
        note = rng.choice(NOTES)
        line = rng.choice([n for n in range(LINES) if WRITERS[n % 4] == who])
        old = self.accepted[note][line]
        new = f"- {note} {line} {who} {rng.choice(WORDS)} {who}{number} end\n"
        self.accepted[note][line] = new
        if who in PEOPLE:
            self.base[note][line] = new
        return note, line, old, new


async def write(vault: Vault, note: str, old: str, new: str, who: str) -> None:
    def plan(text: str) -> list[Edit]:
        at = text.index(old)
        return [Edit(at, at + len(old), new)]

    await vault.notes.edit(note, plan, f"person:{who}")


def save(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


async def play(settings: Settings, folder: Path, saves: int, patience: float) -> list[float]:
    """Play rounds; return how long it took each time until everybody saw everything."""
    rng, model = random.Random(saves), Model()
    times: list[float] = []
    async with open_vault(settings) as vault:
        by = {name: Asker(f"token:{name}", name, suggests_only=True) for name in AGENTS}
        opening = [
            WorkingCopy.open(vault, folder / name, folder / f"{name}.db", by[name], View())
            for name in AGENTS
        ]
        async with opening[0] as one, opening[1] as other:
            copies = {"ant": one, "bee": other}
            for number in range(saves // len(AGENTS)):
                for who in rng.sample(WRITERS, len(WRITERS)):
                    note, _, old, new = model.change(rng, who, number)
                    if who in PEOPLE:
                        await write(vault, note, old, new, who)
                    else:
                        save(copies[who].folder / note, old, new)
                times.append(await agreed(vault, model, copies, patience))
    return times


async def agreed(
    vault: Vault, model: Model, copies: dict[str, WorkingCopy], patience: float
) -> float:
    """Wait until vault and copies hold what the model says; return how long that took."""
    began = time.monotonic()
    for note in NOTES:
        wanted = "".join(model.accepted[note])
        for copy in copies.values():
            file = copy.folder / note
            await eventually(lambda file=file, wanted=wanted: file.read_text() == wanted, patience)
        marked = await vault.texts.marked(note)
        assert critic.accepted(marked) == wanted
        assert critic.base(marked) == "".join(model.base[note])
    return time.monotonic() - began


async def test_what_two_agents_save_and_two_people_write_is_kept(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings({note: first_text(note) for note in NOTES})
    times = sorted(await play(settings, tmp_path, SAVES, PATIENCE))
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    load = os.getloadavg()[0]
    print(f"{SAVES} saves: {p50=:.3f} {p99=:.3f} max={times[-1]:.3f} {load=:.1f}")  # noqa: T201


async def test_without_the_base_a_save_takes_people_s_words_back(
    make_settings: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def nothing(_: Bases, __: str) -> None:
        return None

    monkeypatch.setattr(Bases, "get", nothing)
    settings = make_settings({note: first_text(note) for note in NOTES})
    with pytest.raises(AssertionError):
        await play(settings, tmp_path, 20, 3.0)
