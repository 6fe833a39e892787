"""An assistant that stays connected over MCP while a browser looks on."""

import asyncio
import threading
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from mcp import Client
from mcp_types import Implementation

CALL_SECONDS_MAX = 20.0


class Assistant:
    """Calls tools from a thread of its own, one after another."""

    def __init__(self, loop: asyncio.AbstractEventLoop, client: Client) -> None:
        self._loop, self._client = loop, client

    def begin(self, tool: str, **arguments: Any) -> Future[Any]:
        """Call a tool without waiting for it."""
        return asyncio.run_coroutine_threadsafe(self._client.call_tool(tool, arguments), self._loop)

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that has to work."""
        answer = self.begin(tool, **arguments).result(CALL_SECONDS_MAX)
        assert not answer.is_error, answer
        return answer


@contextmanager
def connected(url: str, name: str = "Claude") -> Generator[Assistant]:
    """Be connected to a server, under a name."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    done = asyncio.Event()
    ready: Future[Client] = Future()

    async def stay() -> None:
        info = Implementation(name=name, version="1")
        async with Client(f"{url}/mcp", client_info=info) as client:
            ready.set_result(client)
            await done.wait()

    staying = asyncio.run_coroutine_threadsafe(stay(), loop)
    try:
        yield Assistant(loop, ready.result(CALL_SECONDS_MAX))
    finally:
        loop.call_soon_threadsafe(done.set)
        try:
            staying.result(CALL_SECONDS_MAX)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()
