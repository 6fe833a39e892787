"""A network that can be cut: a proxy before a server, which forwards, is silent or hangs up."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


class Proxy:
    """Forwards bytes to a port until it is told not to."""

    def __init__(self, port: int) -> None:
        self._target = port
        self.port = 0
        self._flows = asyncio.Event()
        self._flows.set()
        self._word = b""
        self.was_cut = asyncio.Event()
        self.accepted = 0
        self._writers: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Let nothing through, and tell nobody: a cable that was pulled."""
        self._flows.clear()

    def cut_after(self, word: bytes) -> None:
        """Let through what holds this word, and nothing after it."""
        self._word = word

    def mend(self) -> None:
        """Let everything through again, what was held back first."""
        self._word = b""
        self._flows.set()

    def hang_up(self) -> None:
        """Close every connection."""
        for writer in self._writers:
            writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        await self._flows.wait()
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, far_writer}
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, OSError):
            while data := await reader.read(65536):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
                if self._word and self._word in data:
                    self.cut()
                    self.was_cut.set()
        writer.close()


@asynccontextmanager
async def proxy_to(port: int, host: str = "127.0.0.1") -> AsyncGenerator[Proxy]:
    """A proxy before a port of this machine, on one of its addresses."""
    proxy = Proxy(port)
    server = await asyncio.start_server(proxy.serve, host, 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        proxy.mend()
        proxy.hang_up()
        server.close()
