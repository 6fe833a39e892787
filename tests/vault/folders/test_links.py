"""Whose list of links a change has changed, and no others."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.folders.links import LinkedIds, slices
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio
NOTES = {"a.md": "[[b]] [[c]]\n", "b.md": "[[a]]\n", "c.md": "c\n"}


class Paths:
    """Ids that are their paths."""

    def known_id(self, path: str) -> str | None:
        return path

    def known_path(self, id: str) -> str | None:
        return id


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", dict(NOTES))
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        yield vault


async def changed(vault: Vault, path: str, text: str | None) -> None:
    file = vault.settings.roots[0].path / path
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    await vault.indexer.refresh()


async def test_who_links_to_a_note_is_known_by_id(vault: Vault) -> None:
    linked = LinkedIds(Paths())
    assert linked.sources("a.md") == []
    linked.renew(await vault.links.get(), vault.contents.catalog)
    assert await linked.read_all() == {"a.md", "b.md", "c.md"}
    assert [linked.sources(each) for each in ("a.md", "b.md", "none")] == [["b.md"], ["a.md"], []]
    assert await linked.read_all() == set(), "nothing has changed since"


async def test_a_change_concerns_those_that_it_links_to_now_or_did(vault: Vault) -> None:
    linked = LinkedIds(Paths())
    linked.renew(await vault.links.get(), vault.contents.catalog)
    await linked.read_all()
    await changed(vault, "a.md", "[[c]]\n")
    linked.renew(await vault.links.get(), vault.contents.catalog)
    assert linked.affected({"a.md": ["b.md"]}, {}) == {"a.md", "b.md"}
    assert linked.sources("b.md") == []
    await changed(vault, "c.md", None)
    linked.renew(await vault.links.get(), vault.contents.catalog)
    assert linked.affected({}, {"c.md": ["a.md"]}) == {"c.md"}
    assert linked.sources("c.md") == []


async def test_many_things_come_some_at_a_time() -> None:
    found = [len(some) async for some in slices(range(2_500))]
    assert found == [1_000, 1_000, 500]
    assert [some async for some in slices(list[int]())] == []
