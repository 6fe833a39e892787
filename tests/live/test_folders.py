"""The list of a root in the hands of Yjs clients that others wrote."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette

from commonplace.server.yjs.rooms import Rooms
from commonplace.server.yjs.sockets import routes
from commonplace.server.yjs.vault_documents import VaultDocuments
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests import node
from tests.live.processes import node_script
from tests.wait import holds

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

HERE = Path(__file__).parent
SECONDS = 60.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def served(vault: Vault) -> AsyncGenerator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    app = Starlette(routes=routes(Rooms(VaultDocuments(vault))))
    config = uvicorn.Config(app, ws="websockets-sansio", lifespan="off", log_level="warning")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}/sync"
    finally:
        server.should_exit = True
        await task
        listener.close()


async def test_y_websocket_clients_make_rename_and_delete_notes(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for name, text in {"a.md": "A", "b.md": "B", "c.md": "see [[a]]"}.items():
        (folder / name).write_text(text, "utf-8")
    arguments = ["--input-type=module", "--eval", node_script("folders")]
    async with open_vault(Settings((Root("vault", folder),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        async with served(vault) as url:
            given = json.dumps({"url": url, "document": await vault.folders.id_of("vault")})
            where = await asyncio.to_thread(node.installed, HERE)
            done = await asyncio.to_thread(
                node.run, arguments, cwd=where, seconds=SECONDS, text=given
            )
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        made, first, nested = told["made"], told["first"], told["nested"]
        ids = {f"/{path}": await vault.notes.ids.id_of(path) for path in sorted(listed(folder))}
    assert told["ana"] == told["bo"]
    assert ids["/Sub/New 😀.md"] == made
    assert ids["/Sub/renamed.md"] == first
    assert ids["/Nested.md"] == nested
    assert told["ana"]["docs"] == ids
    files = told["ana"]["filemeta_v0"]
    assert files.keys() == {*ids, "/Sub"}
    assert {path: files[path]["id"] for path in ids} == ids
    assert told["ana"]["folder_config"] == {"name": "vault"}
    assert told["plain"] is True
    assert (folder / ".trash/b.md").read_text("utf-8") == "B"
    assert (folder / "Sub/renamed.md").read_text("utf-8") == "A"
    await holds(folder / "Sub/New 😀.md", "typed 漢字 😀 [[c]]\n")


def listed(folder: Path) -> list[str]:
    found = (file.relative_to(folder).as_posix() for file in folder.rglob("*.md"))
    return [path for path in found if not path.startswith(".")]
