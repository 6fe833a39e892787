"""A real vault behind a real MCP client, in both protocol eras."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client

from commonplace.server.mcp import build
from commonplace.tools import files
from commonplace.tools.table import Toolbox
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write

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

    async def error(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


OpenDesk = Callable[[Notes], Awaitable[Desk]]


@pytest.fixture(params=ERAS)
async def desk(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncGenerator[Callable[[Notes], Any]]:
    """Return a function that opens a vault of the notes given; the newest comes first."""
    opened: list[Any] = []

    async def open_desk(notes: Notes) -> Desk:
        folder = tmp_path / "vault"
        write(folder, notes)
        for age, path in enumerate(notes):
            os.utime(folder / path, (1_900_000_000 - age, 1_900_000_000 - age))
        settings = Settings((Root("vault", folder),), tmp_path / "state")
        opening = Vault.open(settings)
        vault = await opening.__aenter__()
        opened.append(opening)
        with anyio.fail_after(20):
            await vault.settled()
        connecting = Client(
            build(Toolbox(files.tools(vault)), vault, version="0"), mode=request.param
        )
        client = await connecting.__aenter__()
        opened.append(connecting)
        return Desk(client, folder, vault)

    yield open_desk
    for each in reversed(opened):
        await each.__aexit__(None, None, None)
