"""Notes to connect to: a shelf over a real log, whose disk can be full or slow."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from commonplace.core.text.edits import Edit
from commonplace.errors import NotFound
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.documents import Documents, First
from tests.vault.log.troubled_log import TroubledLog

MIXED = "a😀b漢c e\u0301 👩‍👧‍👦 한국어 ไทย\n"


class NoteShelf:
    """Some notes by id; remembers which were put away."""

    def __init__(self, store: TroubledLog, notes: Mapping[str, str]) -> None:
        self.store = store
        self.notes = notes
        self.documents = Documents(store, first=self.first)
        self.put_away: list[str] = []

    async def first(self, id: str) -> First:
        return First(self.notes[id], "file")

    async def open(self, id: str) -> None:
        if id not in self.notes:
            raise NotFound(f"There is no document {id}.")

    async def closed(self, id: str) -> None:
        self.put_away.append(id)

    async def text(self, id: str) -> str:
        return (await self.documents.settled(id)).text

    async def replayed(self, id: str) -> str:
        """What the log alone has."""
        document = Document(id)
        document.load((await self.store.replay(id)).updates)
        return document.text


@asynccontextmanager
async def shelf_in(folder: Path, notes: Mapping[str, str]) -> AsyncGenerator[NoteShelf]:
    async with TroubledLog(folder / "live.db") as store:
        shelf = NoteShelf(store, notes)
        async with shelf.documents:
            yield shelf


def at_end(text: str) -> Callable[[str], Sequence[Edit]]:
    """Plan to add a text."""
    return lambda before: [Edit(len(before), len(before), text)]
