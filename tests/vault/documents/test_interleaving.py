"""Programs that save files while people type in the same notes: no line is lost, none comes twice.

Everybody adds lines of their own and keeps those of others, so at the end each line must be there
once: in the live text, in the file, and in the log.
"""

import os
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from commonplace.core.text import edits
from commonplace.core.text.edits import Edit
from commonplace.vault.documents.changes import Change
from commonplace.vault.documents.file.intake import Intake
from commonplace.vault.documents.file.spares import Spares
from commonplace.vault.open import open_vault
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.wait import eventually

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]
NOTES = 300
STEPS = 8
AT_ONCE = 40
PATIENCE = 60.0


@asynccontextmanager
async def quick(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Vault]:
    """Open a vault whose files follow within moments, so that much happens in a short time."""
    monkeypatch.setattr("commonplace.vault.documents.file.queue.TYPING_PAUSE_SECONDS", 0.02)
    monkeypatch.setattr("commonplace.vault.documents.file.queue.FLUSH_SECONDS_MAX", 0.06)
    async with open_vault(settings) as vault:
        with anyio.fail_after(PATIENCE):
            await vault.indexer.settled()
            yield vault


def inserting(line: str, rng: random.Random) -> Callable[[str], list[Edit]]:
    def plan(text: str) -> list[Edit]:
        at = rng.choice([0, *(n + 1 for n, c in enumerate(text) if c == "\n")])
        return [Edit(at, at, line + "\n")]

    return plan


def in_place(file: Path, text: str) -> None:
    file.write_text(text)


def atomically(file: Path, text: str) -> None:
    spare = file.with_name(f".{file.name}.spare")
    spare.write_text(text)
    os.replace(spare, file)


def anew(file: Path, text: str) -> None:
    """Save as `git checkout` does: take the old file away, make a new one."""
    file.unlink()
    with file.open("x") as new:
        new.write(text)


@dataclass(slots=True)
class Writers:
    """All who write into one note."""

    vault: Vault
    path: str
    seed: int
    expected: list[str] = field(default_factory=lambda: ["start"])

    @property
    def file(self) -> Path:
        return self.vault.settings.roots[0].path / self.path

    async def type(self, rng: random.Random) -> None:
        self.expected.append(line := self._line("typed"))
        await self.vault.notes.edit(self.path, inserting(line, rng), f"person:{rng.randrange(3)}")

    def save(self, rng: random.Random, how: Callable[[Path, str], None]) -> None:
        line = self._line("saved")
        for _ in range(5):
            try:
                before = self.file.read_text()
                how(self.file, edits.apply(before, inserting(line, rng)(before)))
            except (FileExistsError, FileNotFoundError):
                continue  # it came or went under the program's hands, which tries again
            self.expected.append(line)
            return

    async def play(self) -> None:
        """Type and save in turns that the seed decides."""
        rng = random.Random(self.seed)
        for _ in range(STEPS):
            match rng.randrange(4):
                case 0 | 1:
                    await self.type(rng)
                case 2:
                    self.save(rng, in_place)
                case _:
                    self.save(rng, atomically)
            await anyio.sleep(rng.choice([0.0, 0.0, 0.005, 0.03, 0.08]))

    async def settled(self) -> tuple[str, str]:
        """Return the live text and the file once both are the same, or as they stay."""
        live = file = ""
        for _ in range(200):
            live, file = await self.vault.texts.accepted(self.path), self.file.read_text()
            if live == file:
                break
            await anyio.sleep(0.02)
        return live, file

    def _line(self, kind: str) -> str:
        return f"{kind} {self.seed}-{len(self.expected)} é漢😀"


async def wrong(everybody: list[Writers]) -> list[str]:
    """Name the notes where a line is missing, or there twice, or whose file says something else."""
    found: list[str] = []
    for writers in everybody:
        live, file = await writers.settled()
        if sorted(live.splitlines()) != sorted(writers.expected) or file != live:
            found.append(writers.path)
    return found


async def play_all(everybody: list[Writers]) -> None:
    limit = anyio.CapacityLimiter(AT_ONCE)

    async def play(writers: Writers) -> None:
        async with limit:
            await writers.play()

    async with anyio.create_task_group() as tasks:
        for writers in everybody:
            tasks.start_soon(play, writers)


def notes(count: int) -> dict[str, str]:
    return {f"f{n % 7}/n{n}.md": "start\n" for n in range(count)}


async def test_no_line_is_lost_in_three_hundred_interleavings(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(make_settings(notes(NOTES)), monkeypatch) as vault:
        everybody = [Writers(vault, path, seed) for seed, path in enumerate(notes(NOTES))]
        await play_all(everybody)
        assert await wrong(everybody) == []


async def test_a_file_that_is_not_merged_would_be_noticed(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ignore(*_: object) -> bool:
        return False

    # Both ways in: what is found in the file, and what a swap pushes out of it. Were one left open,
    # it would depend on the machine whether anything is lost.
    monkeypatch.setattr(Spares, "rescue", ignore)
    monkeypatch.setattr(Intake, "take_in", ignore)
    async with quick(make_settings(notes(2)), monkeypatch) as vault:
        everybody = [Writers(vault, path, seed) for seed, path in enumerate(notes(2))]
        await play_all(everybody)
        assert await wrong(everybody) == list(notes(2))


async def test_a_checkout_of_five_hundred_files_takes_no_words_from_those_who_type(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(make_settings(notes(500)), monkeypatch) as vault:
        everybody = [Writers(vault, path, seed) for seed, path in enumerate(notes(500))]
        typing = everybody[::20]
        echoes: list[str] = []
        alone = Writers(vault, "f0/alone.md", 1000)
        alone.file.write_text("start\n")
        await vault.indexer.update([alone.path])
        own = await vault.notes.ids.id_of(alone.path)

        def hear(change: Change) -> None:
            if change.id == own and change.actor == "file":
                echoes.append(change.actor)

        vault.notes.documents.follow(hear)
        rng = random.Random(7)
        for how in (anew, atomically, in_place):
            for writers in [*typing, alone]:
                await writers.type(rng)
            for n, writers in enumerate(everybody):
                writers.save(rng, how)
                if n % 50 == 0:
                    await typing[n % len(typing)].type(rng)
                    await alone.type(rng)
        assert await wrong([*typing, alone]) == []
        assert echoes == []
        await _indexed(vault, "saved", {writers.path for writers in everybody})


async def test_live_edits_go_on_while_three_hundred_folders_appear(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(make_settings({"a.md": "start\n"}), monkeypatch) as vault:
        root = vault.settings.roots[0].path
        writers, rng = Writers(vault, "a.md", 0), random.Random(3)
        made: set[str] = set()
        for chain in range(30):
            folder = f"c{chain}"
            for depth in range(10):
                folder = f"{folder}/d{depth}" if depth else folder
                (root / folder).mkdir()
                (root / folder / "note.md").write_text(f"otter {chain} {depth}\n")
                made.add(f"{folder}/note.md")
            await writers.type(rng)
            writers.save(rng, (in_place, atomically)[chain % 2])
        assert await wrong([writers]) == []
        await _indexed(vault, "otter", made)


async def _indexed(vault: Vault, word: str, paths: set[str]) -> None:
    """Wait until the word is found in all these notes."""

    async def found() -> bool:
        return {match.path for match in await vault.search.grep(Pattern(word))} >= paths

    await eventually(found)
