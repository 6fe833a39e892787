"""Lines on their way to a client."""

import anyio
import pytest

from commonplace.server.mcp.direct.line_writer import WAITING_BYTES_MAX, LineWriter
from tests.server.small_vault import pair
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio


async def test_lines_go_out_in_order_and_the_end_comes_after_the_last() -> None:
    near, far = await pair()
    writer, told = LineWriter(far), list[int]()
    for number in range(3):
        writer.put(b"%d" % number, lambda number=number: told.append(number))
    writer.put("日 😀".encode())
    writer.close()
    with anyio.fail_after(PATIENCE):
        async with near, far:
            await writer.run()
            await far.send_eof()
            assert b"".join([part async for part in near]) == "0\n1\n2\n日 😀\n".encode()
    assert told == [0, 1, 2]


async def test_who_can_wait_waits_while_a_client_does_not_read() -> None:
    near, far = await pair()
    writer, waited, read = LineWriter(far), anyio.Event(), 0

    async def wait() -> None:
        await writer.room()
        waited.set()

    with anyio.fail_after(PATIENCE):
        async with near, far, anyio.create_task_group() as tasks:
            await writer.room()  # at once: nothing is underway
            writer.put(b"x" * (WAITING_BYTES_MAX + 1))
            tasks.start_soon(wait)
            tasks.start_soon(writer.run)
            read += len(await near.receive())
            assert not waited.is_set()
            while read < WAITING_BYTES_MAX + 2:
                read += len(await near.receive())
            await waited.wait()
            writer.close()
    assert read == WAITING_BYTES_MAX + 2


async def test_what_is_put_later_is_sent_too() -> None:
    near, far = await pair()
    writer = LineWriter(far)
    with anyio.fail_after(PATIENCE):
        async with near, far, anyio.create_task_group() as tasks:
            tasks.start_soon(writer.run)
            for line in (b"one", b""):
                writer.put(line)
                assert await near.receive() == line + b"\n"
            writer.close()
