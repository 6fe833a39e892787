"""A person who types: a Yjs document on a real socket, kept in step in the background."""

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
from pycrdt import Doc, Text
from websockets.asyncio.client import ClientConnection, connect

from commonplace.core import critic
from commonplace.core.yjs.frames import SyncStep1, SyncStep2, UpdateFrame, decode, encode
from tests.wait import PATIENCE


class Typist:
    """What the person sees, and how the person writes."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._doc: Doc[Text] = Doc()
        self._text = self._doc.get("contents", type=Text)
        self._answers = 0
        self._heard = anyio.Event()

    def __str__(self) -> str:
        return str(self._text)

    async def type(self, place: int, word: str) -> None:
        """Insert a word; the places of a text in ASCII are those that the document counts."""
        before = self._doc.get_state()
        self._text.insert(place, word)
        await self._socket.send(encode(UpdateFrame(self._doc.get_update(before))))

    async def in_step(self) -> None:
        """Wait until the server has saved what was typed and said all that it knows."""
        wanted = self._answers + 1
        await self._socket.send(encode(SyncStep1(self._doc.get_state())))
        with anyio.fail_after(PATIENCE):
            while self._answers < wanted:
                await self._heard.wait()

    async def listen(self) -> None:
        async for frame in self._socket:
            assert isinstance(frame, bytes)
            match decode(frame):
                case SyncStep1(known):
                    await self._socket.send(encode(SyncStep2(self._doc.get_update(known))))
                case SyncStep2(update):
                    self._doc.apply_update(update)
                    self._answers += 1
                    self._heard.set()
                    self._heard = anyio.Event()
                case UpdateFrame(update):
                    self._doc.apply_update(update)
                case _:
                    pass


@asynccontextmanager
async def typist(url: str) -> AsyncGenerator[Typist]:
    """Open a note's document on its socket."""
    async with connect(url, max_size=None) as socket, anyio.create_task_group() as tasks:
        person = Typist(socket)
        tasks.start_soon(person.listen)
        await person.in_step()
        yield person
        tasks.cancel_scope.cancel()


def free_places(text: str) -> Callable[[random.Random], int]:
    """Return how to choose a place where a word begins, outside all markup."""
    marks = [(start, end) for _, start, end in critic.places(text)]
    free = [
        at
        for at in range(len(text) + 1)
        if (at == 0 or text[at - 1] in " \n") and not any(a < at < b for a, b in marks)
    ]
    return lambda rng: rng.choice(free)
