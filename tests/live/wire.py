"""A socket without a network: an ASGI application is on its other end, in the same loop."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pycrdt import Doc, Text
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from commonplace.core.yjs.encoding import encode_state_vector
from commonplace.core.yjs.frames import (
    Awareness,
    Message,
    Presence,
    SyncStep1,
    SyncStep2,
    UpdateFrame,
    decode,
    decode_awareness,
    encode,
    encode_awareness,
)
from tests.wait import PATIENCE

SETTLED = 30


@dataclass(frozen=True, slots=True)
class Closed:
    code: int
    reason: str


class Wire:
    """One side of a connection, as the web server sees it."""

    def __init__(self) -> None:
        self.inward: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.outward: asyncio.Queue[Message | Closed] = asyncio.Queue()
        self.writable = asyncio.Event()
        self.writable.set()
        self.taken = 0
        self.gone = False

    async def receive(self) -> dict[str, Any]:
        return await self.inward.get()

    async def send(self, message: Any) -> None:
        await self.writable.wait()
        if self.gone:
            raise OSError
        match message["type"]:
            case "websocket.send":
                self.taken += len(message["bytes"])
                self.outward.put_nowait(decode(message["bytes"]))
            case "websocket.close":
                self.outward.put_nowait(Closed(message["code"], message["reason"]))
            case _:
                pass

    def hang_up(self, code: int = 1005) -> None:
        self.gone = True
        self.writable.set()
        self.inward.put_nowait({"type": "websocket.disconnect", "code": code})

    def write(self, message: Message | bytes) -> None:
        data = message if isinstance(message, bytes) else encode(message)
        self.inward.put_nowait({"type": "websocket.receive", "bytes": data})

    async def read(self) -> Message | Closed:
        async with asyncio.timeout(PATIENCE):
            return await self.outward.get()

    async def ask(self, message: Message) -> Message | Closed:
        self.write(message)
        return await self.read()

    async def closed(self) -> Closed:
        while not isinstance(found := await self.read(), Closed):
            pass
        return found

    def unread(self) -> list[Message | Closed]:
        return [self.outward.get_nowait() for _ in range(self.outward.qsize())]

    def show(self, *presences: Presence) -> None:
        self.write(Awareness(encode_awareness(presences)))

    async def seen(self) -> list[Presence]:
        found = await self.read()
        assert isinstance(found, Awareness), found
        return decode_awareness(found.payload)


@asynccontextmanager
async def connected(
    routes: Sequence[BaseRoute], path: str, query: str = ""
) -> AsyncGenerator[Wire]:
    """Be connected to one of these routes, until the body ends."""
    wire = Wire()
    scope: dict[str, Any] = {
        "type": "websocket",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost")],
        "subprotocols": [],
        "extensions": {},
    }
    app = Starlette(routes=routes)
    wire.inward.put_nowait({"type": "websocket.connect"})
    task = asyncio.create_task(app(scope, wire.receive, wire.send))
    try:
        yield wire
    finally:
        wire.hang_up()
        async with asyncio.timeout(PATIENCE):
            await task


async def settled() -> None:
    """Let everything run that can."""
    for _ in range(SETTLED):
        await asyncio.sleep(0)


class Peer:
    """A Yjs client's document, and the messages it would send."""

    def __init__(self, client: int) -> None:
        self.doc: Doc[Text] = Doc(client_id=client)
        self.text = self.doc.get("contents", type=Text)

    def __str__(self) -> str:
        return str(self.text)

    def question(self) -> SyncStep1:
        return SyncStep1(self.doc.get_state())

    def add(self, text: str) -> UpdateFrame:
        """Add a text at the end."""
        before = self.doc.get_state()
        self.text.insert(len(self.text), text)
        return UpdateFrame(self.doc.get_update(before))

    def hear(self, message: Message | Closed) -> None:
        match message:
            case SyncStep2(update) | UpdateFrame(update):
                self.doc.apply_update(update)
            case _:
                pass

    async def join(self, wire: Wire) -> None:
        """Do what a client does first: ask, take the answer, answer."""
        assert isinstance(await wire.read(), SyncStep1)
        wire.write(self.question())
        while not isinstance(message := await wire.read(), SyncStep2):
            self.hear(message)
        self.hear(message)


NOTHING_KNOWN = SyncStep1(encode_state_vector({}))
