"""The ten tools through a real MCP client, over Neo4j and over a vault: the same answers.

With -s the table of answers is shown.
"""

import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.engines.neo4j_server import PASSWORD, Neo4jServer
from tests.vault.embeddings.server import serving

pytestmark = pytest.mark.anyio

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("create_node", {"title": "Cats", "content": "The cat meets [[dogs]].", "tags": ["pet/cat"]}),
    ("create_node", {"title": "Dogs", "content": "A dog knows [[cats]] and [[Owners]]. #pet"}),
    (
        "create_node",
        {"title": "Owners", "content": "# Owners\n\nof [[dogs]]", "directory": "people"},
    ),
    ("create_node", {"title": "Cats", "content": "again"}),
    ("create_node", {"title": "Lonely", "content": "nobody"}),
    ("get_node", {"id": "dogs.md", "depth": 1}),
    ("get_node", {"id": "missing.md"}),
    ("get_neighbors", {"id": "dogs.md", "direction": "in"}),
    ("find_path", {"source": "cats.md", "target": "people/owners.md"}),
    ("find_path", {"source": "people/owners.md", "target": "lonely.md"}),
    ("get_hubs", {"metric": "in_degree"}),
    ("get_hubs", {"metric": "out_degree", "limit": 1}),
    ("search_by_tags", {"tags": ["pet"]}),
    ("search_by_tags", {"tags": ["pet", "cat"], "mode": "all"}),
    ("random_node", {"tags": ["pet/cat"]}),
    ("update_node", {"id": "dogs.md", "title": "Hounds"}),
    ("get_node", {"id": "cats.md"}),
    ("update_node", {"id": "cats.md", "content": "Only [[hounds]] now.", "tags": ["x"]}),
    ("update_node", {"id": "nobody.md", "content": "x"}),
    ("update_node", {"id": "cats.md"}),
    ("delete_node", {"id": "hounds.md"}),
    ("delete_node", {"id": "hounds.md"}),
    ("get_node", {"id": "cats.md", "depth": 1}),
    ("get_hubs", {}),
]


@asynccontextmanager
async def client(folder: Path, *arguments: str) -> AsyncGenerator[Client]:
    (folder / "vault").mkdir(parents=True)
    policy = "create=allow,update=allow,delete=allow,rename=allow"
    command = StdioServerParameters(
        command=sys.executable,
        args=[
            *("-m", "commonplace", "mcp", str(folder / "vault"), f"--state={folder / 'state'}"),
            *(f"--policy={policy}", "--tools=graph", *arguments),
        ],
        env={**os.environ, "COMMONPLACE_STORE_PASSWORD": PASSWORD},
    )
    async with Client(stdio_client(command)) as connected:
        yield connected


async def ask(at: Client, tool: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
    result = await at.call_tool(tool, arguments)
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    answer: Any = json.loads(block.text)
    if isinstance(answer, dict):
        # A vault tells of a link that broke when its note changes, not when its target goes.
        cast("dict[str, Any]", answer).pop("_warnings", None)
    return bool(result.is_error), cast("Any", answer)


async def test_ten_tools_answer_alike_over_neo4j_and_over_a_vault(
    server: Neo4jServer, tmp_path: Path
) -> None:
    with serving() as provider, anyio.fail_after(240):
        meaning = f"--embeddings={provider.url}#words"
        async with (
            client(tmp_path / "one", meaning) as vault,
            client(tmp_path / "two", meaning, f"--store={server.url}") as neo4j,
        ):
            offered = [tool.name for tool in (await vault.list_tools()).tools]
            assert offered == [tool.name for tool in (await neo4j.list_tools()).tools]
            assert len(offered) == 10
            for tool, arguments in CALLS:
                over_vault = await ask(vault, tool, arguments)
                over_neo4j = await ask(neo4j, tool, arguments)
                show(tool, arguments, over_neo4j)
                assert over_neo4j == over_vault, (tool, arguments)
            for at in (vault, neo4j):
                found, rows, failed = list[str](), list[Any](), False
                while set(found) != {"cats.md", "lonely.md", "people/owners.md"}:
                    failed, rows = await ask(at, "search", {"query": "feline now", "limit": 5})
                    assert not failed
                    found = [row["id"] for row in rows]
                assert found[0] == "cats.md"  # by a synonym: the provider was asked
                assert all(0 <= row["score"] <= 1 for row in rows)
                show("search", {"query": "feline now"}, (failed, rows))


def show(tool: str, arguments: dict[str, Any], answer: tuple[bool, Any]) -> None:
    told = json.dumps(answer[1], ensure_ascii=False)
    sys.stdout.write(f"| {tool} | {json.dumps(arguments)[:60]} | {told[:100]} |\n")


async def test_a_fault_is_a_provider_error_and_passes(
    server: Neo4jServer, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Wrong password: said by each tool; nothing of it in an answer; the files' tools go on."""
    environ = os.environ | {"COMMONPLACE_STORE_PASSWORD": "a-wrong-secret"}
    (tmp_path / "vault").mkdir()
    command = StdioServerParameters(
        command=sys.executable,
        args=[
            *("-m", "commonplace", "mcp", str(tmp_path / "vault"), f"--state={tmp_path / 'state'}"),
            f"--store={server.url}",
        ],
        env=dict(environ),
    )
    with anyio.fail_after(120):
        async with Client(stdio_client(command)) as at:
            failed, answer = await ask(at, "get_node", {"id": "a.md"})
            assert failed
            assert answer["error"]["code"] == "PROVIDER_ERROR"
            assert "refuses the user name or the password" in answer["error"]["message"]
            assert "a-wrong-secret" not in json.dumps(answer)
            listed = await at.call_tool("glob", {"pattern": "**/*.md"})
            assert not listed.is_error
