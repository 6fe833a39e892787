"""The rooms of the notes that a view shows; whoever has the others open is met there too."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from commonplace.errors import NotFound
from commonplace.server.yjs.outbox import Outbox
from commonplace.server.yjs.rooms import Room, Rooms
from commonplace.vault.documents.document import Document
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.vault import Vault

_OUT_OF_SIGHT = "The note is not in the folders that this access token reaches."


class SeenRooms(Rooms):
    """Rooms for those who see a part of the vault."""

    def __init__(self, rooms: Rooms, whole: Vault, part: Vault) -> None:
        self.notes = rooms.notes
        self._whole = rooms
        self._vault, self._part = whole, part

    def somebody(self) -> str:
        """Name an actor of whom nothing is known."""
        return self._whole.somebody()

    @asynccontextmanager
    async def visit(
        self, id: str, *, read_only: bool = False
    ) -> AsyncGenerator[tuple[Room, Outbox]]:
        """Be in a room until its note goes out of sight."""
        await self._part.notes.note_of(id)
        async with self._whole.visit(id, read_only=read_only) as (room, member):
            stop = self._vault.contents.follow(self._watch(id, member))
            try:
                yield room, member
            finally:
                stop()

    @asynccontextmanager
    async def open(self, id: str) -> AsyncGenerator[Document]:
        """Keep a document ready and live."""
        await self._part.notes.note_of(id)
        async with self._whole.open(id) as document:
            yield document

    def _watch(self, id: str, member: Outbox) -> Callable[[NoteChange], None]:
        known, shows = self._vault.notes.ids.known_id, self._part.notes.view.shows

        def heard(change: NoteChange) -> None:
            was = known(change.was) if change.was is not None else None
            if not shows(change.path) and id in (known(change.path), was):
                member.stop(NotFound(_OUT_OF_SIGHT))

        return heard
