"""What a monitor asks for, on an address of its own, without a token."""

import socket

import anyio
import httpx
import pytest

from commonplace.server.metrics.registry import Registry
from commonplace.server.metrics.text import gauge
from commonplace.server.owner.metrics_port import answer_monitors
from tests.wait import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_monitor_is_told_of_this_process_and_nothing_else_is_there() -> None:
    registry, listener = Registry(), socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with anyio.create_task_group() as tasks, httpx.AsyncClient(trust_env=False) as http:
        tasks.start_soon(answer_monitors, listener, registry)
        with registry.telling(lambda: iter([gauge("notes", "How many.", 3)])):
            answer = await http.get(f"{address}/metrics")
        assert "notes 3\n" in answer.text
        assert "notes 3" not in (await http.get(f"{address}/metrics")).text
        for path in ("/", "/mcp", "/api/note"):
            assert (await http.get(address + path)).status_code == 404
        tasks.cancel_scope.cancel()
    await eventually(lambda: listener.fileno() == -1)
