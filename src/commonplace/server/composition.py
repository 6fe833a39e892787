"""What an owner serves: the vault, opened, behind each protocol. Here everything is wired together.

Heavy imports wait until they are needed, and then do not hold up the event loop: a command that
only asks the vault a question loads no protocol.
"""

from asyncio import get_running_loop
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.streams.buffered import BufferedByteStream

from commonplace import __version__
from commonplace.server.access.state_key import state_key
from commonplace.server.api.assistants import Visits
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.server.metrics.counts import Counters
from commonplace.server.owner.handshake import Hello
from commonplace.server.owner.pages import PageAddresses
from commonplace.vault.settings import Access, Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from commonplace.agent.agents import Agents
    from commonplace.server.mcp.late_vault import LateNotes
    from commonplace.server.mcp.stream import SessionService
    from commonplace.server.metrics.registry import Registry
    from commonplace.server.metrics.text import Family
    from commonplace.server.owner.tool_port import ToolPort
    from commonplace.server.vault_apps import VaultApps
    from commonplace.tools.table import Toolbox
    from commonplace.vault.databases import OpenDatabases
    from commonplace.vault.lease.lease import Lease
    from commonplace.vault.nodes.providers import Stores
    from commonplace.vault.vault import Vault

_GREETING_SECONDS = 0.05


class Served:
    """A vault behind MCP and HTTP: the `Composition` of the program."""

    def __init__(self) -> None:
        self._vault: Vault | None = None
        self._stores: Stores | None = None
        self.wanted = anyio.Event()
        self._opened = anyio.Event()
        self._late: list[LateNotes] = []
        self._services: dict[Hashable, SessionService] = {}
        self._apps: VaultApps | None = None
        self._visits = Visits()
        self._counts = Counters()
        self.lease: Lease | None = None
        self.pages = PageAddresses()
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

        rooms = self._apps.rooms if self._apps else None
        sockets = Sockets(rooms.connections, rooms.behind) if rooms else Sockets()
        return owner_families(self.vault, self._counts, sockets, self.lease)

    async def session(self, stream: BufferedByteStream, greeting: Hello, own: Settings) -> None:
        """Serve one MCP client until it goes."""
        from commonplace.server.mcp.direct.transport_stream import over_transport
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
        async with over_transport(stream) as quick:
            await serve_stream(self._services[choices], quick, quick, actor)

    async def app(self, own: Settings) -> "ASGIApp":
        """Make an HTTP app; each has a server of its own, since one app can start once."""
        await self.opened()
        service = self._service(own, await self._toolbox(own))
        if self._apps is None:
            from commonplace.server.vault_apps import VaultApps

            self._apps = VaultApps(
                self.vault,
                self._visits,
                self._counts,
                self.pages,
                agents=lambda: self.agents,
                metrics=self.metrics,
                is_team=self.lease is not None,
            )
        return self._apps.app(own, service)

    def _service(self, own: Settings, toolbox: "Toolbox | None" = None) -> "SessionService":
        """Make what serves the sessions of a front end; the SDK is loaded when one needs it."""
        from commonplace.server.mcp.direct.answers import DirectAnswers
        from commonplace.server.mcp.late_server import LateServer
        from commonplace.server.mcp.late_vault import LateNotes, LateToolbox
        from commonplace.server.mcp.stream import SessionService
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
        server = LateServer(calls, notes, state_key(own.state))
        return SessionService(server.get, notes, DirectAnswers(calls, __version__))

    async def _toolbox(self, own: Settings) -> "Toolbox":
        from commonplace.server.toolboxes import whole_toolbox

        assert self._stores is not None
        permissions = self.vault.permissions.under(own.policies)
        store = await self._stores.give(own.store, permissions)
        return whole_toolbox(self.vault, permissions, store, own, self.pages.address)


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
