"""Updates that cost the engine much, against the running product, with somebody else in it."""

import time
from collections.abc import Callable

import anyio
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from commonplace.core.yjs.frames import UpdateFrame, encode
from tests.live.processes import Clients
from tests.live.product import Product
from tests.live.typist import Typist, typist
from tests.vault.documents import costly

pytestmark = pytest.mark.anyio

# Without a trial these take the server half a minute; a busy machine alone may take a second.
SECONDS_MAX = 3.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def waits(person: Typist, until: Callable[[], bool]) -> list[float]:
    """Type until something is so; how long each word took to be saved."""
    times: list[float] = []
    while not until():
        start = time.monotonic()
        await person.type(0, "word ")
        await person.in_step()
        times.append(time.monotonic() - start)
    return times


async def attack(url: str, closed: list[tuple[int, str]]) -> None:
    async with connect(url, max_size=None) as socket:
        try:
            for sent in (costly.chain(16_000), costly.bombs(16_000, 2, lambda _: 3)):
                await socket.send(encode(UpdateFrame(sent)))
            async for _ in socket:
                pass
        except ConnectionClosed:
            pass
        closed.append((socket.close_code or 0, socket.close_reason or ""))


async def test_nobody_waits_for_an_update_that_costs_much(product: Product) -> None:
    url = f"{product.ws}/{product.document()}"
    closed: list[tuple[int, str]] = []
    async with typist(url) as person, anyio.create_task_group() as tasks:
        tasks.start_soon(attack, url, closed)
        times = await waits(person, lambda: bool(closed))
        assert max(times) < SECONDS_MAX
        ((code, reason),) = closed
        assert code == 4400
        assert "too long" in reason
        await person.in_step()
        assert "y" not in str(person)
    assert "word " in product.ask("/api/note", path="note.md")["text"]


async def test_real_histories_of_any_length_pass(product: Product, clients: Clients) -> None:
    """Thousands of edits made offline by two clients, and a megabyte pasted."""
    document = product.document()
    for name in ("ana", "ben"):
        clients.tell("websocket", name=name, url=product.ws, document=document)
    clients.tell("synced", names=["ana", "ben"])
    for seed, name in enumerate(("ana", "ben")):
        clients.tell("disconnect", name=name)
        clients.tell("edit", names=[name], count=3_000, seed=seed, pause=0)
    clients.tell("insert", name="ben", at=-1, text="long " * 200_000)
    for name in ("ana", "ben"):
        clients.tell("connect", name=name)
    clients.tell("synced", names=["ana", "ben"])
    clients.tell("alike", names=["ana", "ben"])
    product.settled_file(clients.tell("text", name="ana"))
