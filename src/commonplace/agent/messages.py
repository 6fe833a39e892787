"""JSON messages to and from an agent, a line each: bounded in size, order kept, junk left out.

A line that is too long, is no JSON or no object is dropped and counted; it never takes more memory
than the bound. What the agent asks or tells is handed over here, in the order in which it came, and
the next line is read when it has been taken: an agent that floods waits for us. Only answers to our
own requests are passed on to the protocol's package.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, cast

_MESSAGE_BYTES_MAX = 8 * 1024 * 1024
SENT_BYTES_MAX = 32 * 1024 * 1024

Json = dict[str, Any]


class MessageLines:
    """The lines of one agent."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        take: Callable[[Json], Awaitable[None]],
        bytes_max: int = _MESSAGE_BYTES_MAX,
    ) -> None:
        self._reader, self._writer = reader, writer
        self._take, self._bytes_max = take, bytes_max
        self._sending = asyncio.Lock()
        self.dropped = 0

    async def send(self, message: Json) -> None:
        """Send one message."""
        data = json.dumps(message).encode() + b"\n"
        if len(data) > SENT_BYTES_MAX:
            raise ValueError("the message is too long")
        async with self._sending:
            self._writer.write(data)
            await self._writer.drain()

    async def receive(self) -> Json | None:
        """Return the next answer; None at the end."""
        while (line := await self._line()) is not None:
            message = self._message(line)
            if message is None:
                self.dropped += bool(line.strip())
            elif "method" in message:
                await self._take(message)
            else:
                return message
        return None

    async def close(self) -> None:
        """Close the agent's standard input."""
        with suppress(OSError, RuntimeError):
            self._writer.close()

    def _message(self, line: bytes) -> Json | None:
        try:
            message: object = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(message, dict):
            return None
        found = cast("Json", message)
        id, method, error = found.get("id"), found.get("method", ""), found.get("error", {})
        known = isinstance(id, int | str | None) and isinstance(method, str)
        return found if known and isinstance(error, dict) else None

    async def _line(self) -> bytes | None:
        """Read a line; one that is too long comes back as nothing but a mark that it was."""
        parts: list[bytes] = []
        size = 0
        while True:
            try:
                parts.append(await self._reader.readuntil(b"\n"))
            except asyncio.LimitOverrunError as over:
                part = await self._reader.readexactly(over.consumed)
                size += len(part)
                parts = [b"?"] if size > self._bytes_max else [*parts, part]
            except (asyncio.IncompleteReadError, OSError):
                return None  # a line without its end is not a message
            else:
                size += len(parts[-1])
                return b"?" if size > self._bytes_max else b"".join(parts)
