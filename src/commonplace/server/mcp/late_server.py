"""The SDK's server, loaded and built when somebody first needs it."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from commonplace import __version__
from commonplace.server.mcp.ports import Notes
from commonplace.server.mcp.tool_calls import ToolCalls

if TYPE_CHECKING:
    from mcp.server import Server

GetServer = Callable[[], Awaitable["Server[Any]"]]


class LateServer:
    """A server over tools and notes; `state_key` seals what clients carry between rounds."""

    def __init__(self, calls: ToolCalls, notes: Notes, state_key: bytes) -> None:
        self._calls = calls
        self._notes = notes
        self._state_key = state_key
        self._server: Server[Any] | None = None

    async def get(self) -> "Server[Any]":
        """Return the server; to load what it needs does not hold up the event loop."""
        await anyio.to_thread.run_sync(import_module, "commonplace.server.mcp.server")
        from commonplace.server.mcp.server import build

        if self._server is None:
            keys = [self._state_key]
            self._server = build(self._calls, self._notes, version=__version__, state_keys=keys)
        return self._server
