"""What people decide ends nothing by hand, however long its record takes."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from commonplace.vault.history.intents import Intent, Intents, Json
from commonplace.vault.log.log import Record
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.suggestions.decisions import Decisions
from commonplace.vault.suggestions.review import Reviewed
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

ONE = Suggester("one", "One")
PATH = "a.md"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "vault").mkdir()
    return Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")


@pytest.fixture
def closing(monkeypatch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    """Let a decision stop between its edit and its record: when it does, and until when."""
    close, reached, go_on = Decisions.close, asyncio.Event(), asyncio.Event()

    async def stop(self: Decisions, intent: Intent, done: Mapping[int, Json]) -> Sequence[Record]:
        reached.set()
        await go_on.wait()
        return await close(self, intent, done)

    monkeypatch.setattr(Decisions, "close", stop)
    return reached, go_on


async def suggest(vault: Vault) -> str:
    await vault.indexer.refresh()
    vault.ends.begin()
    await vault.write.create(PATH, "Buy apples.\n")
    await vault.reader.read(PATH, ONE.id, ONE.name)
    await vault.suggestions.suggest(PATH, "apples", "pears", ONE)
    await vault.notes.queue.flush(await vault.notes.ids.id_of(PATH))
    await vault.indexer.refresh()
    await vault.ends.look()
    (waiting,) = await vault.pending.listed(PATH)
    return waiting.id


async def begin(vault: Vault, id: str, reached: asyncio.Event) -> "asyncio.Task[Reviewed]":
    """Accept a suggestion, as far as its edit and the file."""
    deciding = asyncio.create_task(vault.review.decide("accept", {PATH: [id]}, "Ann"))
    await reached.wait()
    await vault.notes.queue.flush(await vault.notes.ids.id_of(PATH))
    await vault.indexer.refresh()
    return deciding


def ends_of(vault: Vault) -> list[tuple[str, str]]:
    return [(one.decision, one.who) for one in vault.ledger.ended("", PATH, 0.0)]


@pytest.mark.parametrize("waits", [True, False])
async def test_a_look_in_the_middle_of_a_decision_puts_nothing_on_record(
    settings: Settings,
    closing: tuple[asyncio.Event, asyncio.Event],
    monkeypatch: pytest.MonkeyPatch,
    waits: bool,
) -> None:
    """The control does not wait for the decision."""
    async with open_vault(settings, follow=False) as vault:
        id = await suggest(vault)
        if not waits:
            monkeypatch.setattr(Intents, "is_idle", True)
        deciding = await begin(vault, id, closing[0])
        await vault.ends.look()
        assert (ends_of(vault) == []) is waits
        closing[1].set()
        await deciding
        await vault.ends.look()
        assert (ends_of(vault) == [("accept", "Ann")]) is waits


@pytest.mark.parametrize("waits", [True, False])
async def test_what_waited_before_a_start_is_compared_after_a_decision(
    settings: Settings,
    closing: tuple[asyncio.Event, asyncio.Event],
    monkeypatch: pytest.MonkeyPatch,
    waits: bool,
) -> None:
    """The control does not wait for the decision."""
    async with open_vault(settings, follow=False) as vault:
        id = await suggest(vault)
    if not waits:
        monkeypatch.setattr(Intents, "is_idle", True)
    async with open_vault(settings, follow=False) as vault:
        await vault.absence.remember()
        deciding = await begin(vault, id, closing[0])
        await vault.absence.catch_up(PATH)
        assert (ends_of(vault) == []) is waits
        closing[1].set()
        await deciding
        await vault.absence.catch_up(PATH)
        assert (ends_of(vault) == [("accept", "Ann")]) is waits
