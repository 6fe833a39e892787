"""A save that rejects a suggestion, or has not seen it: the suggestion waits, and this is shown."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from commonplace.cli.options import Flags, settle
from commonplace.server.api.decisions.rows import suggestion
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.documents.file.versions import OVERLAP_SECONDS
from commonplace.vault.open import open_vault
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

OLD = "Bring the red folder.\nAnd a pen.\n"
MARKED = "Bring the {--red--}{++blue++} folder.\nAnd a pen.\n"
ONE = Suggester("one", "One")


class Clock:
    """Time goes on when somebody waits."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Note:
    """A note with a suggestion in it."""

    def __init__(self, vault: Vault, file: Path, clock: Clock) -> None:
        self.vault = vault
        self.file = file
        self.clock = clock

    async def begin(self) -> None:
        await self.vault.indexer.settled()
        await self.vault.reader.read("a.md", ONE.id, ONE.name)
        await self.vault.suggestions.suggest("a.md", "red", "blue", ONE)
        await self.settle()
        assert self.file.read_text() == MARKED

    async def settle(self) -> None:
        id = await self.vault.notes.ids.id_of("a.md")
        await self.vault.notes.queue.catch_up(id)
        await self.vault.notes.queue.flush(id)

    async def save(self, text: str) -> None:
        self.file.write_text(text)
        await self.settle()

    async def doubts(self) -> list[bool]:
        return [each.perhaps_rejected for each in await self.vault.pending.listed()]


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[Note]:
    flags = Flags((str(folder / "vault"),), {"state": str(folder / "state")})
    settings = settle(flags, {}, pytest.fail)
    clock = Clock()
    async with open_vault(settings, caution=Caution(clock, clock.sleep)) as vault:
        yield Note(vault, folder / "vault" / "a.md", clock)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text(OLD)
    return tmp_path


@pytest.mark.parametrize("saved", [OLD, OLD.replace("a pen", "two pens")])
async def test_a_suggestion_that_was_perhaps_rejected_waits_and_is_shown_so(
    folder: Path, saved: str
) -> None:
    async with opened(folder) as note:
        await note.begin()
        assert await note.doubts() == [False]
        await note.save(saved)
        assert note.file.read_text() == saved.replace("red", "{--red--}{++blue++}")
        assert await note.doubts() == [True]
        (each,) = await note.vault.pending.listed()
        assert suggestion(each)["perhaps_rejected"] is True
        read = await note.vault.reader.read("a.md", ONE.id, ONE.name)
        assert [line.perhaps_rejected for line in read.pending] == [True]
        assert read.decided == []
    assert "a.md:1  (One)  perhaps rejected in the file\n" in await review(folder, "--list")
    (row,) = json.loads(await review(folder, "--json"))["suggestions"]
    assert row["perhaps_rejected"] is True


async def review(folder: Path, option: str) -> str:
    """Ask at the command line, in another process."""
    command = [sys.executable, "-m", "commonplace", "review", str(folder / "vault")]
    done = await anyio.run_process([*command, "--state", str(folder / "state"), option])
    return done.stdout.decode()


async def test_a_save_later_than_any_that_had_not_seen_it_rejects(folder: Path) -> None:
    """The control: what nobody can doubt is decided, and shown as that."""
    async with opened(folder) as note:
        await note.begin()
        note.clock.now += OVERLAP_SECONDS + 1
        await note.settle()  # as somebody looks every few seconds
        await note.save(OLD)
        assert (note.file.read_text(), await note.doubts()) == (OLD, [])


async def test_the_doubt_goes_when_somebody_decides_and_does_not_come_with_the_next(
    folder: Path,
) -> None:
    async with opened(folder) as note:
        await note.begin()
        await note.save(OLD)
        (each,) = await note.vault.pending.listed()
        assert each.perhaps_rejected
        await note.vault.review.decide("reject", {"a.md": [each.id]}, "Anna")
        await note.settle()
        await note.begin()  # the same words once more
        assert await note.doubts() == [False]


async def test_the_doubt_goes_when_a_program_saves_the_suggestion_as_it_stands(
    folder: Path,
) -> None:
    async with opened(folder) as note:
        await note.begin()
        await note.save(OLD)
        assert await note.doubts() == [True]
    async with opened(folder) as note:
        await note.vault.indexer.settled()
        assert await note.doubts() == [True]  # it is kept
        await note.vault.reader.read("a.md", ONE.id, ONE.name)
        await note.vault.notes.open(await note.vault.notes.ids.id_of("a.md"))
        await note.save(MARKED + "More.\n")
        assert await note.doubts() == [False]


async def test_the_doubt_goes_when_the_suggestion_becomes_another(folder: Path) -> None:
    async with opened(folder) as note:
        await note.begin()
        await note.save(OLD)
        await note.vault.suggestions.suggest("a.md", "blue folder", "green folder", ONE)
        await note.settle()
        assert await note.doubts() == [False]
