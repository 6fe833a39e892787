"""The way out to one client, when it is slow, stops, or goes."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
import websockets.frames
from hypothesis import given, strategies as st
from websockets.frames import Opcode
from websockets.protocol import CLIENT, OPEN, Protocol

from commonplace.core.yjs_frames import Presence, SyncStatus
from commonplace.errors import NotFound, Unavailable
from commonplace.server.bell import Bell
from commonplace.server.framing import framed
from commonplace.server.outbox import BYTES_MAX, FRAMES_MAX, Frame, Outbox, kept, showing, updating
from tests.core.updates import after, first, section, update
from tests.live.wire import settled

pytestmark = pytest.mark.anyio

SMALL = update(section(5, 0, first("x")))


class Tap:
    """A socket that can be shut."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.open.set()
        self.got: list[bytes] = []
        self.missed: list[Mapping[int, int]] = []

    async def send(self, message: Any) -> None:
        await self.open.wait()
        self.got.append(message["bytes"])

    def write_frame(self, frame: bytes) -> bool:
        if self.open.is_set():
            self.got.append(b"at once: " + frame)
        return self.open.is_set()

    async def catch_up(self, missed: Mapping[int, int]) -> list[Frame]:
        self.missed.append(dict(missed))
        return [updating(b"all of it"), showing([Presence(7, 1, "{}")])]


def typed(client: int, clock: int) -> Frame:
    return updating(update(section(client, clock, after(client, clock - 1, "x"))))


async def test_frames_go_straight_to_a_socket_that_takes_them() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up)
    outbox.put(updating(SMALL))
    writing = asyncio.create_task(outbox.write(tap.send, tap.write_frame))
    await settled()
    frame = updating(SMALL)
    outbox.put(frame)
    assert tap.got == [frame.payload, b"at once: " + frame.whole]
    tap.open.clear()
    outbox.put(frame)
    outbox.put(frame)
    tap.open.set()
    outbox.put(frame)
    await settled()
    assert tap.got[2:] == [frame.payload] * 3
    writing.cancel()


async def test_what_was_dropped_is_asked_for_from_where_it_began() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send, None))
    outbox.put(kept(SyncStatus(b"first")))
    await settled()
    outbox.put(kept(SyncStatus(b"second")))
    for n in range(FRAMES_MAX):
        outbox.put(typed(5, 100 + n))
    assert outbox.behind
    assert outbox.waiting < 100
    outbox.put(typed(5, 5_000))
    outbox.put(typed(6, 7))
    outbox.put(kept(SyncStatus(b"third")))
    tap.open.set()
    await settled()
    assert tap.missed == [{5: 100, 6: 7}]
    echoes = [kept(SyncStatus(name)).payload for name in (b"first", b"second", b"third")]
    assert tap.got == [*echoes, *(f.payload for f in await tap.catch_up({}))]
    assert not outbox.behind
    outbox.put(typed(5, 5_001))
    await settled()
    assert tap.got[-1] == typed(5, 5_001).payload
    writing.cancel()


async def test_what_happens_during_a_catch_up_comes_after_it() -> None:
    tap = Tap()
    making, made = asyncio.Event(), asyncio.Event()

    async def catch_up(_: Mapping[int, int]) -> list[Frame]:
        making.set()
        await made.wait()
        return [updating(b"all of it")]

    outbox = Outbox(catch_up)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send, tap.write_frame))
    for n in range(FRAMES_MAX + 5):
        outbox.put(typed(5, 1 + n))
    tap.open.set()
    await making.wait()
    outbox.put(typed(5, 5_000))
    made.set()
    await settled()
    assert tap.got[-2:] == [updating(b"all of it").payload, typed(5, 5_000).payload]
    writing.cancel()


async def test_bytes_are_bounded_as_well_as_frames() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up)
    big = updating(update(section(5, 0, first("x" * (BYTES_MAX // 4)))))
    for _ in range(20):
        outbox.put(big)
        assert outbox.waiting <= BYTES_MAX
    assert outbox.behind


async def test_an_answer_waits_for_room() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send, None))
    outbox.put(kept(SyncStatus(b"x" * (BYTES_MAX + 1))))
    outbox.put(kept(SyncStatus(b"x" * (BYTES_MAX + 1))))
    waiting = asyncio.create_task(outbox.room())
    await settled()
    assert not waiting.done()
    tap.open.set()
    await settled()
    assert waiting.done()
    writing.cancel()


async def test_one_who_never_reads_is_given_up() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up, patience=0.01)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send, None))
    for n in range(FRAMES_MAX + 5):
        outbox.put(typed(5, 1 + n))
    with pytest.raises(Unavailable, match="too slowly"):
        await writing


async def test_one_who_reads_in_time_is_not_given_up() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up, patience=0.05)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send, None))
    for n in range(FRAMES_MAX + 5):
        outbox.put(typed(5, 1 + n))
    tap.open.set()
    await asyncio.sleep(0.1)
    assert not writing.done()
    writing.cancel()


async def test_a_writer_is_stopped_whatever_it_does() -> None:
    tap = Tap()
    early, idle, stalled = (Outbox(tap.catch_up) for _ in range(3))
    early.stop(NotFound("gone"))
    tasks = [asyncio.create_task(outbox.write(tap.send, None)) for outbox in (early, idle)]
    await settled()
    tap.open.clear()
    tasks.append(asyncio.create_task(stalled.write(tap.send, None)))
    stalled.put(updating(SMALL))
    await settled()
    idle.stop(NotFound("gone"))
    stalled.stop(NotFound("gone"))
    for task in tasks:
        with pytest.raises(NotFound, match="gone"):
            await task


async def test_a_socket_that_was_closed_meanwhile_is_a_lost_connection() -> None:
    async def send(_: object) -> None:
        raise RuntimeError("after websocket.close")

    tap = Tap()
    outbox = Outbox(tap.catch_up)
    outbox.put(updating(SMALL))
    with pytest.raises(ConnectionResetError):
        await outbox.write(send, None)


@given(st.sampled_from([0, 1, 125, 126, 127, 65_535, 65_536, 70_000]))
def test_a_frame_is_what_a_websocket_client_reads(size: int) -> None:
    client = Protocol(CLIENT, state=OPEN)
    client.receive_data(framed(b"x" * size))
    (frame,) = client.events_received()
    assert isinstance(frame, websockets.frames.Frame)
    assert (frame.opcode, frame.fin, frame.data) == (Opcode.BINARY, True, b"x" * size)


# work begun without a task


async def test_a_bell_wakes_who_waits_and_nobody_later() -> None:
    bell = Bell()
    bell.ring()
    waiting = asyncio.create_task(bell.wait())
    await settled()
    assert bell.awaited
    bell.ring()
    assert not bell.awaited
    await waiting
