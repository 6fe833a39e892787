"""A vault as its owner has it, and as another process asks for it through its owner."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from commonplace.cli import vault_access
from commonplace.cli.vault_access import Desk
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

NOTES = {
    "Plan.md": "# Plan\n\nWe sow {--peas--}{++beans++} in {++early ++}March.\n",
    "日記/あ 😀.md": "今日は晴れ。 [[Plan]]\n",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True)
class Both:
    """The same vault twice."""

    own: Vault
    remote: Desk
    folder: Path


@pytest.fixture
async def both(tmp_path: Path) -> AsyncGenerator[Both]:
    folder = tmp_path / "notes"
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    settings = Settings((Root("notes", folder),), tmp_path / "state")
    async with vault_access.opened(settings, follow=True) as (own, _):
        assert isinstance(own, Vault)
        await own.indexer.settled()
        async with vault_access.opened(settings) as (remote, owner):
            assert owner is not None
            assert not isinstance(remote, Vault)
            yield Both(own, remote, folder)
