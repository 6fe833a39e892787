"""The store over a vault holds the contract, and some things of its own."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from commonplace.vault.docstore import DocStore
from commonplace.vault.settings import OPERATIONS, Root, Settings
from commonplace.vault.store import Store
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.store_contract import StoreContract


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
        texts = {
            self.id_of(title): "".join(
                [
                    f"---\ntags: [{', '.join(tags)}]\n---\n" if tags else "",
                    "links: ",
                    " ".join(f"[[{link}]]" for link in links),
                ]
            )
            for title, (tags, links) in nodes.items()
        }
        (folder / "vault").mkdir()
        write(folder / "vault", {**texts})
        policies = {str(operation): policy for operation in OPERATIONS}
        settings = Settings((Root("vault", folder / "vault"),), folder / "state", policies=policies)
        async with Vault.open(settings) as vault:
            await vault.settled()
            yield DocStore(vault)


@pytest.mark.anyio
async def test_the_part_of_the_graph_around_a_note(tmp_path: Path) -> None:
    write(tmp_path / "v", {"a.md": "[[b]]", "b.md": "[[c]]", "c.md": "[[a]] [[d]]", "d.md": ""})
    settings = Settings((Root("v", tmp_path / "v"),), tmp_path / "state")
    async with Vault.open(settings) as vault:
        await vault.settled()
        store = DocStore(vault)
        nodes, edges = await store.around("a.md", 1, 10)
        assert nodes == [("a.md", 2), ("b.md", 2), ("c.md", 3)]
        assert sorted(edges) == [(0, 1), (1, 2), (2, 0)]
        everything, _ = await store.around(None, 1, 10)
        assert sorted(path for path, _ in everything) == ["a.md", "b.md", "c.md", "d.md"]
        assert len((await store.around(None, 1, 2))[0]) == 2


@pytest.mark.anyio
async def test_a_read_only_vault_cannot_write(tmp_path: Path) -> None:
    write(tmp_path / "v", {"a.md": "x"})
    settings = Settings((Root("v", tmp_path / "v"),), tmp_path / "state", read_only=True)
    async with Vault.open(settings) as vault:
        assert DocStore(vault).capabilities == frozenset()
