"""The way out to one client, when it is slow, stops, or goes."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from commonplace.core.yjs.frames import Presence, SyncStatus
from commonplace.errors import NotFound, Unavailable
from commonplace.server.yjs.outbox import (
    FRAMES_MAX,
    OUTBOX_BYTES_MAX,
    Frame,
    Outbox,
    kept,
    showing,
    updating,
)
from tests.core.yjs.updates import after, first, section, update
from tests.live.wire import settled
from tests.wait import eventually

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

    async def catch_up(self, missed: Mapping[int, int]) -> list[Frame]:
        self.missed.append(dict(missed))
        return [updating(b"all of it"), showing([Presence(7, 1, "{}")])]


def typed(client: int, clock: int) -> Frame:
    return updating(update(section(client, clock, after(client, clock - 1, "x"))))


async def test_frames_arrive_in_order_whether_the_socket_takes_them_at_once_or_not() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up)
    frames = [typed(5, clock) for clock in range(1, 6)]
    outbox.put(frames[0])
    writing = asyncio.create_task(outbox.write(tap.send))
    await settled()
    outbox.put(frames[1])
    await settled()
    assert tap.got == [frame.payload for frame in frames[:2]]
    tap.open.clear()
    outbox.put(frames[2])
    outbox.put(frames[3])
    tap.open.set()
    outbox.put(frames[4])
    await settled()
    assert tap.got == [frame.payload for frame in frames]
    writing.cancel()


async def test_what_was_dropped_is_asked_for_from_where_it_began() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send))
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
    writing = asyncio.create_task(outbox.write(tap.send))
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
    big = updating(update(section(5, 0, first("x" * (OUTBOX_BYTES_MAX // 4)))))
    for _ in range(20):
        outbox.put(big)
        assert outbox.waiting <= OUTBOX_BYTES_MAX
    assert outbox.behind


async def test_an_answer_waits_for_room() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send))
    outbox.put(kept(SyncStatus(b"x" * (OUTBOX_BYTES_MAX + 1))))
    outbox.put(kept(SyncStatus(b"x" * (OUTBOX_BYTES_MAX + 1))))
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
    writing = asyncio.create_task(outbox.write(tap.send))
    for n in range(FRAMES_MAX + 5):
        outbox.put(typed(5, 1 + n))
    with pytest.raises(Unavailable, match="too slowly"):
        await writing


async def test_one_who_reads_in_time_is_not_given_up() -> None:
    tap = Tap()
    outbox = Outbox(tap.catch_up, patience=0.05)
    tap.open.clear()
    writing = asyncio.create_task(outbox.write(tap.send))
    for n in range(FRAMES_MAX + 5):
        outbox.put(typed(5, 1 + n))
    tap.open.set()
    await eventually(lambda: tap.missed and len(tap.got) > 1)
    await settled()
    assert not writing.done()
    writing.cancel()


async def test_a_writer_is_stopped_whatever_it_does() -> None:
    tap = Tap()
    early, idle, stalled = (Outbox(tap.catch_up) for _ in range(3))
    early.stop(NotFound("gone"))
    tasks = [asyncio.create_task(outbox.write(tap.send)) for outbox in (early, idle)]
    await settled()
    tap.open.clear()
    tasks.append(asyncio.create_task(stalled.write(tap.send)))
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
        await outbox.write(send)
