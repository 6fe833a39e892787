"""A connected socket as a stream of bytes, over a transport of the event loop.

The loop watches it from first to last. anyio's own stream asks the system before each receipt to
be woken and takes that back afterwards, and lets a turn of the loop pass before it sends: for short
messages that costs more than the messages.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from anyio import BrokenResourceError, EndOfStream
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.buffered import BufferedByteStream

RECEIVED_BYTES_MAX = 256 * 1024
UNSENT_SECONDS_MAX = 0.2


class TransportStream(asyncio.Protocol, ByteStream):
    """A stream over one transport, for one reader and one writer."""

    def __init__(self, received: bytes = b"") -> None:
        self._transport: asyncio.Transport
        self._received = bytearray(received)
        self._ended = self._lost = self._full = self._blocked = False
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None

    # -- from the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Keep what came, up to a bound."""
        self._received += data
        if len(self._received) > RECEIVED_BYTES_MAX:
            self._transport.pause_reading()
            self._full = True
        _wake(self._reader)

    def eof_received(self) -> bool:
        """Note that nothing more comes; answers may still be sent."""
        self._ended = True
        _wake(self._reader)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Let nobody wait any more."""
        self._ended = self._lost = True
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        """Note that the system takes no more for now."""
        self._blocked = True

    def resume_writing(self) -> None:
        """Note that the system has taken most of it."""
        self._blocked = False
        _wake(self._writer)

    # -- for the session

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """Return what has come, once there is something."""
        while not self._received:
            if self._ended:
                raise EndOfStream
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        data = bytes(self._received[:max_bytes])
        del self._received[:max_bytes]
        if self._full and not self._received and not self._lost:
            self._transport.resume_reading()
            self._full = False
        return data

    async def send(self, item: bytes) -> None:
        """Send bytes at the end of this turn of the loop; wait while too many are underway."""
        self._require_client()
        self._transport.write(item)
        while self._blocked and not self._lost:
            self._writer = asyncio.get_running_loop().create_future()
            await self._writer
        self._require_client()

    def _require_client(self) -> None:
        if self._transport.is_closing():
            raise BrokenResourceError

    async def send_eof(self) -> None:
        """Say that nothing more will be sent."""
        self._transport.write_eof()

    async def aclose(self) -> None:
        """Let go of the socket; what is underway gets a moment longer."""
        self._transport.close()
        asyncio.get_running_loop().call_later(UNSENT_SECONDS_MAX, self._transport.abort)


@asynccontextmanager
async def over_transport(stream: BufferedByteStream) -> AsyncGenerator[TransportStream]:
    """Read and write the socket of a stream, which rests meanwhile, over a transport."""
    held = stream.extra(SocketAttribute.raw_socket).dup()  # noqa: S610 (this is no Django)
    loop = asyncio.get_running_loop()
    _, quick = await loop.connect_accepted_socket(lambda: TransportStream(stream.buffer), held)
    async with quick:
        yield quick


def _wake(waiting: "asyncio.Future[None] | None") -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)
