"""A working copy for as long as somebody listens; what is refused, and what is told."""

import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from commonplace.server.api import checkouts
from commonplace.server.owner.uvicorn import serving
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.server.api.test_graph import ask
from tests.vault.conftest import write
from tests.wait import eventually, holds

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True)
class Site:
    vault: Vault
    notes: Path
    app: Starlette
    place: Path

    @asynccontextmanager
    async def checkout(self, folder: Path) -> AsyncGenerator[Any]:
        """Ask for a working copy, and listen; gives an iterator over what is told."""
        listener = socket.create_server(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        body = {"folder": str(folder), "name": "Editor"}
        async with (
            serving(self.app, [listener]),
            httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as http,
            http.stream(
                "POST", "/api/checkout", json=body, headers={"X-Commonplace": "1"}
            ) as answer,
        ):
            yield (json.loads(line) async for line in answer.aiter_lines())


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    notes = tmp_path / "notes"
    write(notes, {"a.md": "The {--red--}{++blue++} folder.\n"})
    async with open_vault(Settings((Root("notes", notes),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        yield Site(vault, notes, Starlette(routes=checkouts.routes(vault)), tmp_path)


async def test_a_save_in_the_copy_becomes_a_suggestion_while_somebody_listens(site: Site) -> None:
    folder = site.place / "copy"
    async with site.checkout(folder) as told:
        assert (await anext(told))["ready"] is True
        await holds(folder / "a.md", "The blue folder.\n")
        status, refused = await ask(
            site.app, "/api/checkout", {"folder": str(folder), "name": "Other"}
        )
        assert (status, "in use already" in refused["error"]["message"]) == (409, True)
        (folder / "a.md").write_text("The blue folder is mine.\n")

        async def waits() -> bool:
            return {"Editor"} <= {one.author for one in await site.vault.pending.listed()}

        await eventually(waits)


@pytest.mark.parametrize(
    ("folder", "name", "complaint"),
    [
        ("{}/copy", "", "printable characters"),
        ("{}/copy", "a\nb", "printable characters"),
        ("{}/copy", "x" * 1_000, "printable characters"),
        ("copy", "Editor", "by its whole path"),
        ("", "Editor", "by its whole path"),
        ("{}/notes", "Editor", "lies in the vault"),
        ("{}/notes/copy", "Editor", "lies in the vault"),
        ("{}", "Editor", "lies in the vault"),
        ("{}/link/copy", "Editor", "lies in the vault"),
        ("{}/full", "Editor", "is not empty"),
    ],
)
async def test_a_folder_that_cannot_be_a_copy_is_refused(
    site: Site, folder: str, name: str, complaint: str
) -> None:
    write(site.place / "full", {"mine.md": "mine"})
    (site.place / "link").symlink_to(site.notes)
    body = {"folder": folder.format(site.place), "name": name}
    status, answer = await ask(site.app, "/api/checkout", body)
    assert (status, complaint in answer["error"]["message"]) == (400, True)
    assert [file.name for file in site.notes.iterdir()] == ["a.md"]
