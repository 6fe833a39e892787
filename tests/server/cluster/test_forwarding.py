"""Bytes carried between two connections, until either ends."""

import anyio
import pytest

from commonplace.server.cluster.forwarding import carry
from tests.server.small_vault import pair
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio


async def test_what_came_first_goes_first_and_both_ways_are_open() -> None:
    (one, here), (there, other) = await pair(), await pair()
    with anyio.fail_after(PATIENCE):
        async with one, other, here, there, anyio.create_task_group() as tasks:
            tasks.start_soon(carry, here, there, b"first ")
            await one.send(b"then")
            heard = b""
            while heard != b"first then":
                heard += await other.receive()
            await other.send(b"back")
            assert await one.receive() == b"back"
            await one.aclose()


@pytest.mark.parametrize("which", [0, 1])
async def test_the_end_of_one_way_is_that_of_both(which: int) -> None:
    (one, here), (there, other) = await pair(), await pair()
    with anyio.fail_after(PATIENCE):
        async with one, other, here, there, anyio.create_task_group() as tasks:
            tasks.start_soon((one, other)[which].aclose)
            await carry(here, there)


async def test_it_ends_if_the_first_bytes_cannot_be_sent() -> None:
    (one, here), (there, other) = await pair(), await pair()
    with anyio.fail_after(PATIENCE):
        async with one, here, there:
            await other.aclose()
            await carry(here, there, b"x" * 1_000_000)
