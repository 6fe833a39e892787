"""A socket over a transport: what came before it, its bounds, its ends."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteStream

from commonplace.server.mcp.direct.transport_stream import (
    RECEIVED_BYTES_MAX,
    TransportStream,
    over_transport,
)
from tests.server.small_vault import pair
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

TURNS = 1_000
"""Far more than it takes to let all of that in, where nothing holds it back."""
MUCH = b"x" * (16 * RECEIVED_BYTES_MAX)


@asynccontextmanager
async def connected() -> AsyncGenerator[tuple[SocketStream, TransportStream]]:
    near, far = await pair()
    with anyio.fail_after(PATIENCE):
        async with near, far, over_transport(BufferedByteStream(far)) as stream:
            yield near, stream


async def test_what_was_read_with_the_greeting_comes_first() -> None:
    near, far = await pair()
    async with near, far:
        await near.send(b"greeting\nfirst ")
        greeted = BufferedByteStream(far)
        assert await greeted.receive_until(b"\n", 100) == b"greeting"
        async with over_transport(greeted) as stream:
            assert await stream.receive() == b"first "
            await near.send(b"second")
            assert await stream.receive() == b"second"


async def test_answers_still_go_out_when_the_client_says_no_more() -> None:
    async with connected() as (near, stream):
        await near.send_eof()
        with pytest.raises(anyio.EndOfStream):
            await stream.receive()
        await stream.send(b"answer")
        assert await near.receive() == b"answer"


async def test_a_client_that_floods_waits_until_it_is_read_and_nothing_is_lost() -> None:
    async with connected() as (near, stream), anyio.create_task_group() as tasks:
        sent = anyio.Event()

        async def flood() -> None:
            await near.send(MUCH)
            sent.set()

        tasks.start_soon(flood)
        assert await stream.receive(1) == b"x"
        for _ in range(TURNS):
            await anyio.sleep(0)
        assert not sent.is_set()
        size = 1
        while size < len(MUCH):
            size += len(await stream.receive())
        await sent.wait()


async def test_sending_waits_for_a_client_that_reads_slowly() -> None:
    async with connected() as (near, stream), anyio.create_task_group() as tasks:
        tasks.start_soon(stream.send, MUCH)
        size = 0
        while size < len(MUCH):
            size += len(await near.receive())


async def test_nobody_waits_for_a_client_that_is_gone() -> None:
    async with connected() as (near, stream):
        await near.aclose()
        with pytest.raises(anyio.BrokenResourceError):
            await send_for_ever(stream)


async def send_for_ever(stream: TransportStream) -> None:
    while True:
        await stream.send(MUCH)


async def test_what_was_sent_last_arrives_after_the_end() -> None:
    near, far = await pair()
    async with near:
        async with far, over_transport(BufferedByteStream(far)) as stream:
            await stream.send(b"last")
        with anyio.fail_after(PATIENCE):
            assert b"".join([part async for part in near]) == b"last"
