"""The store over a vault holds the contract, and some things of its own."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.nodes.store import NodeUpdate, Store
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.approvals import Waiting
from commonplace.vault.settings import Root, Settings
from tests.vault.conftest import write
from tests.vault.nodes.contract import BY, StoreContract, policies, text_of


class TestDocStore(StoreContract):
    def id_of(self, title: str) -> str:
        return f"{title}.md"

    @asynccontextmanager
    async def open_store(
        self,
        folder: Path,
        nodes: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
        policy: str,
    ) -> AsyncGenerator[Store]:
        texts = {self.id_of(title): text_of(*parts) for title, parts in nodes.items()}
        (folder / "vault").mkdir()
        write(folder / "vault", {**texts})
        roots = (Root("vault", folder / "vault"),)
        settings = Settings(roots, folder / "state", policies=policies(policy))
        async with open_vault(settings) as vault:
            await vault.indexer.settled()
            yield DocStore(vault)


@pytest.mark.anyio
async def test_the_part_of_the_graph_around_a_note(tmp_path: Path) -> None:
    write(tmp_path / "v", {"a.md": "[[b]]", "b.md": "[[c]]", "c.md": "[[a]] [[d]]", "d.md": ""})
    settings = Settings((Root("v", tmp_path / "v"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        store = DocStore(vault)
        near = await store.around("a.md", 1, 10)
        assert near.nodes == (("a.md", 2), ("b.md", 2), ("c.md", 3))
        assert sorted(near.edges) == [(0, 1), (1, 2), (2, 0)]
        everything = await store.around(None, 1, 10)
        assert sorted(path for path, _ in everything.nodes) == ["a.md", "b.md", "c.md", "d.md"]
        assert len((await store.around(None, 1, 2)).nodes) == 2


@pytest.mark.anyio
async def test_a_read_only_vault_cannot_write(tmp_path: Path) -> None:
    write(tmp_path / "v", {"a.md": "x"})
    settings = Settings((Root("v", tmp_path / "v"),), tmp_path / "state", read_only=True)
    async with open_vault(settings) as vault:
        assert DocStore(vault).capabilities == frozenset()


@pytest.mark.anyio
async def test_what_was_approved_is_told_after_a_restart(tmp_path: Path) -> None:
    write(tmp_path / "v", {"a.md": "words\n"})
    settings = Settings((Root("v", tmp_path / "v"),), tmp_path / "state")
    change = NodeUpdate("Named", "other\n")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        with pytest.raises(Waiting):
            await DocStore(vault).update("a.md", change, BY)
        for one in await vault.permissions.waiting():
            await vault.permissions.approve(one.id, "ana")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        assert (await DocStore(vault).update("a.md", change, BY)).id == "named.md"
