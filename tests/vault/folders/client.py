"""A Yjs client of a folder's document, and vaults to try it on."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from pycrdt import Doc, Map

from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.wait import PATIENCE

MakeSettings = Callable[..., Settings]
NAMES = ("filemeta_v0", "docs", "backlinks_v0", "folder_config")


class Client:
    """A Yjs client of a folder's document, without the network."""

    def __init__(self, vault: Vault, id: str) -> None:
        self.vault, self.id = vault, id
        self.doc: Doc[Any] = Doc()
        self.files, self.docs, self.backlinks, self.config = (
            self.doc.get(name, type=Map) for name in NAMES
        )

    async def pull(self) -> None:
        """Learn what is new."""
        answer = await self.vault.notes.documents.answer(self.id, self.doc.get_state())
        self.doc.apply_update(answer)

    async def send(self, change: Callable[[], None]) -> None:
        """Change something in one transaction, and send it."""
        heard: list[bytes] = []
        subscription = self.doc.observe(lambda event: heard.append(event.update))
        with self.doc.transaction():
            change()
        self.doc.unobserve(subscription)
        for update in heard:
            await self.vault.notes.documents.apply(self.id, update, "person:ana", origin=self)

    async def does(self, change: Callable[[], None]) -> None:
        """Change something, and see what the vault makes of it."""
        await self.send(change)
        await self.settled()

    async def settled(self) -> None:
        await asyncio.sleep(0)  # followers hear of a saved change in the next turn of the loop
        await self.vault.folders.settle()
        await self.vault.folders.settle()
        await self.pull()

    @property
    def listed(self) -> dict[str, str]:
        """The paths of notes, and their ids."""
        values: dict[str, Any] = self.files.to_py() or {}
        return {k: v["id"] for k, v in values.items() if v["type"] == "markdown"}

    @property
    def folders(self) -> set[str]:
        values: dict[str, Any] = self.files.to_py() or {}
        return {k for k, v in values.items() if v["type"] == "folder"}

    def put(self, key: str, id: str, kind: str = "markdown") -> None:
        self.files[key] = {"id": id, "type": kind, "version": 0}
        if kind == "markdown":
            self.docs[key] = id

    def remove(self, key: str) -> None:
        del self.files[key]
        if key in self.docs:
            del self.docs[key]

    def move(self, old: str, new: str) -> None:
        id = self.files[old]["id"]
        kind = self.files[old]["type"]
        self.remove(old)
        self.put(new, id, kind)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[Vault]:
    async with open_vault(settings) as vault:
        with anyio.fail_after(PATIENCE):
            await vault.indexer.settled()
        yield vault


async def client_of(vault: Vault, root: str = "vault") -> Client:
    id = await vault.folders.id_of(root)
    await vault.folders.open(id)
    client = Client(vault, id)
    await client.pull()
    return client


@asynccontextmanager
async def at(settings: Settings) -> AsyncGenerator[tuple[Vault, Client, Path]]:
    async with opened(settings) as vault:
        yield vault, await client_of(vault), settings.roots[0].path


def new_id() -> str:
    return str(uuid.uuid4())


def truth(folder: Path) -> set[str]:
    """The keys of all notes that there are on disk."""
    found = (file.relative_to(folder).as_posix() for file in folder.rglob("*.md"))
    return {f"/{path}" for path in found if not path.startswith(".")}
