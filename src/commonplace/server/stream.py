"""One MCP session over a pair of byte streams: a JSON-RPC message a line, in each direction.

This is stdio, and each connection to the owner's socket. The SDK's own stdio transport drops what
it cannot parse; here such a line is answered with a JSON-RPC error and the session goes on. When
the client closes its side, calls that are under way get `CLOSING_SECONDS` to be answered; the
session ends within a second whatever the client does, or does not, read.
"""

from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import ByteReceiveStream, ByteSendStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCMessage

from commonplace.server.actors import acting
from commonplace.server.lines import Refused, decoded, encoded, refused
from commonplace.server.splitting import Lines
from commonplace.tools.table import Actor

UNANSWERED_MAX = 256
CLOSING_SECONDS = 0.4
FLUSHING_SECONDS = 0.2

# The answer to this request is a stream that lasts as long as the session: not worth waiting for.
_ENDLESS = "subscriptions/listen"
_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError)

Inbox = MemoryObjectSendStream[SessionMessage | Exception]
Outbox = MemoryObjectSendStream[SessionMessage]


async def serve_stream(
    server: Server[Any], receive: ByteReceiveStream, send: ByteSendStream, actor: Actor
) -> None:
    """Serve one client until it closes its side; any number of these may run on one server."""
    inbox, requests = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox, replies = anyio.create_memory_object_stream[SessionMessage](0)
    session = _Session(inbox, outbox.clone())
    with acting(actor):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.read, receive)
            tasks.start_soon(session.write, replies, send)
            await server.run(requests, outbox, server.create_initialization_options())
            session.reading.cancel()


class _Session:
    """What the two directions of a connection need to know of each other."""

    def __init__(self, inbox: Inbox, outbox: Outbox) -> None:
        self.reading = anyio.CancelScope()
        self._writing = anyio.CancelScope()
        self._inbox = inbox
        self._outbox = outbox
        self._unanswered: set[str | int] = set()
        self._answered = anyio.Event()

    async def read(self, receive: ByteReceiveStream) -> None:
        """Pass the client's messages on, then let the answers go out, then end the session."""
        async with self._inbox, self._outbox:
            with self.reading:
                await self._pass_on(receive)
                await self._all_answered()
            self._writing.deadline = anyio.current_time() + FLUSHING_SECONDS

    async def write(
        self, replies: MemoryObjectReceiveStream[SessionMessage], send: ByteSendStream
    ) -> None:
        """Write what the server says, until it is done or the client is gone."""
        with self._writing:
            async with replies:
                try:
                    async for reply in replies:
                        await send.send(encoded(reply.message))
                        self._count_answer(reply.message)
                except _GONE:
                    self.reading.cancel()

    async def _pass_on(self, receive: ByteReceiveStream) -> None:
        lines = Lines()
        with suppress(*_GONE):
            async for data in receive:
                for line in lines.feed(data):
                    await self._take(self._counted(decoded(line)))

    async def _take(self, message: JSONRPCMessage | Refused) -> None:
        if isinstance(message, Refused):
            await self._outbox.send(SessionMessage(message.reply))
        else:
            await self._inbox.send(SessionMessage(message))

    def _counted(self, message: JSONRPCMessage | Refused) -> JSONRPCMessage | Refused:
        """Keep account of what waits for an answer; there is only so much of it at a time."""
        match message:
            case types.JSONRPCRequest(method=method) if method == _ENDLESS:
                return message
            case types.JSONRPCRequest(id=number):
                if len(self._unanswered) >= UNANSWERED_MAX:
                    text = f"{UNANSWERED_MAX} requests are unanswered. Wait for some of them."
                    return refused(number, types.INTERNAL_ERROR, text)
                self._unanswered.add(number)
            case types.JSONRPCNotification(
                method="notifications/cancelled", params={"requestId": str() | int() as number}
            ):
                self._settle(number)
            case _:
                pass
        return message

    def _count_answer(self, message: JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(message.id)

    def _settle(self, number: str | int | None) -> None:
        self._unanswered -= {number}
        self._answered.set()

    async def _all_answered(self) -> None:
        with anyio.move_on_after(CLOSING_SECONDS):
            while self._unanswered:
                self._answered = anyio.Event()
                await self._answered.wait()
