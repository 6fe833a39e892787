"""What an owner serves: the vault, opened, behind each protocol. Here everything is wired together.

Heavy imports wait until they are needed, and then do not hold up the event loop: a command that
only asks the vault a question loads no protocol.
"""

import logging
import os
import time
from asyncio import get_running_loop
from collections.abc import AsyncGenerator, Hashable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.streams.buffered import BufferedByteStream

from commonplace import __version__
from commonplace.core.view import View
from commonplace.errors import BadArgument
from commonplace.server.api.assistants import Visit, Visits
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.server.metrics.counts import Counts
from commonplace.server.owner.handshake import Hello
from commonplace.server.owner.pages import Pages
from commonplace.vault.settings import Access, Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from commonplace.agent.agents import Agents
    from commonplace.server.access.door import Door
    from commonplace.server.access.guard import Guard
    from commonplace.server.mcp.lazy import LateNotes
    from commonplace.server.mcp.server import NoteServer
    from commonplace.server.mcp.stream import Service
    from commonplace.server.metrics.registry import Registry
    from commonplace.server.metrics.text import Family
    from commonplace.server.owner.tool_port import ToolPort
    from commonplace.server.yjs.rooms import Rooms
    from commonplace.tools.table import Tool, Toolbox
    from commonplace.vault.databases import OpenDatabases
    from commonplace.vault.lease.lease import Lease
    from commonplace.vault.nodes.providers import Stores
    from commonplace.vault.nodes.store import Store
    from commonplace.vault.permissions.permissions import Permissions
    from commonplace.vault.shared_files.changes import SharedChanges
    from commonplace.vault.vault import Vault

NO_TOKENS = (
    "Access tokens are required here, and this vault has no valid one. Create one:"
    " `commonplace token create NAME`, for the same vault. Then start again."
)
NO_TOKENS_YET = (
    "Nobody can come in yet: this vault has no valid access token. Create one on this machine:"
    " `commonplace token create NAME`, for the same vault and --state."
)

_KEY_BYTES = 32
_GREETING_SECONDS = 0.05

_logger = logging.getLogger(__name__)


class Served:
    """A vault behind MCP and HTTP: the `Composition` of the program."""

    def __init__(self) -> None:
        self._vault: Vault | None = None
        self._stores: Stores | None = None
        self.wanted = anyio.Event()
        self._opened = anyio.Event()
        self._late: list[LateNotes] = []
        self._services: dict[Hashable, Service] = {}
        self._shared_rooms: Rooms | None = None
        self._changes: SharedChanges | None = None
        self._visits = Visits()
        self._counts = Counts()
        self.lease: Lease | None = None
        self.pages = Pages()
        self._tool_port: ToolPort | None = None
        self._agents: Agents | None = None

    @property
    def agents(self) -> "Agents":
        """The conversations with agents that this owner runs."""
        if self._agents is None:
            from commonplace.agent.agents import Agents
            from commonplace.server.owner.tool_port import ToolPort

            own = replace(self.vault.settings, access=Access(token=True))
            self._tool_port = ToolPort(partial(self.app, own))
            self._agents = Agents(self.vault, own.personal, self._tool_port.mcp_url)
        return self._agents

    async def close_agents(self) -> None:
        """End every agent that runs, and close the port that they found our tools at."""
        if self._agents is not None:
            await self._agents.close()
        if self._tool_port is not None:
            await self._tool_port.close()

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

    async def _opened_resources(self) -> VaultResources:
        return VaultResources(await self.opened())

    def arrived(self, vault: "Vault", stores: "Stores") -> None:
        """Take the vault that was opened, and the stores beside it."""
        self._vault, self._stores = vault, stores
        vault.notes.documents.follow(lambda change: self._counts.add_edit(change.actor))
        self._opened.set()
        for notes in self._late:
            notes.arrived(VaultResources(vault))

    def metrics(self) -> "list[Family]":
        """Tell a monitor how this owner is doing."""
        from commonplace.server.metrics.vault_metrics import Sockets, owner_families

        rooms = self._shared_rooms
        sockets = Sockets(rooms.connections, rooms.behind) if rooms else Sockets()
        return owner_families(self.vault, self._counts, sockets, self.lease)

    async def session(self, stream: BufferedByteStream, greeting: Hello, own: Settings) -> None:
        """Serve one MCP client until it goes."""
        from commonplace.server.mcp.stream import serve_stream
        from commonplace.tools.table import Actor

        policies = tuple(sorted(own.policies.items()))
        choices = (own.families, own.read_only, own.always_load, policies, own.store.key)
        if choices not in self._services:
            self._services[choices] = self._service(own)
        if not self.wanted.is_set():
            # After the greeting: what follows is loaded while the client thinks.
            get_running_loop().call_later(_GREETING_SECONDS, self.wanted.set)
        actor = Actor(f"process:{greeting.session}", "assistant")
        await serve_stream(self._services[choices], stream, stream, actor)

    async def app(self, own: Settings) -> "ASGIApp":
        """Make an HTTP app; each has a server of its own, since one app can start once."""
        await self.opened()
        service = self._service(own, await self._toolbox(own))
        server = await service.server()
        from commonplace.server.access.guard import Guard
        from commonplace.server.api import (
            agents as agents_api,
            answers,
            attachments,
            browse,
            checkouts,
            connect,
            files as files_api,
            folders,
            graph as graph_api,
            notes,
            page,
            search,
            tokens as tokens_api,
        )
        from commonplace.server.api.decisions import (
            approvals,
            comments,
            history as history_api,
            review,
            sets,
        )
        from commonplace.server.app import create_app
        from commonplace.server.metrics.process import process_families
        from commonplace.server.metrics.route import metrics_route
        from commonplace.server.parts import Parts
        from commonplace.server.yjs import sockets, ysweet

        closed = own.read_only
        guard, door = Guard.also(own.access.hosts), self._door(own)
        routes = [
            metrics_route(lambda: [*process_families(), *self.metrics()]),
            *page.routes(),
            *answers.routes(self.vault, read_only=closed),
            *browse.routes(self.vault, self._visits),
            *graph_api.routes(self.vault),
            *search.routes(self.vault),
            *folders.routes(self.vault, read_only=closed),
            *attachments.routes(self.vault, read_only=closed),
            *files_api.routes(self.vault, self._shared_changes(), read_only=closed),
            *connect.routes(own, self._visits),
            *review.routes(self.vault, read_only=closed),
            *history_api.routes(self.vault, read_only=closed),
            *sets.routes(self.vault, read_only=closed),
            *([] if closed else comments.routes(self.vault)),
            *([] if closed else approvals.routes(self.vault)),
            *([] if closed else notes.routes(self.vault)),
            *(tokens_api.routes(self.vault.tokens) if own.access.desk else []),
            *(checkouts.routes(self.vault) if own.access.desk and not closed else []),
            *(
                agents_api.routes(lambda: self.agents, self.pages.address)
                if self._offers_agents(own)
                else []
            ),
            *sockets.routes(self._rooms(), read_only=closed),
            *ysweet.routes(
                self._rooms(),
                key=_state_key(own.state),
                read_only=closed,
                prefix=own.access.prefix,
            ),
        ]
        return create_app(
            server,
            routes,
            direct=service.direct,
            guard=guard,
            door=door,
            ready=self._missing,
            parts=Parts(partial(self._part, own, guard)),
            counts=self._counts,
        )

    def _offers_agents(self, own: Settings) -> bool:
        """Tell whether agents may be used here: by the person of this machine, or as they say."""
        if own.read_only:
            return False
        from commonplace.server.access.guard import LOOPBACK

        others = own.access.token or not set(own.access.hosts) <= set(LOOPBACK)
        if own.access.desk or not others:
            return True
        try:
            return self.agents.personal().serve_agents
        except BadArgument:
            return False  # whoever uses an agent at this machine is told what is wrong

    @asynccontextmanager
    async def _part(self, own: Settings, guard: "Guard", view: View) -> "AsyncGenerator[ASGIApp]":
        """Give an app over the part of the vault that a view shows."""
        from commonplace.server.api import answers, attachments, browse, graph, notes, search
        from commonplace.server.api.decisions import review
        from commonplace.server.app import part_app
        from commonplace.server.mcp.server import build
        from commonplace.server.mcp.tool_calls import ToolCalls
        from commonplace.server.yjs import sockets, ysweet
        from commonplace.server.yjs.seen_rooms import SeenRooms
        from commonplace.tools.families import FOR_PARTS
        from commonplace.vault.nodes.docstore import DocStore
        from commonplace.vault.part import part_of

        closed, key = own.read_only, _state_key(own.state)
        async with part_of(self.vault, view) as vault:
            rooms = SeenRooms(self._rooms(), self.vault, vault)
            permissions = vault.permissions.under(own.policies)
            tools = self._tools(vault, permissions, DocStore(vault, permissions))
            box = self._box(own, [tool for tool in tools if tool.name in FOR_PARTS])
            calls = ToolCalls(box, counts=self._counts)
            server = build(calls, VaultResources(vault), version=__version__, state_keys=[key])
            routes = [
                *answers.routes(vault, read_only=closed),
                *browse.routes(vault, Visits()),
                *graph.routes(vault),
                *search.routes(vault),
                *attachments.routes(vault, read_only=True),
                *review.routes(vault, read_only=True),
                *([] if closed else notes.routes(vault)),
                *sockets.routes(rooms, read_only=closed),
                *ysweet.routes(rooms, key=key, read_only=closed, prefix=own.access.prefix),
            ]
            async with part_app(server, routes, guard) as app:
                yield app

    def _door(self, own: Settings) -> "Door":
        from commonplace.server.access.cookies import Sessions
        from commonplace.server.access.door import Door
        from commonplace.server.access.ysweet_grants import Grants as Grants

        tokens = self.vault.tokens
        if own.access.token and not tokens.any:
            if self.lease is None:
                raise BadArgument(NO_TOKENS)
            _logger.warning(NO_TOKENS_YET)  # a team's can only be made while a node runs
        key = _state_key(own.state)
        return Door(tokens, Sessions(tokens, key), Grants(key, time.time), own.access.token)

    def _rooms(self) -> "Rooms":
        """Make the rooms that all sockets of this owner share."""
        if self._shared_rooms is None:
            from commonplace.server.yjs.rooms import Rooms
            from commonplace.server.yjs.vault_documents import VaultDocuments

            self._shared_rooms = Rooms(VaultDocuments(self.vault))
            self.vault.notes.moves.follow_gone(self._shared_rooms.note_gone)
            self.vault.notes.documents.follow_restarts(self._shared_rooms.note_restarted)
            self._visits.follow(self._show)
        return self._shared_rooms

    def _shared_changes(self) -> "SharedChanges":
        """Make what takes changes of copies elsewhere, whichever way they come."""
        if self._changes is None:
            from commonplace.vault.shared_files.changes import SharedChanges

            self._changes = SharedChanges(self.vault)
        return self._changes

    def _show(self, visit: Visit) -> None:
        """Show an assistant that works on a note to those who have it open."""
        path, known = visit.path or "", self.vault.notes.ids.known_id
        document = known(path) or known(f"{path}.md")
        if document is not None and self._shared_rooms is not None:
            self._shared_rooms.announce(document, visit.name)

    def _service(self, own: Settings, toolbox: "Toolbox | None" = None) -> "Service":
        """Make what serves the sessions of a front end; the SDK is loaded when one needs it."""
        from commonplace.server.mcp.direct.answers import DirectAnswers
        from commonplace.server.mcp.lazy import LateNotes, LateToolbox
        from commonplace.server.mcp.stream import Service
        from commonplace.server.mcp.tool_calls import ToolCalls
        from commonplace.tools.families import offered

        async def fill() -> "Toolbox":
            await self.opened()
            return await self._toolbox(own)

        notes = LateNotes(self._opened_resources)
        if self._vault is None:
            self._late.append(notes)
        else:
            notes.arrived(VaultResources(self._vault))
        late = LateToolbox(offered(own.families, read_only=own.read_only), fill)
        calls = ToolCalls(toolbox or late, self._visits, self._counts)
        server: list[NoteServer] = []

        async def sdk_server() -> "NoteServer":
            await _load("commonplace.server.mcp.server")
            from commonplace.server.mcp.server import build

            if not server:
                key = _state_key(own.state)
                server.append(build(calls, notes, version=__version__, state_keys=[key]))
            return server[0]

        return Service(sdk_server, notes, DirectAnswers(calls, __version__))

    async def _toolbox(self, own: Settings) -> "Toolbox":
        from commonplace.tools import history, sets

        assert self._stores is not None
        permissions = self.vault.permissions.under(own.policies)
        store = await self._stores.give(own.store, permissions)
        tools = [
            *self._tools(self.vault, permissions, store),
            *history.tools(self.vault),
            *sets.tools(self.vault, self.pages.address),
        ]
        told = [sets.telling(self.vault, tool, self.pages.address) for tool in tools]
        return self._box(own, told)

    @staticmethod
    def _tools(vault: "Vault", permissions: "Permissions", store: "Store") -> "list[Tool]":
        """Return the tools that may be had over a part of a vault too."""
        from commonplace.tools import files, graph, meaning, notes

        return [
            *files.tools(vault),
            *notes.tools(vault, permissions),
            *meaning.tools(vault),
            *graph.tools(store),
        ]

    def _box(self, own: Settings, tools: "Sequence[Tool]") -> "Toolbox":
        from commonplace.tools import history
        from commonplace.tools.families import ALWAYS_LOADED
        from commonplace.tools.table import Toolbox

        loaded = ALWAYS_LOADED if own.always_load is None else own.always_load
        tools = [history.held(self.vault.undo.gate, tool) for tool in tools]
        return Toolbox(tools, own.families, read_only=own.read_only, always_load=loaded)

    async def _missing(self) -> list[str]:
        building = ["the index is being built"] if self.vault.listing.unfinished else []
        return [*building, *await self.vault.health.problems()]


@asynccontextmanager
async def compose(
    settings: Settings,
    *,
    follow: bool = True,
    late: bool = False,
    databases: "OpenDatabases | None" = None,
    registry: "Registry | None" = None,
) -> AsyncGenerator[Served]:
    """Open the vault that these settings name; `late`, only once somebody wants it.

    `databases` opens those of a team's vault; `registry` hears how it is doing.
    """
    served = Served()
    done = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_keep_open, settings, follow, served, done, databases, registry)
        try:
            if not late:
                await served.opened()
            yield served
        finally:
            with anyio.CancelScope(shield=True):
                await served.close_agents()
            done.set()
            served.wanted.set()


async def _keep_open(
    settings: Settings,
    follow: bool,
    served: Served,
    done: anyio.Event,
    databases: "OpenDatabases | None",
    registry: "Registry | None",
) -> None:
    """Hold the vault open in one task from first to last."""
    await served.wanted.wait()
    if done.is_set():
        return
    await _load("commonplace.vault.nodes.providers")
    from commonplace.vault.nodes import providers
    from commonplace.vault.open import open_vault

    opened = await databases() if databases else None
    served.lease = opened.lease if opened else None
    async with (
        open_vault(settings, follow=follow, databases=opened) as vault,
        providers.opened(vault) as stores,
    ):
        served.arrived(vault, stores)
        with registry.telling(served.metrics) if registry else nullcontext():
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
