"""The vault as a command sees it: opened here, or asked for through its owner."""

import asyncio
import getpass
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from commonplace.cli.vault_access import desk_owner, opened, person, set_desk
from commonplace.errors import Conflict
from commonplace.vault.owner import claim
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text("one")
    return Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")


async def test_the_first_has_the_vault_itself_and_the_next_asks_it(settings: Settings) -> None:
    async with opened(settings) as (own, owner):
        assert isinstance(own, Vault)
        assert owner is None
        async with opened(settings) as (remote, greeted):
            assert not isinstance(remote, Vault)
            assert greeted is not None
            assert await remote.pending.listed() == []
            assert await set_desk(remote).listed() == await set_desk(own).listed() == []
    async with opened(settings) as (own, _):  # whoever has gone leaves nothing behind
        assert isinstance(own, Vault)


@pytest.mark.parametrize("owned", [False, True])
async def test_the_owner_is_asked_whoever_that_is(settings: Settings, owned: bool) -> None:
    async def ask() -> None:
        async with desk_owner(settings) as owner:
            found = await asyncio.to_thread(owner.get, "/api/status")
            assert [root["name"] for root in found["roots"]] == ["notes"]

    if owned:
        async with opened(settings, follow=True):
            await ask()
    else:
        await ask()


async def test_an_error_of_a_command_comes_as_itself(settings: Settings) -> None:
    with pytest.raises(Conflict, match="mine"):
        async with desk_owner(settings):
            raise Conflict("mine")
    claimed = claim(settings)
    assert claimed  # and the vault is free again
    with claimed:
        pass


def _failing(error: Exception) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise error

    return fail


@pytest.mark.parametrize("error", [KeyError("uid not found"), OSError()])
def test_a_user_without_a_name_is_someone(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(getpass, "getuser", _failing(error))
    assert person() == "someone"
