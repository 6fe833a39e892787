"""Frames on their way to one client: in order, bounded, and written by one task.

A client that reads too slowly does not hold up the others and does not fill the memory. When its
queue is full, what can be had again is dropped (updates, presences) and it is noted from where;
once the client reads again it gets all of that in one go, as it then stands. Answers to the
client's own questions are kept, and no further question is taken while they fill the queue.
One who reads nothing at all for too long is given up.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, NamedTuple

from starlette.types import Send

from commonplace.core.yjs.frames import (
    Awareness,
    Message,
    Presence,
    UpdateFrame,
    encode,
    encode_awareness,
)
from commonplace.core.yjs.policy import LOGGED
from commonplace.core.yjs.scan import scan
from commonplace.errors import CommonplaceError, Unavailable

FRAMES_MAX = 1_000
OUTBOX_BYTES_MAX = 8 * 1024 * 1024
STALLED_SECONDS_MAX = 30.0

CatchUp = Callable[[Mapping[int, int]], Awaitable[list["Frame"]]]


class Frame(NamedTuple):
    """One frame, made once for all who get it.

    What is not `kept` may be dropped; if it tells of an update, that is kept beside it.
    """

    payload: bytes
    kept: bool
    update: bytes = b""

    @property
    def message(self) -> dict[str, Any]:
        """The frame as an ASGI server takes it."""
        return {"type": "websocket.send", "bytes": self.payload}


def kept(message: Message) -> Frame:
    """Make a frame that must arrive."""
    return _frame(encode(message), keep=True)


def updating(update: bytes) -> Frame:
    """Make a frame that tells of an edit."""
    return _frame(encode(UpdateFrame(update)), update=update)


def showing(presences: Iterable[Presence]) -> Frame:
    """Make a frame that tells who is present."""
    return _frame(encode(Awareness(encode_awareness(presences))))


def _frame(data: bytes, *, keep: bool = False, update: bytes = b"") -> Frame:
    return Frame(data, keep, update)


class Outbox:
    """What one client is still to get; `catch_up` makes anew what was dropped.

    `catch_up` is given the clocks that dropped updates start from.
    """

    def __init__(self, catch_up: CatchUp, *, patience: float = STALLED_SECONDS_MAX) -> None:
        self._catch_up = catch_up
        self._patience = patience
        self._queue: deque[Frame] = deque()
        self._bytes = 0
        self._missed: dict[int, int] | None = None
        self._given_up: asyncio.TimerHandle | None = None
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._error: CommonplaceError | None = None

    @property
    def behind(self) -> bool:
        """Whether frames were dropped that the client has yet to get in another form."""
        return self._missed is not None

    @property
    def ended(self) -> bool:
        """Whether the client is being sent away."""
        return self._error is not None

    @property
    def waiting(self) -> int:
        """How many bytes wait."""
        return self._bytes

    def put(self, frame: Frame) -> None:
        """Send a frame in its turn."""
        if self._missed is not None and not frame.kept:
            self._miss(frame, self._missed)
            return
        self._queue.append(frame)
        self._bytes += len(frame.payload)
        if self._full and self._missed is None:
            self._fall_behind()
        self._filled.set()

    async def room(self) -> None:
        """Wait until there is room for an answer."""
        while self._full:
            self._emptied.clear()
            await self._emptied.wait()

    async def write(self, send: Send) -> None:
        """Send all frames, for as long as the client is there."""
        self._writer = asyncio.current_task()
        try:
            await self._write(send)
        except asyncio.CancelledError:
            if self._error is None:
                raise
            raise self._error from None
        finally:
            self._stop_timer()

    def stop(self, error: CommonplaceError) -> None:
        """Have the writer end with an error, whatever it is doing."""
        if self._error is None:
            self._error = error
            if self._writer is not None:
                self._writer.cancel()

    @property
    def _full(self) -> bool:
        return len(self._queue) > FRAMES_MAX or self._bytes > OUTBOX_BYTES_MAX

    async def _write(self, send: Send) -> None:
        queue = self._queue
        while True:
            while queue:
                frame = queue.popleft()
                self._bytes -= len(frame.payload)
                await _sent(send, frame)
            self._emptied.set()
            if self._missed is not None:
                await self._send_missed(send, self._missed)
            elif self._error is not None:
                raise self._error
            else:
                self._filled.clear()
                await self._filled.wait()

    def _fall_behind(self) -> None:
        dropped = [frame for frame in self._queue if not frame.kept]
        kept = [frame for frame in self._queue if frame.kept]
        self._queue.clear()
        self._queue.extend(kept)
        self._bytes = sum(len(frame.payload) for frame in kept)
        self._missed = {}
        for frame in dropped:
            self._miss(frame, self._missed)
        if self._given_up is None:
            self._start_timer()

    def _miss(self, frame: Frame, missed: dict[int, int]) -> None:
        """Note from where an update is missing; deletions are part of every catch-up."""
        if frame.update:
            for client, spans in scan(frame.update, policy=LOGGED).spans.items():
                missed[client] = min(missed.get(client, spans[0][0]), spans[0][0])

    async def _send_missed(self, send: Send, missed: Mapping[int, int]) -> None:
        # Forgotten first: what happens from now on is queued behind the frames made here.
        self._missed = None
        for frame in await self._catch_up(missed):
            await _sent(send, frame)
        self._stop_timer()
        if self.behind:
            self._start_timer()

    def _start_timer(self) -> None:
        slow = Unavailable("The connection reads too slowly; connect again.")
        loop = asyncio.get_running_loop()
        self._given_up = loop.call_later(self._patience, self.stop, slow)

    def _stop_timer(self) -> None:
        if self._given_up is not None:
            self._given_up.cancel()
            self._given_up = None


async def _sent(send: Send, frame: Frame) -> None:
    try:
        await send(frame.message)
    except (OSError, RuntimeError) as error:
        # the web server's words for a client that has gone, and a socket that it has closed
        raise ConnectionResetError(str(error)) from None
