"""The example of a package that adds a store and embeddings: installed, chosen, and asked."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.wait import eventually

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "bookmarks"

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

MARKS: dict[str, Any] = {
    "a": {
        "title": "Commonplace",
        "url": "https://a.example",
        "tags": ["read/later"],
        "links": ["b"],
    },
    "b": {"title": "Books", "url": "https://b.example", "tags": [], "links": []},
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment in which the example is installed, and nothing else is different."""
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(target), str(copied(tmp_path))],
        check=True,
        timeout=120,
    )
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), *sys.path])}


def copied(folder: Path) -> Path:
    """Copy the example, because building leaves files beside it."""
    there = folder / "example"
    there.mkdir()
    for file in EXAMPLE.iterdir():
        if file.is_file():
            (there / file.name).write_bytes(file.read_bytes())
    return there


def text_of(result: types.CallToolResult) -> Any:
    block, *_ = result.content
    assert isinstance(block, types.TextContent)
    assert not result.is_error, block.text
    return json.loads(block.text)


def test_the_example_is_short() -> None:
    lines = (EXAMPLE / "commonplace_bookmarks.py").read_text().splitlines()
    code = [line for line in lines if line.strip()]
    assert len(code) <= 40


async def test_an_installed_store_answers_an_assistant(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "note.md").write_text("aaa bbb")
    (tmp_path / "marks.json").write_text(json.dumps(MARKS))
    command = StdioServerParameters(
        command=sys.executable,
        args=[
            *("-m", "commonplace", "mcp", str(tmp_path / "vault"), "--state", str(tmp_path / "st")),
            *("--store", f"bookmarks://{tmp_path / 'marks.json'}", "--embeddings", "letters"),
        ],
        env=environ,
    )
    with anyio.fail_after(90):
        async with Client(stdio_client(command)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            # What the store cannot do is not offered.
            assert names.isdisjoint({"create_node", "update_node", "delete_node", "search"})
            node = text_of(await client.call_tool("get_node", {"id": "a", "depth": 1}))
            assert (node["title"], node["links"]) == (
                "Commonplace",
                [{"id": "b", "title": "Books"}],
            )
            path = text_of(await client.call_tool("find_path", {"source": "a", "target": "b"}))
            assert path == {"path": ["a", "b"], "length": 1}
            found = text_of(await client.call_tool("search_by_tags", {"tags": ["read"]}))
            assert [each["id"] for each in found] == ["a"]

            async def has_letters() -> bool:
                info = text_of(await client.call_tool("get_kiln_info", {"detailed": True}))
                return "letters" in json.dumps(info)

            await eventually(has_letters)


def test_a_store_that_nobody_offers_is_named(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("x")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "commonplace", "serve", str(tmp_path), "--port=0"),
            *("--store=nobody://x", f"--state={tmp_path / 'st'}"),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "There is no store 'nobody'. There are: vault, neo4j, bolt" in done.stderr
