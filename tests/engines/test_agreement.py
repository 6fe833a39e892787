"""Vault, Neo4j and a plain store in memory give the same answers to every tool, ties included.

Hypothesis draws graphs of up to 500 nodes: ids in many scripts, equal titles, aliases, links in
every spelling, links of a node to itself, nested tags. `search` and `random_node` are judged by
their own properties. COMMONPLACE_EXAMPLES=100 looks longer.
"""

import json
import os
import random
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from hypothesis import Phase, example, given, settings, strategies as st

from commonplace.core import paths
from commonplace.tools import graph
from commonplace.tools.table import Actor, Call, Toolbox
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.nodes.store import Store
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.engines.conftest import choice_of, empty
from tests.engines.neo4j_server import Neo4jServer
from tests.engines.test_neo4j_store import opened
from tests.vault.conftest import write
from tests.vault.nodes.contract import policies
from tests.vault.nodes.memory_store import MemoryStore
from tests.vault.nodes.test_memory_store import permitted

EXAMPLES = int(os.environ.get("COMMONPLACE_EXAMPLES", "4"))

STEMS = (
    "note",
    "Über",
    "漢字",
    "ﬀ",
    "\uff5e",
    "😀",
    "𝔘",
    "a b",
    "x-y",
    "Z",
    "é",
    "ñandú",
    "10",
    "2",
)
FOLDERS = ("", "", "deep", "deep/er", "ordner/ä", "日本")
TITLES = ("Same title", "Überschrift", "same Title", "Ein anderer", "題")
TAGS = ("x", "y", "y/z", "y/z/w", "Ünï", "X", "日本/語", "t-1")


@dataclass(frozen=True)
class Shape:
    """What a graph is made from."""

    size: int
    links: int
    seed: int

    def texts(self) -> dict[str, str]:
        chance = random.Random(self.seed)
        ids: dict[str, str] = {}
        while len(ids) < self.size:
            stem = chance.choice(STEMS) + ("" if chance.random() < 0.1 else f" {len(ids)}")
            folder = chance.choice(FOLDERS)
            id = f"{folder}/{stem}.md".lstrip("/")
            ids.setdefault(paths.collision_key(id), id)
        names = sorted(ids.values())
        return {id: self._text(id, names, chance) for id in names}

    def _text(self, id: str, ids: list[str], chance: random.Random) -> str:
        lines: list[str] = []
        if chance.random() < 0.3:
            lines.append(f"title: {chance.choice(TITLES)}")
        if chance.random() < 0.2:
            lines.append(f"aliases: [alias {chance.randrange(5)}]")
        if chance.random() < 0.4:
            tags = chance.sample(TAGS, chance.randrange(1, 4))
            lines.append(f"tags: [{', '.join(tags)}]")
        front = "---\n" + "\n".join(lines) + "\n---\n" if lines else ""
        heading = f"# {chance.choice(TITLES)}\n" if chance.random() < 0.2 else ""
        links = (self._link(id, ids, chance) for _ in range(chance.randrange(self.links + 1)))
        inline = f" #{chance.choice(TAGS)}" if chance.random() < 0.2 else ""
        return f"{front}{heading}Wörter {' and '.join(links)}{inline}\n" + "😀" * chance.randrange(
            300
        )

    def _link(self, id: str, ids: list[str], chance: random.Random) -> str:
        to = id if chance.random() < 0.05 else chance.choice(ids)
        stem = paths.stem(to)
        return chance.choice(
            (
                f"[[{stem}]]",
                f"[[{stem}|shown]]",
                f"![[{stem}]]",
                f"[[{to.removesuffix('.md')}#part]]",
                f"[text](<{to}>)",
                f"[[{chance.choice(TITLES)}]]",
                f"[[alias {chance.randrange(6)}]]",
                f"[[missing {chance.randrange(9)}]]",
            )
        )


SHAPES = st.builds(
    Shape,
    size=st.sampled_from([1, 3, 12, 60, 500]),
    links=st.integers(0, 8),
    seed=st.integers(0, 2**32),
)


class Trio:
    """Three stores of the same nodes, asked the same."""

    def __init__(self, stores: Mapping[str, Store]) -> None:
        self.stores = stores
        self._boxes = {name: Toolbox(graph.tools(store)) for name, store in stores.items()}
        self._call = Call(Actor("assistant", "assistant"))

    async def ask(self, tool: str, **arguments: object) -> Any:
        """Put a question to all three; they must agree."""
        found = {name: await self._one(box, tool, arguments) for name, box in self._boxes.items()}
        expected = found["memory"]
        for name, answer in found.items():
            assert answer == expected, (name, tool, arguments)
        return expected

    async def _one(self, box: Toolbox, tool: str, arguments: Mapping[str, object]) -> Any:
        answer = await box.call(tool, arguments, self._call)
        found = json.loads(answer.text)
        if isinstance(found, dict):
            cast("dict[str, Any]", found).pop("_warnings", None)  # memory notices nothing
        return (answer.is_error, found)

    async def everything(self, ids: list[str], chance: random.Random) -> None:
        """Ask every tool that reads, of some nodes."""
        some = chance.sample(ids, min(len(ids), 12))
        for id in [*some, "nobody.md", "../out.md", some[0].removesuffix(".md") if some else ""]:
            await self.ask("get_node", id=id)
            await self.ask("get_node", id=id, depth=1)
            for direction in ("in", "out", "both"):
                await self.ask("get_neighbors", id=id, direction=direction, limit=7)
            await self.ask("find_path", source=id, target=chance.choice(some or ["x"]))
        for metric in ("in_degree", "out_degree"):
            await self.ask("get_hubs", metric=metric, limit=50)
        for tags in (["x"], ["y"], ["Y/Z", "x"], ["ünï", "日本"], ["none"]):
            for mode in ("any", "all"):
                await self.ask("search_by_tags", tags=tags, mode=mode, limit=30)
        await self.around(some)
        await self.chance(ids)

    async def around(self, some: list[str]) -> None:
        for id in some[:3]:
            found = {name: await one.around(id, 2, 40) for name, one in self.stores.items()}
            assert found["vault"] == found["memory"]
            assert found["neo4j"] == found["memory"]

    async def chance(self, ids: list[str]) -> None:
        for store in self.stores.values():
            assert await store.random() in (ids or [None])
            tagged = (await store.tagged(["y"], len(ids) + 1, every=False)).ids
            assert await store.random(["y"]) in (tagged or [None])

    async def write(self, ids: list[str], chance: random.Random) -> None:
        """Change all three alike."""
        for number in range(6):
            id = chance.choice(ids)
            link = f"[[{paths.stem(chance.choice(ids))}]]"
            title = f"{chance.choice(TITLES)} {number}"
            await self.ask("create_node", title=title, content=f"{link} #y/z", tags=["new"])
            await self.ask("create_node", title=title, content="again")
            await self.ask("update_node", id=id, content=f"other {link}", tags=["x"])
            await self.ask("update_node", id=chance.choice(ids), title=f"Umbenannt {number} ü")
            await self.ask("delete_node", id=chance.choice(ids))


@asynccontextmanager
async def trio(server: Neo4jServer, folder: Path, texts: Mapping[str, str]) -> AsyncGenerator[Trio]:
    (folder / "vault").mkdir()
    write(folder / "vault", {**texts})
    roots = (Root("vault", folder / "vault"),)
    chosen = Settings(roots, folder / "state", policies=policies("allow"))
    empty(server)
    async with (
        open_vault(chosen) as vault,
        permitted(folder, "allow") as permissions,
        opened(choice_of(server), folder / "neo4j", texts) as (neo4j, _),
    ):
        with anyio.fail_after(120):
            await vault.indexer.settled()
        memory = MemoryStore(texts, permissions)
        yield Trio({"vault": DocStore(vault), "memory": memory, "neo4j": neo4j})


@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate])
@given(shape=SHAPES)
@example(shape=Shape(500, 6, 7))
def test_three_stores_agree_on_every_tool(running: Neo4jServer, shape: Shape) -> None:
    async def check(folder: Path) -> None:
        texts = shape.texts()
        chance = random.Random(shape.seed)
        async with trio(running, folder, texts) as three:
            await three.everything(list(texts), chance)
            if len(texts) > 3:
                await three.write(list(texts), chance)
                now = three.stores["memory"]
                assert isinstance(now, MemoryStore)
                await three.everything(sorted(now.texts.texts), chance)

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(check, Path(folder))


def test_the_comparison_sees_a_difference(running: Neo4jServer) -> None:
    """The control: one link more in one of the three is noticed."""

    async def check(folder: Path) -> None:
        async with trio(running, folder, {"a.md": "[[b]]", "b.md": "", "c.md": ""}) as three:
            memory = three.stores["memory"]
            assert isinstance(memory, MemoryStore)
            memory.texts.texts["b.md"] = "[[c]]"
            with pytest.raises(AssertionError):
                await three.ask("find_path", source="a.md", target="c.md")

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(check, Path(folder))
