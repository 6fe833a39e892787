"""What an owner serves: the vault, opened, behind each protocol. Here everything is wired together.

Heavy imports wait until they are needed, and then do not hold up the event loop: a command that
only asks the vault a question loads no protocol.
"""

import os
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from anyio.streams.buffered import BufferedByteStream

from commonplace import __version__
from commonplace.server.hello import Hello
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from commonplace.server.mcp import NoteServer
    from commonplace.server.rooms import Rooms

_KEY_BYTES = 32


class Served:
    """A vault behind MCP and HTTP: the `Composition` of the program."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self._servers: dict[Hashable, NoteServer] = {}
        self._shared_rooms: Rooms | None = None

    async def session(self, stream: BufferedByteStream, greeting: Hello, own: Settings) -> None:
        """Serve one MCP client until it goes."""
        await _load("commonplace.server.mcp")
        from commonplace.server.stream import serve_stream
        from commonplace.tools.table import Actor

        choices = (own.families, own.read_only, tuple(sorted(own.policies.items())))
        if choices not in self._servers:
            self._servers[choices] = self._server(own)
        actor = Actor(f"process:{greeting.session}", "assistant", "assistant", greeting.session)
        await serve_stream(self._servers[choices], stream, stream, actor)

    async def app(self, own: Settings) -> "ASGIApp":
        """Make an HTTP app; each has a server of its own, since one app can start once."""
        await _load("commonplace.server.mcp")
        from commonplace.server import api, browsing, page, reviewing, sockets, ysweet
        from commonplace.server.app import create_app

        closed = own.read_only
        routes = [
            *page.routes(),
            *api.routes(self.vault),
            *browsing.routes(self.vault),
            *([] if closed else reviewing.routes(self.vault)),
            *sockets.routes(self._rooms(), read_only=closed),
            *ysweet.routes(self._rooms(), key=_state_key(own.state), read_only=closed),
        ]
        return create_app(self._server(own), routes, ready=self._missing)

    def _rooms(self) -> "Rooms":
        """Make the rooms that all sockets of this owner share."""
        if self._shared_rooms is None:
            from commonplace.server.rooms import Rooms

            self._shared_rooms = Rooms(self.vault.shelf)
        return self._shared_rooms

    def _server(self, own: Settings) -> "NoteServer":
        from commonplace.server.mcp import build
        from commonplace.tools import files
        from commonplace.tools.table import Toolbox

        toolbox = Toolbox(files.tools(self.vault), own.families, read_only=own.read_only)
        key = _state_key(own.state)
        return build(toolbox, self.vault, version=__version__, state_keys=[key])

    def _missing(self) -> str | None:
        return "the index is being built" if self.vault.unfinished else None


@asynccontextmanager
async def compose(settings: Settings, *, follow: bool = True) -> AsyncGenerator[Served]:
    """Open the vault that these settings name."""
    async with Vault.open(settings, follow=follow) as vault:
        yield Served(vault)


async def _load(module: str) -> None:
    await anyio.to_thread.run_sync(import_module, module)


def _state_key(state: Path) -> bytes:
    """Keep one key with the vault's state: the next owner can unseal what this one sealed."""
    file = state / "state.key"
    key = file.read_bytes() if file.exists() else b""
    if len(key) != _KEY_BYTES:
        key = os.urandom(_KEY_BYTES)
        file.touch(mode=0o600)
        file.write_bytes(key)
    return key
