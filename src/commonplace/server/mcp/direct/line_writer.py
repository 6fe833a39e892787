"""Lines on their way to a client: written by one task, those that wait together in one go."""

from collections.abc import Callable

import anyio
from anyio.abc import ByteSendStream

WAITING_BYTES_MAX = 1024 * 1024

WrittenCallback = Callable[[], None]


class LineWriter:
    """Collects lines for `run` to send; whoever can wait asks for `room` first."""

    def __init__(self, send: ByteSendStream) -> None:
        self._send = send
        self._lines: list[bytes] = []
        self._bytes = 0
        self._callbacks: list[WrittenCallback] = []
        self._closed = False
        self._news = anyio.Event()
        self._sent = anyio.Event()

    def put(self, line: bytes, written: WrittenCallback | None = None) -> None:
        """Send a line soon; `written` is called once it is handed to the system."""
        self._lines += (line, b"\n")
        self._bytes += len(line)
        if written is not None:
            self._callbacks.append(written)
        self._news.set()

    async def room(self) -> None:
        """Wait while more is underway than a client who reads would leave."""
        while self._bytes > WAITING_BYTES_MAX:
            await self._sent.wait()

    def close(self) -> None:
        """Let `run` end when everything is sent."""
        self._closed = True
        self._news.set()

    async def run(self) -> None:
        """Send lines as they come."""
        while True:
            if not self._lines:
                if self._closed:
                    return
                self._news = anyio.Event()
                await self._news.wait()
            lines, self._lines = self._lines, []
            callbacks, self._callbacks = self._callbacks, []
            size, data = self._bytes, b"".join(lines)
            if data:
                await self._send.send(data)
            self._bytes -= size
            for written in callbacks:
                written()
            if size > 0:
                self._sent.set()
                self._sent = anyio.Event()
