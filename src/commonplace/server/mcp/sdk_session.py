"""The SDK's part of a session over a byte stream: lines in, lines out, the rest is the SDK's."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCMessage, jsonrpc_message_adapter

from commonplace.server.mcp.actors import acting
from commonplace.server.mcp.direct.line_writer import LineWriter
from commonplace.server.mcp.direct.requests import OPENING_ID
from commonplace.server.mcp.jsonrpc_lines import Refused, decoded, encoded
from commonplace.server.owner.line_buffer import TooLong
from commonplace.tools.table import Actor

Answered = Callable[[str | int | None], None]


class SdkSession:
    """One session of the SDK's server, whose answers go to a writer."""

    def __init__(self, server: Server[Any], writer: LineWriter, answered: Answered) -> None:
        self._server = server
        self._writer = writer
        self._answered = answered
        self._inbox, self._requests = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ]()
        self._outbox, self._replies = anyio.create_memory_object_stream[SessionMessage]()
        self._hidden = 0
        self.ended = anyio.Event()

    async def run(self, actor: Actor) -> None:
        """Serve until `close`; the answers go out meanwhile."""
        try:
            async with (
                self._inbox,
                self._requests,
                self._replies,
                anyio.create_task_group() as tasks,
                self._outbox,
            ):
                tasks.start_soon(self._write)
                with acting(actor):
                    options = self._server.create_initialization_options()
                    await self._server.run(self._requests, self._outbox, options)
        finally:
            self.ended.set()

    async def replay(self, messages: Sequence[dict[str, object]]) -> None:
        """Tell the SDK what was said before it was there; what it answers is not passed on."""
        for message in messages:
            self._hidden += "id" in message
            found = jsonrpc_message_adapter.validate_python(message, by_name=False)
            await self._inbox.send(SessionMessage(found))

    async def read(self, line: bytes | TooLong) -> JSONRPCMessage | None:
        """Read a line of the client; one that is no message is refused."""
        found = decoded(line)
        if not isinstance(found, Refused):
            return found
        self._writer.put(encoded(found.reply))
        await self._writer.room()
        return None

    @staticmethod
    def request_of(message: JSONRPCMessage | None) -> types.JSONRPCRequest | None:
        """Return a message if it is a request, which waits for an answer."""
        return message if isinstance(message, types.JSONRPCRequest) else None

    async def take(self, message: JSONRPCMessage) -> None:
        """Pass a message of the client on."""
        await self._inbox.send(SessionMessage(message))

    def close(self) -> None:
        """Say that the client is gone."""
        self._inbox.close()

    async def _write(self) -> None:
        async for reply in self._replies:
            message = reply.message
            if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                await self._writer.room()
                self._writer.put(encoded(message))
            elif message.id == OPENING_ID and self._hidden:
                self._hidden -= 1
            else:
                await self._writer.room()
                self._writer.put(encoded(message), partial(self._answered, message.id))
