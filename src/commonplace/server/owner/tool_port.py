"""A port of this machine at which the agents that we run find our tools, opened on first demand.

The owner may be a process that serves nobody over TCP. Whoever comes in here needs a token.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from commonplace.server.owner.http_apps import url

if TYPE_CHECKING:
    from starlette.types import ASGIApp


class ToolPort:
    """An HTTP app on a loopback port of its own."""

    def __init__(self, make_app: "Callable[[], Awaitable[ASGIApp]]") -> None:
        self._make_app = make_app
        self._starting = asyncio.Lock()
        self._closing = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None
        self._url = ""

    async def mcp_url(self) -> str:
        """Return where MCP is served; the port is opened by the first who asks."""
        async with self._starting:
            if self._serving is None or self._serving.done():
                app = await self._make_app()
                listener = socket.create_server(("127.0.0.1", 0))
                ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._serving = asyncio.create_task(self._serve(app, listener, ready))
                await ready
                self._url = f"{url(listener)}/mcp"
        return self._url

    async def close(self) -> None:
        """Serve no more."""
        self._closing.set()
        if self._serving is not None:
            await asyncio.wait([self._serving])

    async def _serve(
        self, app: "ASGIApp", listener: socket.socket, ready: "asyncio.Future[None]"
    ) -> None:
        from commonplace.server.owner.uvicorn import serving

        try:
            async with serving(app, [listener]):
                ready.set_result(None)
                await self._closing.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
        finally:
            listener.close()
