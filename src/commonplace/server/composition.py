"""What an owner serves: the vault, opened, behind each protocol. Here everything is wired together.

Heavy imports wait until they are needed, and then do not hold up the event loop: a command that
only asks the vault a question loads no protocol.
"""

import os
import time
from asyncio import get_running_loop
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.streams.buffered import BufferedByteStream

from commonplace import __version__
from commonplace.errors import BadArgument
from commonplace.server.hello import Hello
from commonplace.server.visits import Visit, Visits
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from commonplace.server.access import Door
    from commonplace.server.late import LateNotes
    from commonplace.server.mcp import NoteServer
    from commonplace.server.rooms import Rooms
    from commonplace.tools.table import Toolbox
    from commonplace.vault.vault import Vault

NO_TOKENS = (
    "Serving so needs access tokens, and there is none that holds: nobody could come in. Make one"
    " with `commonplace token create NAME`, for the same vault, and start again."
)

_KEY_BYTES = 32
_GREETING_SECONDS = 0.05


class Served:
    """A vault behind MCP and HTTP: the `Composition` of the program."""

    def __init__(self) -> None:
        self._vault: Vault | None = None
        self.wanted = anyio.Event()
        self._opened = anyio.Event()
        self._late: list[LateNotes] = []
        self._servers: dict[Hashable, NoteServer] = {}
        self._shared_rooms: Rooms | None = None
        self._visits = Visits()

    @property
    def vault(self) -> "Vault":
        """The vault, which is open by now."""
        assert self._vault is not None
        return self._vault

    async def opened(self) -> "Vault":
        """Return the vault once it is open; the first who asks has it opened."""
        self.wanted.set()
        await self._opened.wait()
        return self.vault

    def arrived(self, vault: "Vault") -> None:
        """Take the vault that was opened."""
        self._vault = vault
        self._opened.set()
        for notes in self._late:
            notes.arrived(vault)

    async def session(self, stream: BufferedByteStream, greeting: Hello, own: Settings) -> None:
        """Serve one MCP client until it goes."""
        await _load("commonplace.server.mcp")
        from commonplace.server.stream import serve_stream
        from commonplace.tools.table import Actor

        choices = (own.families, own.read_only, tuple(sorted(own.policies.items())))
        if choices not in self._servers:
            self._servers[choices] = self._server(own)
        if not self.wanted.is_set():
            # After the greeting: what follows is loaded while the client thinks.
            get_running_loop().call_later(_GREETING_SECONDS, self.wanted.set)
        actor = Actor(f"process:{greeting.session}", "assistant", "assistant", greeting.session)
        await serve_stream(self._servers[choices], stream, stream, actor)

    async def app(self, own: Settings) -> "ASGIApp":
        """Make an HTTP app; each has a server of its own, since one app can start once."""
        await self.opened()
        await _load("commonplace.server.mcp")
        from commonplace.server import (
            api,
            approving,
            browsing,
            connecting,
            granting,
            graphing,
            page,
            reviewing,
            sockets,
            ysweet,
        )
        from commonplace.server.app import create_app
        from commonplace.server.guard import Guard

        closed = own.read_only
        guard, door = Guard.also(own.access.hosts), self._door(own)
        routes = [
            *page.routes(),
            *api.routes(self.vault, read_only=closed),
            *browsing.routes(self.vault, self._visits),
            *graphing.routes(self.vault, read_only=closed),
            *connecting.routes(own, self._visits),
            *reviewing.routes(self.vault, read_only=closed),
            *([] if closed else approving.routes(self.vault)),
            *(granting.routes(self.vault.tokens) if own.access.desk else []),
            *sockets.routes(self._rooms(), read_only=closed),
            *ysweet.routes(self._rooms(), key=_state_key(own.state), read_only=closed),
        ]
        return create_app(self._server(own), routes, guard=guard, door=door, ready=self._missing)

    def _door(self, own: Settings) -> "Door":
        from commonplace.server.access import Door
        from commonplace.server.sessions import Sessions
        from commonplace.server.ysweet_tokens import Tokens as Grants

        tokens = self.vault.tokens
        if own.access.token and not tokens.any:
            raise BadArgument(NO_TOKENS)
        key = _state_key(own.state)
        return Door(tokens, Sessions(tokens, key), Grants(key, time.time), own.access.token)

    def _rooms(self) -> "Rooms":
        """Make the rooms that all sockets of this owner share."""
        if self._shared_rooms is None:
            from commonplace.server.rooms import Rooms

            self._shared_rooms = Rooms(self.vault.shelf)
            self.vault.shelf.follow_gone(self._shared_rooms.note_gone)
            self._visits.follow(self._show)
        return self._shared_rooms

    def _show(self, visit: Visit) -> None:
        """Show an assistant that works on a note to those who have it open."""
        path, known = visit.path or "", self.vault.shelf.known_id
        document = known(path) or known(f"{path}.md")
        if document is not None and self._shared_rooms is not None:
            self._shared_rooms.announce(document, visit.name)

    def _server(self, own: Settings) -> "NoteServer":
        from commonplace.server.late import LateNotes, LateToolbox
        from commonplace.server.mcp import build
        from commonplace.tools.table import FAMILY_TOOLS, WRITING_TOOLS

        key = _state_key(own.state)
        if self._vault is not None:
            box = _toolbox(self._vault, own)
            return build(
                box, self._vault, version=__version__, state_keys=[key], visits=self._visits
            )

        async def fill() -> "Toolbox":
            return _toolbox(await self.opened(), own)

        names = [
            name
            for family in own.families
            for name in FAMILY_TOOLS[family]
            if not (own.read_only and name in WRITING_TOOLS)
        ]
        notes = LateNotes(self.opened)
        self._late.append(notes)
        late = LateToolbox(names, fill)
        return build(late, notes, version=__version__, state_keys=[key], visits=self._visits)

    def _missing(self) -> str | None:
        return "the index is being built" if self.vault.listing.unfinished else None


def _toolbox(vault: "Vault", own: Settings) -> "Toolbox":
    from commonplace.tools import files, graph, meaning, notes
    from commonplace.tools.table import Toolbox
    from commonplace.vault.docstore import DocStore

    permissions = vault.permissions.under(own.policies)
    tools = [
        *files.tools(vault),
        *notes.tools(vault, permissions),
        *meaning.tools(vault),
        *graph.tools(DocStore(vault, permissions)),
    ]
    return Toolbox(tools, own.families, read_only=own.read_only)


@asynccontextmanager
async def compose(
    settings: Settings, *, follow: bool = True, late: bool = False
) -> AsyncGenerator[Served]:
    """Open the vault that these settings name; `late`, only once somebody wants it."""
    served = Served()
    done = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_keep_open, settings, follow, served, done)
        try:
            if not late:
                await served.opened()
            yield served
        finally:
            done.set()
            served.wanted.set()


async def _keep_open(settings: Settings, follow: bool, served: Served, done: anyio.Event) -> None:
    """Hold the vault open in one task from first to last."""
    await served.wanted.wait()
    if done.is_set():
        return
    await _load("commonplace.vault.vault")
    from commonplace.vault.vault import Vault

    async with Vault.open(settings, follow=follow) as vault:
        served.arrived(vault)
        await done.wait()


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
