"""An answer waits a little for the index, and then says how far it is."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.search.readiness import Incomplete, Readiness
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", {"a.md": "a", "b.md": "b"})
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        yield vault


async def test_before_the_files_are_listed_no_total_is_told(vault: Vault) -> None:
    ready = Readiness(vault.indexer, vault.contents, seconds_max=0.0)
    vault.indexer.state.compared = anyio.Event()
    vault.indexer.state.current = anyio.Event()
    assert await ready.listed() == Incomplete(0, None)
    assert await ready.searchable() == Incomplete(0, None)


async def test_an_answer_waits_for_what_it_needs(vault: Vault) -> None:
    ready = Readiness(vault.indexer, vault.contents, seconds_max=60.0)
    found: list[Incomplete | None] = []

    async def ask() -> None:
        found.append(await ready.indexed())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await vault.indexer.refresh()
    assert found == [None]
    assert [await ready.listed(), await ready.searchable()] == [None, None]


async def test_while_an_index_is_renewed_it_is_not_whole(vault: Vault) -> None:
    await vault.indexer.refresh()
    ready = Readiness(vault.indexer, vault.contents, seconds_max=0.0)
    vault.indexer.state.renewing = True
    vault.indexer.state.todo, vault.indexer.state.read = 5, 4
    assert await ready.indexed() == Incomplete(1, 2)


@pytest.mark.parametrize(
    ("incomplete", "words"),
    [
        (Incomplete(1_200, 3_000), "1,200 of 3,000 notes."),
        (Incomplete(0, None), "indexed: 0 notes."),
    ],
)
def test_it_is_said_in_a_sentence(incomplete: Incomplete, words: str) -> None:
    assert words in incomplete.sentence
