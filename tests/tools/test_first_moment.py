"""The first call of a client after a start is answered as a later one would be, or says so.

All tools are called at the very moment at which the vault opens, before its index knows anything,
and again once it is settled. `COMMONPLACE_MANY_NOTES=10000` adds a vault of that size.
"""

import json
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from commonplace.server.mcp.server import build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools import families
from commonplace.tools.table import Toolbox
from commonplace.vault.open import open_vault
from commonplace.vault.search import listing
from commonplace.vault.search.readiness import READY_SECONDS_MAX
from commonplace.vault.settings import Embeddings, Root, Settings
from commonplace.vault.vault import Vault
from tests.tools.conftest import ERAS, every_tool
from tests.vault.embeddings.server import Behaviour, serving
from tests.wait import PATIENCE, eventually

SIZES = [400, *map(int, os.environ.get("COMMONPLACE_MANY_NOTES", "").split())]

CALLS: dict[str, dict[str, Any]] = {
    "read": {"file_path": "d1/n1.md"},
    "glob": {"pattern": "**/*.md"},
    "grep": {"pattern": "zebra", "output_mode": "count"},
    "get_links": {"file_path": "d1/n1.md"},
    "read_note": {"path": "d1/n1.md"},
    "read_metadata": {"path": "d1/n1.md"},
    "list_notes": {},
    "text_search": {"query": "zebra", "limit": 100},
    "property_search": {"properties": {"kind": "plain"}, "limit": 100},
    "get_kiln_info": {"detailed": True},
    "get_node": {"id": "d1/n1.md", "depth": 1},
    "get_neighbors": {"id": "d1/n1.md"},
    "find_path": {"source": "d1/n1.md", "target": "d1/n3.md"},
    "get_hubs": {},
    "search_by_tags": {"tags": ["urgent"], "limit": 100},
    "random_node": {"tags": ["only"]},
    "edit": {"file_path": "d1/n2.md", "old_string": "Body", "new_string": "Text"},
    "create_note": {"path": "new/a.md", "content": "A"},
    "update_note": {"path": "d1/n3.md", "content": "Other"},
    "delete_note": {"path": "d1/n4.md"},
    "create_node": {"title": "Made", "content": "B"},
    "update_node": {"id": "d1/n0.md", "title": "Renamed"},
    "delete_node": {"id": "d1/n5.md"},
}
WRITING = set(CALLS) & families.WRITING_TOOLS
BY_MEANING: dict[str, dict[str, Any]] = {
    "search": {"query": "vehicle", "limit": 5},
    "semantic_search": {"query": "vehicle", "limit": 5},
}


@pytest.fixture
def embedding() -> Generator[Behaviour]:
    with serving() as behaviour:
        yield behaviour


def fill(folder: Path, count: int, word: str) -> None:
    """Write notes in a row, each linked to the next."""
    (folder / "d1").mkdir(parents=True, exist_ok=True)
    for n in range(count):
        only = ", only" if n == 1 else ""
        (folder / f"d1/n{n}.md").write_text(
            f"---\ntags: [urgent{only}]\nkind: plain\n---\n# Note {n}\n\n"
            f"Body [[n{n + 1}]] {word}{' car' if n == 2 else ''}\n"
        )


@asynccontextmanager
async def opened(
    tmp_path: Path, era: str, *, seconds_max: float = 60, embeddings: Embeddings | None = None
) -> AsyncGenerator[tuple[Vault, Client]]:
    """Open a vault whose answers wait for a small index however slow the machine is."""
    settings = Settings(
        (Root("vault", tmp_path / "vault"),),
        tmp_path / "state",
        policies=dict.fromkeys(("create", "update", "delete", "rename"), "allow"),
        embeddings=embeddings,
    )
    async with open_vault(settings) as vault:
        vault.readiness.seconds_max = vault.meaning.first_round.seconds_max = seconds_max
        server = build(Toolbox(every_tool(vault)), VaultResources(vault), version="0")
        async with Client(server, mode=era) as client:
            yield vault, client


async def answers(client: Client, calls: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """Call all these tools at once."""
    found: dict[str, list[str]] = {}

    async def call(name: str, arguments: dict[str, Any]) -> None:
        result = await client.call_tool(name, arguments)
        blocks = [block.text for block in result.content if block.type == "text"]
        # Warnings come once, with whichever answer is first.
        found[name] = [text for text in blocks if not text.startswith('{"_warnings"')]
        assert not result.is_error, (name, found[name])

    async with anyio.create_task_group() as tasks:
        for name, arguments in calls.items():
            tasks.start_soon(call, name, arguments)
    return found


async def embedded(vault: Vault) -> None:
    """Wait until every note can be found by its meaning."""
    await eventually(lambda: vault.meaning.progress.embedded == vault.meaning.progress.total)


READING = {name: given for name, given in CALLS.items() if name not in WRITING}


def said_incomplete(blocks: list[str]) -> bool:
    return "This answer may be incomplete" in "".join(blocks) or "_incomplete" in blocks[0]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("size", "era"), [*((5, era) for era in ERAS), *((n, "auto") for n in SIZES)]
)
async def test_first_answers_are_those_of_later(
    tmp_path: Path, size: int, era: str, embedding: Behaviour
) -> None:
    calls = READING | BY_MEANING
    fill(tmp_path / "vault", size, "zebra")
    for word in ("zebra", "quagga zebra zebra"):  # cold, then after changes while nothing ran
        patience = 60 if size <= 400 else READY_SECONDS_MAX
        async with opened(tmp_path, era, seconds_max=patience, embeddings=embedding.embeddings) as (
            vault,
            client,
        ):
            first = await answers(client, calls)
            with anyio.fail_after(PATIENCE):
                await vault.indexer.settled()
            await embedded(vault)
            later = await answers(client, calls)
        assert later["grep"][0].count("\n") >= min(size, 100) - 1
        assert json.loads(later["search"][0])[0]["id"] == "d1/n2.md"
        # A size on disk is what it is at that moment.
        for found in (first, later):
            info = json.loads(found["get_kiln_info"][0])
            del info["stats"]["index_size_bytes"]
            found["get_kiln_info"] = [json.dumps(info)]
        for name, blocks in first.items():
            assert blocks == later[name] or (size > 400 and said_incomplete(blocks)), name
        fill(tmp_path / "vault", size + 3, word)


@pytest.mark.anyio
@pytest.mark.parametrize("name", sorted(WRITING - {"edit"}))
async def test_first_writes_are_whole(tmp_path: Path, name: str) -> None:
    fill(tmp_path / "vault", 8, "zebra")
    async with opened(tmp_path, "auto") as (_, client):
        found = await answers(client, {name: CALLS[name]})
        assert not said_incomplete(found[name])
        if name == "delete_note":
            assert json.loads(found[name][0])["backlink_count"] == 1
        if name == "update_node":
            assert json.loads(found[name][0])["links"] == [{"id": "d1/n1.md", "title": "Note 1"}]


@pytest.mark.anyio
async def test_an_index_that_takes_too_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: nothing waits, so that every answer that the index gives is incomplete."""
    fill(tmp_path / "vault", 5, "zebra")
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        monkeypatch.setattr(vault.readiness, "seconds_max", 0.0)
        monkeypatch.setattr(listing, "LISTED_SECONDS_MAX", 0.0)
        async with Client(
            build(Toolbox(every_tool(vault)), VaultResources(vault), version="0")
        ) as client:
            found = await answers(client, READING)
    told = {name for name, blocks in found.items() if said_incomplete(blocks)}
    assert told == set(found) - {"read", "read_note"}
    assert found["find_path"] == [
        "null",
        "[The vault is still being indexed: 0 notes. This answer may be incomplete.]",
    ]
    assert json.loads(found["get_kiln_info"][0])["_incomplete"] == {"indexed": 0, "total": None}
    assert found["get_links"][0].endswith("This answer may be incomplete.]")


@pytest.mark.anyio
async def test_what_is_not_embedded_yet_is_told(tmp_path: Path, embedding: Behaviour) -> None:
    """The control: nothing waits, so that nothing can be found by its meaning."""
    embedding.seconds = 1.0
    fill(tmp_path / "vault", 5, "zebra")
    async with opened(tmp_path, "auto", embeddings=embedding.embeddings) as (vault, client):
        vault.meaning.first_round.seconds_max = 0.0
        found = await answers(client, BY_MEANING)
        assert all(said_incomplete(blocks) for blocks in found.values())
        assert json.loads(found["semantic_search"][0])["_incomplete"] == {"indexed": 0, "total": 5}


@pytest.mark.anyio
async def test_a_search_by_words_alone_says_why(tmp_path: Path, embedding: Behaviour) -> None:
    embedding.failing = True
    fill(tmp_path / "vault", 5, "zebra")
    async with opened(tmp_path, "auto", embeddings=embedding.embeddings) as (_, client):
        found = await answers(client, {"search": {"query": "zebra"}})
        assert found["search"][-1].startswith("[Searched by words alone: ")
