"""What a working copy asks a person for: once, and taken back with the file."""

from collections.abc import AsyncGenerator, Callable

import pytest

from commonplace.errors import NotFound
from commonplace.vault.checkout.requests import Requests
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio
AGENT = Asker("token:abc", "claude", suggests_only=True)


@pytest.fixture
async def vault(make_settings: Callable[..., Settings]) -> AsyncGenerator[Vault]:
    async with open_vault(make_settings({"a.md": "a\n", "b.md": "[[a]]\n"})) as vault:
        await vault.indexer.settled()
        yield vault


async def waiting(vault: Vault) -> list[tuple[str, str]]:
    return [(one.operation, one.summary) for one in await vault.permissions.waiting()]


async def test_a_deletion_is_asked_for_once(vault: Vault) -> None:
    requests = Requests(vault, AGENT)
    assert not await requests.delete("a.md", "a.md")
    assert not await requests.delete("a.md", "a.md")
    assert [operation for operation, _ in await waiting(vault)] == ["delete"]
    assert requests.take_asked() == {"a.md"}
    assert requests.take_asked() == set()


async def test_a_rename_names_what_links_to_the_note(vault: Vault) -> None:
    requests = Requests(vault, AGENT)
    assert not await requests.rename("z.md", "a.md")
    ((operation, summary),) = await waiting(vault)
    assert operation == "rename"
    assert "1" in summary


async def test_what_the_file_took_back_is_withdrawn(vault: Vault) -> None:
    requests = Requests(vault, AGENT)
    await requests.delete("a.md", "a.md")
    await requests.withdraw("a.md")
    assert await waiting(vault) == []
    await requests.withdraw("a.md")
    assert not await requests.delete("a.md", "a.md")
    assert len(await waiting(vault)) == 1


async def test_what_cannot_be_is_raised_and_may_be_asked_again(vault: Vault) -> None:
    requests = Requests(vault, AGENT)
    for _ in range(2):
        with pytest.raises(NotFound):
            await requests.delete("none.md", "none.md")
    assert requests.take_asked() == set()
