"""The graph in memory follows the index through every change, and agrees with a fresh one."""

import random
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from commonplace.core.graph import Graph
from commonplace.vault.index.graph import LinkGraph, gathered
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]


async def agree(vault: Vault) -> None:
    graph = await vault.indexer.graph.get()
    fresh = Graph.of(vault.index.links.edges())
    assert sorted(graph.edges()) == sorted(fresh.edges())
    for degrees, others in (
        (graph.by_in_degree, fresh.by_in_degree),
        (graph.by_out_degree, fresh.by_out_degree),
    ):
        assert degrees.top(99, lambda node: node) == others.top(99, lambda node: node)
    again = Graph(vault.index.links.targets())
    assert sorted(again.edges()) == sorted(fresh.edges())
    assert all(again.outgoing(node) == fresh.outgoing(node) for node, _ in fresh.edges())


async def test_it_agrees_with_the_index_after_every_kind_of_change(
    make_settings: MakeSettings,
) -> None:
    rng = random.Random(3)
    names = [f"n{n}" for n in range(12)]
    settings = make_settings({f"{name}.md": f"[[{rng.choice(names)}]]" for name in names})
    folder = settings.roots[0].path
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await agree(vault)
        for _ in range(60):
            change(rng, folder, names)
            await vault.indexer.update([""])
            await agree(vault)


def change(rng: random.Random, folder: Path, names: list[str]) -> None:
    file = folder / f"{rng.choice(names)}.md"
    kind = rng.choice(["write", "write", "remove", "rename", "alias"])
    links = " ".join(f"[[{rng.choice([*names, 'nick'])}]]" for _ in range(rng.randint(0, 4)))
    if kind == "remove":
        file.unlink(missing_ok=True)
    elif kind == "rename" and file.exists():
        file.rename(folder / f"{rng.choice(names)}.md")
    elif kind == "alias":
        file.write_text(f"---\naliases: [nick]\n---\n{links}")
    else:
        file.write_text(links)


async def test_changes_that_come_while_it_is_read_are_not_lost() -> None:
    started, go_on = anyio.Event(), anyio.Event()

    def read() -> Graph:
        anyio.from_thread.run_sync(started.set)
        anyio.from_thread.run(go_on.wait)
        return Graph.of([(1, 2), (3, 1)])

    links = LinkGraph(read)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(links.get)
        await started.wait()
        links.take({1: [3]}, [3])
        links.take({4: [1]}, [])
        go_on.set()
    graph = await links.get()
    assert sorted(graph.edges()) == [(1, 3), (4, 1)]


def test_a_source_without_links_is_gathered_too() -> None:
    assert gathered([1, 2], [(1, 5), (1, 6)]) == {1: [5, 6], 2: []}
