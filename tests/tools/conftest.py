"""A real vault behind a real MCP client, in both protocol eras."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client

from commonplace.server.mcp.server import build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools import files, graph, meaning, notes, sets
from commonplace.tools.table import Tool, Toolbox
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Embeddings, Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write
from tests.wait import PATIENCE

ERAS = ("auto", "legacy")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True)
class Desk:
    """One assistant at work: its client, and the folder whose notes it sees."""

    client: Client
    folder: Path
    vault: Vault

    async def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must succeed."""
        result = await self.client.call_tool(tool, arguments)
        text = text_of(result)
        assert not result.is_error, text
        assert result.structured_content is None
        return text

    async def blocks(self, tool: str, **arguments: Any) -> list[str]:
        """Call a tool whose answer may have more than one block of text."""
        result = await self.client.call_tool(tool, arguments)
        return [block.text for block in result.content if block.type == "text"]

    async def error(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


@dataclass
class Person:
    """Somebody at the client who answers what the server asks, in the order given."""

    answers: list[str]
    asked: list[str] = field(default_factory=list[str])

    async def answer(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        said = self.answers.pop(0)
        if said in ("decline", "cancel"):
            return types.ElicitResult(action=said)
        return types.ElicitResult(action="accept", content={"allow": said})


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


def every_tool(vault: Vault) -> list[Tool]:
    """Return all tools over a vault."""
    return [
        *files.tools(vault),
        *notes.tools(vault),
        *meaning.tools(vault),
        *graph.tools(DocStore(vault)),
        *sets.tools(vault),
    ]


OpenDesk = Callable[..., Awaitable[Desk]]


@pytest.fixture(params=ERAS)
async def desk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[OpenDesk]:
    """Return a function that opens a vault of the notes given; the newest comes first."""
    opened: list[Any] = []

    async def open_desk(
        texts: Notes,
        *,
        person: Person | None = None,
        embeddings: Embeddings | None = None,
        caution: Caution | None = None,
        **policies: str,
    ) -> Desk:
        folder = tmp_path / "vault"
        folder.mkdir(exist_ok=True)
        write(folder, texts)
        for age, path in enumerate(texts):
            os.utime(folder / path, (1_900_000_000 - age, 1_900_000_000 - age))
        settings = Settings(
            (Root("vault", folder),),
            tmp_path / "state",
            policies=policies,
            embeddings=embeddings,
        )
        opening = open_vault(settings, caution=caution)
        vault = await opening.__aenter__()
        opened.append(opening)
        with anyio.fail_after(PATIENCE):
            await vault.indexer.settled()
        connecting = Client(
            build(Toolbox(every_tool(vault)), VaultResources(vault), version="0"),
            mode=request.param,
            elicitation_callback=person.answer if person else None,
        )
        client = await connecting.__aenter__()
        opened.append(connecting)
        return Desk(client, folder, vault)

    yield open_desk
    for each in reversed(opened):
        await each.__aexit__(None, None, None)
