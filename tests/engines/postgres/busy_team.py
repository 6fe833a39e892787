"""Everybody at work in one vault on three nodes: people who type, assistants, people who decide.

They go on whatever happens to the nodes, and each takes as done only what it was told is done.
"""

import asyncio
import itertools
import random
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
from mcp import Client
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from commonplace.core.yjs.frames import SyncStatus, SyncStep1, SyncStep2, decode, encode
from tests.engines.postgres.serve_process import ServeProcess
from tests.live.wire import Peer
from tests.wait import PATIENCE, eventually

NOTES, PEOPLE, ASSISTANTS, REVIEWERS = 200, 12, 6, 3
POLICY = "create=allow,update=allow,rename=allow,delete=allow"
PAUSE, AGAIN = 0.3, 0.1

WORD = re.compile(r"[a-z]\d+x\d+z")

KINDS = ("create_note", "update_node", "delete_note")

_STEPS = ("create", "edit", "rename", "create", "delete", "edit", "create", "edit")


def note(number: int) -> str:
    return f"n{number:03}.md"


def first_text(number: int) -> str:
    """What a note holds at first: a place for each assistant, and one for those who type."""
    places = " ".join(f"place{at}" for at in range(ASSISTANTS))
    return f"# Note {number}\n\n{places}\n\nTyped:"


class Worker:
    """Somebody who does one thing after the other through a node."""

    def __init__(self, name: str, node: ServeProcess) -> None:
        self.name, self.node = name, node
        self.last_asked = 0.0
        """When that was asked for which was acknowledged last."""
        self.waits: list[float] = []
        """How long each thing took until it was acknowledged, with everything tried in between."""
        self.ends = False
        self._numbers = itertools.count()
        self._since: float | None = None

    async def work(self) -> None:
        while not self.ends:
            try:
                async with asyncio.timeout(PATIENCE):
                    await self.go_on()
            except Exception:  # noqa: BLE001 (nobody said that it was done)
                await asyncio.sleep(AGAIN)

    async def go_on(self) -> None:
        """Do a thing, or several until something fails."""
        asked = self.begin()
        if await self.act():
            self.acknowledged(asked)
        await asyncio.sleep(PAUSE)

    async def act(self) -> bool:
        """Do a thing; tell whether there was one to do, or raise."""
        raise NotImplementedError

    def begin(self) -> float:
        asked = time.monotonic()
        self._since = self._since or asked
        return asked

    def acknowledged(self, asked: float) -> None:
        assert self._since is not None
        self.waits.append(time.monotonic() - self._since)
        self.last_asked, self._since = asked, None

    def new_word(self) -> str:
        return f"{self.name}x{next(self._numbers):05}z"


class Person(Worker):
    """Types at the end of a note. One who forgets has nothing left when a connection breaks."""

    def __init__(self, name: str, node: ServeProcess, document: str, *, forgets: bool) -> None:
        super().__init__(name, node)
        self.saved: list[str] = []
        self._document, self._forgets = document, forgets
        self._peer = new_peer()

    async def work(self) -> None:
        while not self.ends:
            with suppress(OSError, TimeoutError, WebSocketException):
                async with joined(self.node, self._document, self._peer) as socket:
                    await self._type(socket)
            if self._forgets:
                self._peer = new_peer()
            await asyncio.sleep(AGAIN)

    async def _type(self, socket: ClientConnection) -> None:
        while not self.ends:
            asked, word = self.begin(), self.new_word()
            await socket.send(encode(self._peer.add(f" {word}")))
            await hear_saved(socket, self._peer, word)
            self.saved.append(word)
            self.acknowledged(asked)
            await asyncio.sleep(PAUSE)


def new_peer() -> Peer:
    return Peer(random.getrandbits(31))


@asynccontextmanager
async def joined(node: ServeProcess, document: str, peer: Peer) -> AsyncGenerator[ClientConnection]:
    """A connection on which a peer and the server know all of each other."""
    address = f"{node.ws}/{document}"
    async with connect(address, max_size=None, open_timeout=PATIENCE) as socket:
        await socket.send(encode(peer.question()))
        async with asyncio.timeout(PATIENCE):
            while not isinstance(await hear(socket, peer), SyncStep2):
                pass
        yield socket


async def hear(socket: ClientConnection, peer: Peer) -> Any:
    data = await socket.recv()
    assert isinstance(data, bytes)
    message = decode(data)
    if isinstance(message, SyncStep1):
        await socket.send(encode(SyncStep2(peer.doc.get_update(message.state_vector))))
    peer.hear(message)
    return message


async def hear_saved(socket: ClientConnection, peer: Peer, word: str) -> None:
    """Ask whether all is saved that was sent, and wait for the answer."""
    asked = SyncStatus(word.encode())
    await socket.send(encode(asked))
    async with asyncio.timeout(PATIENCE):
        while await hear(socket, peer) != asked:
            pass


class Assistant(Worker):
    """Makes notes, renames and deletes them again, and suggests words in those of all."""

    def __init__(self, number: int, node: ServeProcess) -> None:
        super().__init__(f"a{number}", node)
        self.made: dict[str, set[str]] = {}
        """Where each note may be that it made; one that was deleted is nowhere: ""."""
        self.suggested: list[str] = []
        self.done = Counter[str]()
        self._place = f"place{number}"
        self._steps = itertools.cycle(_STEPS)
        self._notes = itertools.cycle(random.Random(number).sample(range(NOTES), NOTES))

    async def act(self) -> bool:
        async with Client(f"{self.node.http}/mcp") as client:
            match next(self._steps):
                case "edit":
                    await self._edit(client)
                case "rename" if path := self._own("made/a"):
                    word = WORD.findall(path)[0]
                    to, title = f"made/r{word}.md", f"r{word}"
                    await self._change(word, to, client, "update_node", id=path, title=title)
                case "delete" if path := self._own("made/"):
                    await self._change(WORD.findall(path)[0], "", client, "delete_note", path=path)
                case _:
                    word = self.new_word()
                    self.made[word], new = {""}, {"path": f"made/{word}.md", "content": f"{word}\n"}
                    await self._change(word, new["path"], client, "create_note", **new)
        return True

    async def _edit(self, client: Client) -> None:
        path, word = note(next(self._notes)), self.new_word()
        await call(client, "read", file_path=path)
        new = f"{word} {self._place}"
        await call(client, "edit", file_path=path, old_string=self._place, new_string=new)
        self.suggested.append(word)

    async def _change(
        self, word: str, path: str, client: Client, tool: str, /, **arguments: Any
    ) -> None:
        """Make, rename or delete a note; until it is known to be done, it may be or not."""
        self.made[word].add(path)
        await call(client, tool, **arguments)
        self.made[word] = {path}
        self.done[tool] += 1

    def _own(self, start: str) -> str | None:
        """Find a note of its own of which it knows where it is."""
        sure = (path for places in self.made.values() if len(places) == 1 for path in places)
        return next((path for path in sure if path.startswith(start)), None)


async def call(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    (block, *_) = result.content
    text: str = getattr(block, "text", "")
    assert not result.is_error, text
    return text


class Reviewer(Worker):
    """Accepts and rejects what waits, as it comes."""

    def __init__(self, number: int, node: ServeProcess) -> None:
        super().__init__(f"d{number}", node)
        self.decided: dict[str, str] = {}
        """What was decided, by the words that it would put in."""
        self._dice = random.Random(number)

    async def act(self) -> bool:
        shown = {"X-Commonplace": "1"}
        async with httpx.AsyncClient(
            base_url=self.node.http, headers=shown, timeout=PATIENCE
        ) as http:
            waiting = (await http.get("/api/suggestions", params={"limit": 50})).json()
            if not waiting["suggestions"]:
                return False
            row = self._dice.choice(waiting["suggestions"])
            verdict = self._dice.choice(("accept", "reject"))
            named = {"path": row["path"], "id": row["id"]}
            body = {"decision": verdict, "suggestions": [named], "who": self.name}
            answer = await http.post("/api/review", json=body)
            if answer.status_code in (404, 409):
                return False  # another was faster
            assert named in answer.raise_for_status().json()["decided"]
            self.decided[row["new"]] = verdict
        return True


class BusyTeam:
    """All of them, each at one of the nodes."""

    def __init__(self, nodes: Sequence[ServeProcess], documents: Sequence[str]) -> None:
        """Take the documents in which people type, two in each; in half of them all forget."""
        of = itertools.cycle(nodes).__next__
        self.nodes = list(nodes)
        self.people = [
            Person(f"p{at}", of(), documents[at // 2], forgets=at >= PEOPLE // 2)
            for at in range(PEOPLE)
        ]
        self.assistants = [Assistant(at, of()) for at in range(ASSISTANTS)]
        self.reviewers = [Reviewer(at, of()) for at in range(REVIEWERS)]
        self.all: list[Worker] = [*self.people, *self.assistants, *self.reviewers]

    @asynccontextmanager
    async def working(self) -> AsyncGenerator[None]:
        """Let them work while the body runs; each ends what it does then."""
        tasks = [asyncio.create_task(each.work()) for each in self.all]
        try:
            yield
        finally:
            for each in self.all:
                each.ends = True
            await asyncio.gather(*tasks)

    async def first_accepted_after(self, when: float) -> float:
        """Wait until something is acknowledged that was asked for after a moment."""
        await eventually(lambda: max(each.last_asked for each in self.all) > when)
        return time.monotonic() - when

    async def all_have_begun(self) -> None:
        """Wait until each has done something, and each thing was done once."""
        await self.all_accepted_after(0)
        await eventually(lambda: all(map(self._count, KINDS)))
        await eventually(lambda: any(each.decided for each in self.reviewers))

    def _count(self, tool: str) -> int:
        return sum(each.done[tool] for each in self.assistants)

    async def all_accepted_after(self, when: float) -> None:
        """Wait until everybody who types or makes something has been served since."""
        busy = [*self.people, *self.assistants]
        await eventually(lambda: min(each.last_asked for each in busy) > when)
