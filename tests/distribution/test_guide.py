"""The guide tells the truth: every answer that it shows is what the program answers."""

import json
import os
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import CallToolResult, Implementation, TextContent

from commonplace.server.mcp.server import build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools.table import Toolbox
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Embeddings, Root, Settings
from tests.distribution.guide import DEMO, Block, blocks, fits, fits_json, notes
from tests.tools.conftest import every_tool

pytestmark = pytest.mark.anyio

LANGUAGES = {"sh", "text", "json", "toml", "yaml", "js", "python", "cypher", "mermaid"}
CALLS = [block for block in blocks() if block.call]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def copied(to: Path) -> Path:
    """Copy the guide; no note of it is newer than another."""
    shutil.copytree(DEMO, to)
    for path in to.rglob("*.md"):
        os.utime(path, (1_900_000_000, 1_900_000_000))
    return to


@asynccontextmanager
async def assistant(folder: Path, state: Path, *, allowed: bool = True) -> AsyncGenerator[Client]:
    """Let an assistant work in a folder, where every write is allowed, or is asked for."""
    policy = "allow" if allowed else "ask"
    policies: dict[str, str] = dict.fromkeys(("create", "update", "delete", "rename"), policy)
    # A server of embeddings that is not there: search by meaning then goes by words alone.
    nowhere = Embeddings("http://127.0.0.1:9", "none")
    settings = Settings((Root("Notes", folder),), state, policies=policies, embeddings=nowhere)
    async with AsyncExitStack() as stack:
        vault = await stack.enter_async_context(open_vault(settings))
        await vault.indexer.settled()
        server = build(Toolbox(every_tool(vault)), VaultResources(vault), version="0")
        about = Implementation(name="Claude", version="1")
        yield await stack.enter_async_context(Client(server, client_info=about))


def said(answer: CallToolResult) -> str:
    """Return the first text of an answer."""
    return next(part.text for part in answer.content if isinstance(part, TextContent))


def test_every_block_is_of_a_sort_that_is_tried() -> None:
    found = list(blocks())
    assert {block.language for block in found} <= LANGUAGES
    assert len(found) > 40
    assert len(CALLS) > 10


def test_nothing_is_called_planned() -> None:
    planned = re.compile(r"status: planned|\(planned\)|^#+ Planned", re.MULTILINE)
    assert [path.name for path in notes() if planned.search(path.read_text("utf-8"))] == []


def test_no_paragraph_is_there_twice() -> None:
    for path in notes():
        long = [line[:60] for line in path.read_text("utf-8").splitlines() if len(line) > 60]
        assert sorted(set(long)) == sorted(long), path.name


@pytest.mark.parametrize("block", CALLS, ids=str)
async def test_an_answer_is_as_shown(block: Block, tmp_path: Path) -> None:
    async with assistant(copied(tmp_path / "Notes"), tmp_path / "state") as client:
        if block.arguments is None:
            answer = await client.call_tool(block.tool, json.loads(block.text))
            assert not answer.is_error, said(answer)
            return
        if block.tool == "edit":
            await client.call_tool("read", {"file_path": block.arguments["file_path"]})
        answer = await client.call_tool(block.tool, block.arguments)
    if block.language == "json":
        assert fits_json(json.loads(block.text), json.loads(said(answer))), said(answer)
    else:
        assert fits(block.text, said(answer)), said(answer)


async def test_what_stands_in_the_file_is_as_shown(tmp_path: Path) -> None:
    (edit,) = [block for block in CALLS if block.tool == "edit"]
    shown = next(block for block in blocks() if block.note == edit.note and "{--" in block.text)
    folder = copied(tmp_path / "Notes")
    assert edit.arguments is not None
    path = edit.arguments["file_path"]
    async with assistant(folder, tmp_path / "state") as client:
        await client.call_tool("read", {"file_path": path})
        await client.call_tool("edit", edit.arguments)
    assert shown.text.strip() in (folder / path).read_text("utf-8")


@pytest.mark.parametrize(
    ("shown", "answer", "fit"),
    [
        ("a … c", "a b c", True),
        ("a …", "a b\nc", True),
        ("a b", "a b c", False),
        ("a.c", "abc", False),
    ],
)
def test_the_comparison_can_fail(shown: str, answer: str, fit: bool) -> None:
    assert fits(shown, answer) is fit
    assert not fits_json({"a": 1}, {"a": 2})
    assert not fits_json({"a": 1}, {"a": 1, "b": 2})
    assert fits_json({"a": {"b": "…"}}, {"a": {"b": 3}})
