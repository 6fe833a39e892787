"""A shorter way to and from a WebSocket than `send` and `receive`.

A room sends the same bytes to everybody in it, and a server does not mask what it sends; and what
a client sends is nearly always one short frame. With `Framed` as uvicorn's WebSocket protocol, an
application finds `Frames` in its scope: it writes frames that were made once, and is called with
each message as it arrives, without a queue or a task between. Nothing is lost without it but time.

Frames are told apart here; only whole binary messages are taken by the short way. Every other
frame goes, whole, to the library that knows all of the protocol, and one that is odd leaves the
rest of the connection to it.
"""

from asyncio import BaseTransport
from collections.abc import Callable
from typing import Protocol, cast

from starlette.types import Scope
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

try:
    from websockets.speedups import apply_mask
except ImportError:  # no compiled part for this machine
    from websockets.utils import apply_mask

_EXTENSION = "commonplace.frames"
_BINARY = 0x82
_FINAL = 0x80
_CONTROL = 0x08
_MASKED = 0x80
_MASK_BYTES = 4
_HEAD_MIN = 2 + _MASK_BYTES
_RESERVED = 0x70
_SHORT_MAX = 125
TURN_MAX = 32

WriteFrame = Callable[[bytes], bool]
Hear = Callable[[bytes], None]


class Frames(Protocol):
    """What an application can do with a socket beside `send` and `receive`."""

    def write_frame(self, frame: bytes) -> bool:
        """Write a whole frame, unless the socket is busy or closing."""
        ...

    def read_frames(self, hear: Hear | None) -> None:
        """Have each message from now on told at once; text as an empty one. None ends it."""
        ...

    def hold_reading(self, *, hold: bool) -> None:
        """Tell no messages for a while, and read no more of them."""
        ...


class Framed(WebSocketsSansIOProtocol):
    """uvicorn's protocol, with frames."""

    _hear: Hear | None = None
    _all_theirs = False
    _in_parts = False
    _held = False
    _paused = False
    _turning = False

    def connection_made(self, transport: BaseTransport) -> None:
        """Begin."""
        self._kept = bytearray()
        super().connection_made(transport)

    async def run_asgi(self) -> None:
        """Serve a connection."""
        extensions = self.scope.setdefault("extensions", {})
        cast("dict[str, object]", extensions)[_EXTENSION] = self
        await super().run_asgi()

    def write_frame(self, frame: bytes) -> bool:
        """Write a frame, unless the socket is busy or closing."""
        if not self.writable.is_set() or self.close_sent or self.transport.is_closing():
            return False
        self.transport.write(frame)
        return True

    def read_frames(self, hear: Hear | None) -> None:
        """Have each message from now on told at once; None ends that."""
        self._hear = hear
        if hear is None:
            self.hold_reading(hold=False)
            return
        for _ in range(self.queue.qsize()):
            message = self.queue.get_nowait()
            if message["type"] == "websocket.receive":
                hear(message.get("bytes") or b"")
            else:
                self.queue.put_nowait(message)
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()

    def hold_reading(self, *, hold: bool) -> None:
        """Tell no messages for a while, and read no more of them."""
        if hold != self._held:
            self._held = hold
            if not self._turning:
                self._turn()

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
        if self._all_theirs or not self.handshake_initiated:
            super().data_received(data)
        elif self._kept or self._paused:
            self._kept += data
            if not self._turning:
                self._turn()
        else:
            done = self._read(data)
            if done < len(data) or self._held:
                self._kept += memoryview(data)[done:]
                self._settle()

    def send_receive_event_to_app(self) -> None:
        """Tell of a message that the library read."""
        if self._hear is None:
            super().send_receive_event_to_app()
        else:
            data, self.frames = b"".join(self.frames), []
            self._hear(data if self.curr_msg_data_type == "bytes" else b"")

    def _turn(self) -> None:
        self._turning = False
        if not self.transport.is_closing():
            done = self._read(self._kept)
            del self._kept[:done]
            self._settle()

    def _settle(self) -> None:
        """Read on, unless what is here already is enough for now."""
        if self._turning:
            self.loop.call_soon(self._turn)
        pause = self._held or self._turning
        if self.transport.is_closing() or pause == self._paused:
            return
        self._paused = pause
        if pause:
            self.transport.pause_reading()
        elif not self.read_paused:
            self.transport.resume_reading()

    def _read(self, data: bytes | bytearray) -> int:
        """Take whole frames, a few at a time; answers how many bytes they were."""
        at = taken = 0
        while not self._held and (size := _size_of(data, at)):
            if size < 0 or size > self.config.ws_max_size:
                self._all_theirs = True
                super().data_received(bytes(data[at:]))
                return len(data)
            if at + size > len(data):
                break
            if taken == TURN_MAX:
                self._turning = True
                break
            self._take(data[at : at + size])
            at += size
            taken += 1
        return at

    def _take(self, frame: bytes | bytearray) -> None:
        """Take one frame: tell of a message that is whole, leave all else to the library."""
        if self._hear is not None and frame[0] == _BINARY and not self._in_parts:
            if not self.close_sent:
                self._hear(_unmasked(frame))
            return
        if not frame[0] & _CONTROL:
            self._in_parts = not frame[0] & _FINAL
        super().data_received(bytes(frame))


def _size_of(data: bytes | bytearray, at: int) -> int:
    """Tell how long a frame is: 0 if that is not to be seen yet, below 0 if it is an odd one."""
    if len(data) - at < _HEAD_MIN:
        return 0
    size = data[at + 1] - _MASKED
    if size <= _SHORT_MAX:
        return size + _HEAD_MIN if size >= 0 and not data[at] & _RESERVED else -1
    width = 2 if size == _SHORT_MAX + 1 else 8
    if len(data) - at < 2 + width:
        return 0
    return 2 + width + _MASK_BYTES + int.from_bytes(data[at + 2 : at + 2 + width])


def _unmasked(frame: bytes | bytearray) -> bytes:
    size = frame[1] - _MASKED
    start = _HEAD_MIN if size <= _SHORT_MAX else _HEAD_MIN + (2 if size == _SHORT_MAX + 1 else 8)
    return apply_mask(frame[start:], frame[start - _MASK_BYTES : start])


def frames_of(scope: Scope) -> Frames | None:
    """Find what writes and reads frames of a connection's socket."""
    return scope.get("extensions", {}).get(_EXTENSION)


def framed(payload: bytes) -> bytes:
    """Put a payload into a frame of its own."""
    size = len(payload)
    if size <= _SHORT_MAX:
        head = bytes((_BINARY, size))
    elif size < 1 << 16:
        head = bytes((_BINARY, 126)) + size.to_bytes(2)
    else:
        head = bytes((_BINARY, 127)) + size.to_bytes(8)
    return head + payload
