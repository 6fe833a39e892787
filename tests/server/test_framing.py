"""Frames by the short way: whatever pieces they arrive in, each message is told once, in order."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import uvicorn
import websockets.frames
from hypothesis import example, given, settings, strategies as st
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState
from websockets.frames import Opcode
from websockets.protocol import CLIENT, OPEN, Protocol

from commonplace.server.framing import TURN_MAX, Framed, Frames, frames_of

UPGRADE = (
    b"GET /x HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SIZE_MAX = 100_000


class Line(asyncio.Transport):
    """A socket's other end: keeps what is written, and notes whether anybody reads."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.reading = True
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def pause_reading(self) -> None:
        assert self.reading
        self.reading = False

    def resume_reading(self) -> None:
        assert not self.reading
        self.reading = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


class Talk:
    """One connection, and all that was heard on it."""

    def __init__(self, hear: Callable[["Talk", bytes], None] | None = None) -> None:
        self.heard: list[bytes] = []
        self.ended: list[Any] = []
        self.frames: Frames | None = None
        self.line = Line()
        self._hear = hear
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            log_config=None,
            ws_max_size=SIZE_MAX,
            ws_per_message_deflate=False,
        )
        config.load()
        self.protocol = Framed(config, ServerState(), {})
        self.protocol.connection_made(self.line)

    async def open(self) -> "Talk":
        self.protocol.data_received(UPGRADE)
        await self.settled()
        assert self.frames is not None
        self.line.written = b""
        return self

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        frames = frames_of(scope)
        assert frames
        frames.read_frames(self._take)
        self.frames = frames
        self.ended.append(await receive())

    def _take(self, message: bytes) -> None:
        self.heard.append(message)
        if self._hear is not None:
            self._hear(self, message)

    async def send(self, pieces: Sequence[bytes]) -> None:
        for piece in pieces:
            if not self.line.reading:
                await self.settled()
            if not self.line.closed:
                self.protocol.data_received(piece)

    async def settled(self) -> None:
        for _ in range(200):
            await asyncio.sleep(0)


def client(*told: tuple[str, bytes]) -> bytes:
    """Write what a client sends: whole messages, messages in two frames, text, pings."""
    protocol = Protocol(CLIENT, state=OPEN)
    for kind, data in told:
        match kind:
            case "parts":
                protocol.send_binary(data, fin=False)
                protocol.send_ping(b"between")
                protocol.send_continuation(data, fin=True)
            case "text":
                protocol.send_text(b"text")
            case "ping":
                protocol.send_ping(data[:100])
            case _:
                protocol.send_binary(data)
    return b"".join(protocol.data_to_send())


def expected(told: Sequence[tuple[str, bytes]]) -> list[bytes]:
    times = {"parts": 2, "text": 0, "whole": 1}
    return [data * times[kind] for kind, data in told if kind != "ping"]


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    ends = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(ends)]


KINDS = ("whole", "whole", "parts", "text", "ping")
SIZES = (0, 1, 5, 125, 126, 127, 300, 40_000)


def filled(kind: str, size: int) -> tuple[str, bytes]:
    return kind, bytes([size % 251]) * size


messages = st.builds(filled, st.sampled_from(KINDS), st.sampled_from(SIZES))


@settings(max_examples=60)
@given(st.lists(messages, max_size=20), st.lists(st.integers(0, 2**20), max_size=30))
@example([("whole", bytes([n])) for n in range(3 * TURN_MAX)], [])
@example([("whole", b"x" * 300)], list(range(400)))
def test_every_message_is_told_once_in_its_order(
    told: list[tuple[str, bytes]], places: list[int]
) -> None:
    async def run() -> None:
        talk = await Talk().open()
        await talk.send(cut(client(*told), places))
        await talk.settled()
        assert talk.heard == expected(told)
        pings = sum({"ping": 1, "parts": 1}.get(kind, 0) for kind, _ in told)
        answers = Protocol(CLIENT, state=OPEN)
        answers.receive_data(talk.line.written)
        pongs = [f for f in answers.events_received() if isinstance(f, websockets.frames.Frame)]
        assert [frame.opcode for frame in pongs] == [Opcode.PONG] * pings
        assert talk.line.reading

    asyncio.run(run())


def test_one_who_is_full_hears_no_more_until_there_is_room() -> None:
    def hold(talk: Talk, _: bytes) -> None:
        if len(talk.heard) % 3 == 0 and talk.frames:
            talk.frames.hold_reading(hold=True)

    async def run() -> None:
        talk = await Talk(hold).open()
        assert talk.frames
        told = [("whole", bytes([n])) for n in range(100)]
        await talk.send([client(*told)])
        await talk.settled()
        assert (len(talk.heard), talk.line.reading) == (3, False)
        while len(talk.heard) < 100:
            talk.frames.hold_reading(hold=False)
            await asyncio.sleep(0)
        assert talk.heard == expected(told)
        await talk.settled()
        assert talk.line.reading

    asyncio.run(run())


def test_others_have_a_turn_while_many_messages_are_read() -> None:
    async def run() -> None:
        talk = await Talk().open()
        await talk.send([client(*[("whole", b"x")] * 10 * TURN_MAX)])
        assert (len(talk.heard), talk.line.reading) == (TURN_MAX, False)
        await asyncio.sleep(0)
        assert len(talk.heard) < 10 * TURN_MAX
        await talk.settled()
        assert (len(talk.heard), talk.line.reading) == (10 * TURN_MAX, True)

    asyncio.run(run())


def closing(frame: bytes) -> tuple[list[bytes], int]:
    """Return what was heard and the code of the close after a good message and a bad frame."""

    async def run() -> tuple[list[bytes], int]:
        talk = await Talk().open()
        await talk.send([client(("whole", b"fine")) + frame, b"more"])
        await talk.settled()
        assert talk.line.closed
        return talk.heard, talk.ended[0]["code"]

    return asyncio.run(run())


def test_a_message_that_is_too_long_or_odd_ends_the_connection() -> None:
    assert closing(client(("whole", b"x" * (SIZE_MAX + 1)))) == ([b"fine"], 1009)
    assert closing(b"\x82\xff" + b"\x7f" * 20) == ([b"fine"], 1009)
    assert closing(b"\x82\x05hello, unmasked") == ([b"fine"], 1002)
    assert closing(b"\xc2\x80" + bytes(4)) == ([b"fine"], 1002)
    assert closing(client(("whole", b"")).replace(b"\x82", b"\x80")) == ([b"fine"], 1002)
    inside = Protocol(CLIENT, state=OPEN)
    inside.send_binary(b"first part", fin=False)
    half = b"".join(inside.data_to_send())
    assert closing(half + client(("whole", b"x"))) == ([b"fine"], 1002)
    goodbye = Protocol(CLIENT, state=OPEN)
    goodbye.send_close(4000)
    assert closing(b"".join(goodbye.data_to_send())) == ([b"fine"], 4000)
