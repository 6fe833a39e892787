"""One Yjs connection: the y-websocket protocol, and y-sweet's question whether all is saved.

Updates go to the log as they come, without waiting for the disk between them. Whatever the client
asks is answered in its turn, once everything it sent before is saved. What cannot be saved, or
must not be, ends the connection.
"""

import asyncio
from asyncio import TaskGroup
from collections import deque
from collections.abc import Iterable
from itertools import count
from typing import Any

from starlette.types import Receive, Send

from commonplace.core.yjs.encoding import NO_UPDATE, ByteReader, HostileUpdate
from commonplace.core.yjs.frames import (
    Awareness,
    DeniedFrame,
    FrameKind,
    Presence,
    QueryAwareness,
    SyncStatus,
    SyncStep1,
    SyncStep2,
    UpdateFrame,
    decode,
    decode_awareness,
)
from commonplace.errors import CommonplaceError
from commonplace.server.yjs.outbox import Outbox, kept, showing
from commonplace.server.yjs.presence import name_in, signed
from commonplace.server.yjs.rooms import Room

UNFINISHED_MAX = 100
UNFINISHED_BYTES_MAX = 8 * 1024 * 1024
TURNS_MAX = 32

_NO_WRITING = "This connection may only read: nothing of that was saved."
_NOTHING_SAVED = b"\0"

Unfinished = tuple["asyncio.Future[Any] | SyncStep1 | SyncStatus", int]


class YjsConnection:
    """A client in a room; what it shows of itself goes under `name`, if its token has one.

    What it writes is the `actor`'s. Where only the client itself can tell who that is (`learns`),
    it is the person whom it shows to the others.
    """

    def __init__(
        self,
        room: Room,
        outbox: Outbox,
        actor: str,
        *,
        read_only: bool,
        name: str | None = None,
        learns: bool = False,
    ) -> None:
        self._room = room
        self._documents = room.documents
        self._id = room.document.id
        self._outbox = outbox
        self._actor = actor
        self._read_only = read_only
        self._name = name
        self._learns = learns
        self._client: int | None = None
        self._unfinished: deque[Unfinished] = deque()
        self._bytes = 0
        self._work = asyncio.Event()
        self._place = asyncio.Event()
        self._saved = _NOTHING_SAVED
        self._refused = False

    async def run(self, receive: Receive, send: Send) -> None:
        """Serve the client until it goes."""
        try:
            async with TaskGroup() as tasks:
                writing = tasks.create_task(self._outbox.write(send))
                finishing = tasks.create_task(self._finish())
                await self._read(receive)
                writing.cancel()
                finishing.cancel()
        except* CommonplaceError:
            self._room.unsettle()
            raise
        finally:
            for work, _ in self._unfinished:
                if isinstance(work, asyncio.Future):
                    work.cancel()  # the log has it all the same

    async def _read(self, receive: Receive) -> None:
        for turn in count(1):
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            if not self._outbox.ended:
                self._handle(message.get("bytes") or b"")
            while self._full:
                self._place.clear()
                await self._place.wait()
            if turn % TURNS_MAX == 0:
                await asyncio.sleep(0)  # many messages may be there already; others want a turn

    @property
    def _full(self) -> bool:
        return len(self._unfinished) >= UNFINISHED_MAX or self._bytes > UNFINISHED_BYTES_MAX

    def _handle(self, frame: bytes) -> None:
        if not frame:
            raise HostileUpdate("Only binary messages are understood here.")
        if self._read_only and _writes(frame):
            self._refuse()
            return
        match decode(frame):
            case UpdateFrame(update) | SyncStep2(update):
                self._take(update)
            case Awareness(payload):
                told = decode_awareness(payload)
                self._room.show(
                    self._outbox, told if self._name is None else signed(told, self._name)
                )
                if self._learns:
                    self._learn(told)
            case SyncStep1() | SyncStatus() as asked:
                self._leave((asked, 0))
            case QueryAwareness():
                self._outbox.put(showing(self._room.presences.welcome()))
            case _:
                pass

    def _learn(self, told: Iterable[Presence]) -> None:
        """Take the name that the client shows of itself first, not of others that it passes on."""
        for one in told:
            own = self._client in (None, one.client)
            if own and self._room.presences.owns(self._outbox, one.client):
                self._client = one.client
                if name := name_in(one):
                    self._actor = f"person:{name}"

    def _take(self, update: bytes) -> None:
        if update == NO_UPDATE:
            return
        documents, id = self._documents, self._id
        if documents.at_hand(id):
            saving = documents.apply_now(id, update, self._actor, origin=self._outbox)
        else:
            # It is being loaded again. One that comes after that, but before this one's turn,
            # waits for it at the document's gate.
            applying = documents.apply(id, update, self._actor, origin=self._outbox)
            saving = asyncio.ensure_future(applying)
        if saving is not None:
            self._leave((saving, len(update)))

    def _leave(self, work: Unfinished) -> None:
        self._unfinished.append(work)
        self._bytes += work[1]
        self._work.set()

    async def _finish(self) -> None:
        """Finish all that was read, in its order."""
        while True:
            while self._unfinished:
                work, size = self._unfinished[0]
                if isinstance(work, SyncStep1):
                    await self._answer(work.state_vector)
                elif isinstance(work, SyncStatus):
                    self._tell_saved(work.payload)
                else:
                    await work
                self._unfinished.popleft()
                self._bytes -= size
                self._place.set()
            self._work.clear()
            await self._work.wait()

    async def _answer(self, state_vector: bytes) -> None:
        await self._outbox.room()
        update = self._documents.answer_now(self._id, state_vector)
        if update is None:
            update = await self._documents.answer(self._id, state_vector)
        self._outbox.put(kept(SyncStep2(update)))

    def _tell_saved(self, payload: bytes) -> None:
        # after a refusal, only what was saved before it
        self._saved = self._saved if self._refused else payload
        self._outbox.put(kept(SyncStatus(self._saved)))

    def _refuse(self) -> None:
        if not self._refused:
            self._refused = True
            self._outbox.put(kept(DeniedFrame(_NO_WRITING)))


def _writes(frame: bytes) -> bool:
    """Tell whether a frame would change the document, without reading what it holds."""
    reader = ByteReader(frame)
    return reader.varuint() == FrameKind.SYNC and reader.varuint() > 0
