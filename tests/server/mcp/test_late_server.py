"""The SDK's server, loaded and built when somebody first needs it."""

import anyio
import pytest

from commonplace.server.mcp.late_server import LateServer
from commonplace.server.mcp.tool_calls import ToolCalls
from tests.server.small_vault import Shelf, toolbox

pytestmark = pytest.mark.anyio


async def test_all_who_ask_at_once_get_one_server() -> None:
    shelf = Shelf()
    late = LateServer(ToolCalls(toolbox(shelf)), shelf, b"k" * 32)
    found: list[object] = []

    async def ask() -> None:
        found.append(await late.get())

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(ask)
    assert len(found) == 5
    assert len(set(map(id, found))) == 1
