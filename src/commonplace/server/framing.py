"""A shorter way to a WebSocket than `send`: whole frames, made once and written to many sockets.

A room sends the same bytes to everybody in it, and a server does not mask what it sends. With
`Framed` as uvicorn's WebSocket protocol, an application finds in its scope a function that writes
such a frame at once, or refuses when the socket would have to wait; it then sends it in the usual
way. Nothing is lost without it but time.
"""

from collections.abc import Callable
from typing import cast

from starlette.types import Scope
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_EXTENSION = "commonplace.frames"
_BINARY = 0x82

WriteFrame = Callable[[bytes], bool]


class Framed(WebSocketsSansIOProtocol):
    """uvicorn's protocol, with frames."""

    async def run_asgi(self) -> None:
        """Serve a connection."""
        extensions = self.scope.setdefault("extensions", {})
        cast("dict[str, object]", extensions)[_EXTENSION] = self.write_frame
        await super().run_asgi()

    def write_frame(self, frame: bytes) -> bool:
        """Write a frame, unless the socket is busy or closing."""
        if not self.writable.is_set() or self.close_sent or self.transport.is_closing():
            return False
        self.transport.write(frame)
        return True


def frames_of(scope: Scope) -> WriteFrame | None:
    """Find the function that writes frames to a connection's socket."""
    return scope.get("extensions", {}).get(_EXTENSION)


def framed(payload: bytes) -> bytes:
    """Put a payload into a frame of its own."""
    size = len(payload)
    if size < 126:
        head = bytes((_BINARY, size))
    elif size < 1 << 16:
        head = bytes((_BINARY, 126)) + size.to_bytes(2)
    else:
        head = bytes((_BINARY, 127)) + size.to_bytes(8)
    return head + payload
