"""Rooms: the connections that work on one document at the same time.

A room exists while somebody is in it. It hears of each change of its document once that is saved,
and passes it on to everybody but its sender; presences go to everybody, the sender included,
since Yjs clients take 30 seconds of silence for a lost connection.
"""

import asyncio
import logging
import secrets
from asyncio import TimerHandle
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Protocol

from commonplace.core.yjs.encoding import NO_UPDATE, HostileUpdate, encode_state_vector
from commonplace.core.yjs.frames import Awareness, Presence, SyncStep1, encode_awareness
from commonplace.core.yjs.positions import last_place
from commonplace.errors import CommonplaceError, Conflict, NotFound, Unavailable
from commonplace.server.yjs.outbox import Frame, Outbox, kept, showing, updating
from commonplace.server.yjs.presence import Presences, assistant
from commonplace.vault.documents.changes import Change
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.documents import Documents

CONNECTIONS_MAX = 2_000
GUESTS_MAX = 32
GUEST_SECONDS = 8.0
GUEST_SECONDS_MAX = 25.0  # clients forget whoever is silent for 30
EXCHANGE_SECONDS = 25.0  # clients close a connection that is silent for 30
MENDING_SECONDS = 1.0
ASSISTANT = "assistant:"  # how the actor of an assistant's edit begins

_logger = logging.getLogger(__name__)


class RoomNotes(Protocol):
    """Where rooms find their documents."""

    @property
    def documents(self) -> Documents:
        """The live documents."""
        ...

    async def open(self, id: str) -> None:
        """Make a document ready to be worked on; `NotFound` if there is none of that id."""
        ...

    async def closed(self, id: str) -> None:
        """Hear that the last connection of a document has gone."""
        ...


class _Guest:
    """An assistant that is shown in a room for a while."""

    def __init__(self) -> None:
        self.client = secrets.randbits(32)
        self.clock = 0
        self.timer: TimerHandle | None = None


class Room:
    """Everybody who works on one document now."""

    def __init__(self, documents: Documents, document: Document, exchange: float) -> None:
        self.documents = documents
        self.document = document
        self.presences = Presences()
        self._members: dict[Outbox, bool] = {}
        self._guests: dict[str, _Guest] = {}
        self._seconds = exchange
        self._timer = self._later(exchange, self._exchange)
        document.observe(self._heard)

    def __len__(self) -> int:
        return len(self._members)

    @property
    def behind(self) -> int:
        """How many read too slowly, and have yet to be told again what they missed."""
        return sum(member.behind for member in self._members)

    def enter(self, *, read_only: bool) -> Outbox:
        """Let somebody in; it hears of everything from now on."""
        member = Outbox(self._catch_up)
        self._members[member] = read_only
        member.put(self._question(read_only=read_only))
        if present := self.presences.welcome():
            member.put(showing(present))
        return member

    def leave(self, member: Outbox) -> None:
        """Let somebody go, and everybody else know."""
        del self._members[member]
        self._show(self.presences.drop(member))
        if not self._members:
            self._close()

    def show(self, member: object, told: Iterable[Presence]) -> None:
        """Pass on what is new in what somebody tells of presences."""
        self._show(self.presences.take(member, told))

    def announce(self, name: str, seconds: float, cursor: Mapping[str, object] | None) -> None:
        """Show an assistant for some seconds."""
        if name not in self._guests and len(self._guests) >= GUESTS_MAX:
            return
        guest = self._guests.setdefault(name, _Guest())
        guest.clock += 1
        self.show(guest, [Presence(guest.client, guest.clock, assistant(name, cursor))])
        if guest.timer is not None:
            guest.timer.cancel()
        seconds = min(seconds, GUEST_SECONDS_MAX)
        guest.timer = self._later(seconds, self._see_off, name)

    def dismiss(self, error: CommonplaceError) -> None:
        """Close every connection, for this reason."""
        for member in self._members:
            member.stop(error)

    def unsettle(self) -> None:
        """Ask everybody again soon: something was not saved that they may think is."""
        self._timer.cancel()
        self._timer = self._later(MENDING_SECONDS, self._exchange)

    async def _catch_up(self, missed: Mapping[int, int]) -> list[Frame]:
        """Tell again what somebody missed: updates from these clocks on, and all presences."""
        known = encode_state_vector({**self.document.known, **missed})
        update = await self.documents.answer(self.document.id, known)
        history = self.presences.history()
        frames = [updating(update)] if update != NO_UPDATE else []
        return [*frames, showing(history)] if history else frames

    def _heard(self, change: Change) -> None:
        origin = change.origin
        if len(self._members) == 1 and origin in self._members:
            return
        frame = updating(change.update)
        for member in self._members:
            if member is not origin:
                member.put(frame)
        if change.actor.startswith(ASSISTANT):
            self._point(change.actor.removeprefix(ASSISTANT), change.update)

    def _point(self, name: str, update: bytes) -> None:
        """Show where an assistant has just written."""
        with suppress(HostileUpdate):  # one of our own, but longer than is scanned
            if place := last_place(update):
                self.announce(name, GUEST_SECONDS, {"anchor": place, "head": place})

    def _show(self, told: list[Presence]) -> None:
        if told:
            frame = showing(told)
            for member in self._members:
                member.put(frame)

    def _exchange(self) -> None:
        """Ask everybody for what is missing here: whatever went wrong is mended by that."""
        if self.document.broken:
            self.unsettle()
            return
        frames = {read_only: self._question(read_only=read_only) for read_only in (False, True)}
        for member, read_only in self._members.items():
            if not member.behind:
                member.put(frames[read_only])
        self._timer = self._later(self._seconds, self._exchange)

    def _question(self, *, read_only: bool) -> Frame:
        """Ask what the other side has that is not here; one who may not write is only greeted."""
        if read_only:
            return kept(Awareness(encode_awareness(())))
        return kept(SyncStep1(encode_state_vector(self.document.known)))

    def _later(self, seconds: float, work: Callable[..., None], *args: object) -> TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, work, *args)

    def _see_off(self, name: str) -> None:
        self._show(self.presences.drop(self._guests.pop(name)))

    def _close(self) -> None:
        self.document.unobserve(self._heard)
        self._timer.cancel()
        for guest in self._guests.values():
            if guest.timer is not None:
                guest.timer.cancel()


class Rooms:
    """All rooms over the notes of one vault; every application that serves it shares them."""

    def __init__(self, notes: RoomNotes, *, exchange: float = EXCHANGE_SECONDS) -> None:
        self.notes = notes
        self._exchange = exchange
        self._rooms: dict[str, Room] = {}
        self._connections = 0
        self._numbers = count(1)

    @property
    def connections(self) -> int:
        """How many sockets are open."""
        return self._connections

    @property
    def behind(self) -> int:
        """How many of them read too slowly."""
        return sum(room.behind for room in self._rooms.values())

    def somebody(self) -> str:
        """Name an actor of whom nothing is known."""
        return f"person:somebody {next(self._numbers)}"

    @asynccontextmanager
    async def visit(
        self,
        id: str,
        *,
        read_only: bool = False,
    ) -> AsyncGenerator[tuple[Room, Outbox]]:
        """Be in a document's room, as one of its members; the document stays live as long."""
        if self._connections >= CONNECTIONS_MAX:
            raise Unavailable("Too many connections are open; try again later.")
        self._connections += 1
        try:
            async with self.open(id) as document:
                room = self._room(document)
                member = room.enter(read_only=read_only)
                try:
                    yield room, member
                finally:
                    self._leave(id, room, member)
        finally:
            self._connections -= 1

    @asynccontextmanager
    async def open(self, id: str) -> AsyncGenerator[Document]:
        """Keep a document ready and live; if nobody else is there at the end, put it away."""
        await self.notes.open(id)
        try:
            async with self.notes.documents.hold(id) as document:
                yield document
        finally:
            if id not in self._rooms:
                await self._closed(id)

    def announce(
        self,
        id: str,
        name: str,
        *,
        seconds: float = GUEST_SECONDS,
        cursor: Mapping[str, object] | None = None,
    ) -> None:
        """Show an assistant as present to whoever has the document open.

        `cursor` is what y-codemirror keeps under that name: `anchor` and `head`, each a relative
        position of Yjs.
        """
        if room := self._rooms.get(id):
            room.announce(name, seconds, cursor)

    def dismiss(self, id: str, error: CommonplaceError) -> None:
        """Close every connection to a document; the error says why, and whether for good."""
        if room := self._rooms.get(id):
            room.dismiss(error)

    def note_gone(self, id: str) -> None:
        """Close every connection to a document whose note was deleted."""
        self.dismiss(id, NotFound("The note was deleted."))

    def note_restarted(self, id: str) -> None:
        """Close every connection to a document whose history was begun anew."""
        self.dismiss(id, Conflict("The note's history was begun anew; open it again."))

    async def _closed(self, id: str) -> None:
        try:
            await self.notes.closed(id)
        except CommonplaceError as error:
            _logger.warning("%s could not be put away: %s", id, error)

    def _room(self, document: Document) -> Room:
        room = self._rooms.get(document.id)
        if room is None:
            room = self._rooms[document.id] = Room(self.notes.documents, document, self._exchange)
        return room

    def _leave(self, id: str, room: Room, member: Outbox) -> None:
        room.leave(member)
        if not len(room):
            del self._rooms[id]
