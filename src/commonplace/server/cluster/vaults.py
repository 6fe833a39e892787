"""The vaults that a node has open: each on first demand under a lease, until nobody uses it.

Each is an owner as a process of one vault is, with sockets in its own state folder; nothing is
shared with the others but the event loop and the pool of connections. One that loses its lease
closes: its sockets at once, and if the rest does not end in time, the whole process begins anew.
"""

import gc
import logging
import os
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from anyio.streams.buffered import BufferedByteStream

from commonplace.errors import CommonplaceError, Unavailable
from commonplace.server.cluster.team import Team
from commonplace.server.composition import Served, compose
from commonplace.server.metrics.registry import Registry
from commonplace.server.owner.error_groups import plain_errors
from commonplace.server.owner.handshake import HELLO_MAX, Hello, hello, line, parse_answer
from commonplace.server.owner.host import host
from commonplace.server.owner.usage_counter import UsageCounter
from commonplace.server.relay.http_proxy import once
from commonplace.vault import memory
from commonplace.vault.databases import named_alike, team_databases
from commonplace.vault.lease.lease import Lease
from commonplace.vault.lease.leases import Leases
from commonplace.vault.owner import (
    OWNER_SOCKET,
    listen_as_node,
    lock_for_node,
    prepared_sockets,
    socket_folder,
    unlock,
)
from commonplace.vault.postgres.pool import Pool
from commonplace.vault.settings import Access, Settings
from commonplace.vault.team_files.folder import config_text

OPEN_MAX = 1_000
OPENING_MAX = 8
"""So many are opened at once: a dead node's vaults all come together, and take turns."""
_CLOSING_SECONDS_MAX = 60.0

_LOOK_SECONDS_MAX = 5.0

_logger = logging.getLogger(__name__)


class OpenVault:
    """A vault that this node has open, or is about to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.usage = UsageCounter()
        self.stop = anyio.Event()
        self.settled = anyio.Event()
        """Set when it is open, or will not be."""
        self.closed = anyio.Event()
        self.failure: CommonplaceError | None = None
        self.settings: Settings | None = None
        self._apps: dict[Access, Path] = {}
        self._asking = anyio.Lock()
        self._carried: set[anyio.CancelScope] = set()

    @contextmanager
    def carrying(self) -> Generator[None]:
        """Count somebody as present while the body runs; it ends with the lease at the latest."""
        with anyio.CancelScope() as scope, self.usage.present():
            self._carried.add(scope)
            try:
                yield
            finally:
                self._carried.discard(scope)

    def lose(self) -> None:
        """Tell nobody anything any more, and close."""
        self.stop.set()
        for scope in self._carried:
            scope.cancel()

    @property
    def sockets(self) -> Path:
        """The folder of the owner's sockets, once it is open."""
        assert self.settings is not None
        return socket_folder(self.settings)

    async def app(self, greeting: Hello) -> Path:
        """Return the socket where HTTP is spoken with those who come by this way."""
        assert self.settings is not None
        own = self.settings
        access = Access(
            hosts=greeting.hosts,
            token=greeting.token or own.access.token,
            prefix=greeting.prefix,
        )
        async with self._asking:
            if access not in self._apps:
                asked = hello(replace(own, access=access), "http")
                self._apps[access] = self.sockets / await _app_name(self.sockets, asked)
        return self._apps[access]


async def _app_name(folder: Path, greeting: Hello) -> str:
    async with BufferedByteStream(await anyio.connect_unix(folder / OWNER_SOCKET)) as owner:
        await owner.send(line(greeting))
        return parse_answer(await owner.receive_until(b"\n", HELLO_MAX)).socket


SettingsOf = Callable[[str, bytes | None], Settings]
"""Makes settings from a vault's name, and from what its `commonplace.toml` says in the database.

May take a while, and raise `Unavailable`."""


@dataclass(frozen=True, slots=True)
class VaultOptions:
    """How a node opens vaults: where their settings come from, where its page is, how long."""

    settings_of: SettingsOf
    urls: tuple[str, ...]
    idle_seconds: float
    anew: Callable[[], None]
    """Replaces the process, and does not return."""


class Vaults:
    """All vaults that this node has open, by name."""

    def __init__(
        self,
        plan: VaultOptions,
        team: Team,
        leases: Leases,
        pool: Pool,
        registry: Registry,
        tasks: TaskGroup,
    ) -> None:
        self._plan = plan
        self._team = team
        self._leases = leases
        self._pool = pool
        self._registry = registry
        self._tasks = tasks
        self._open: dict[str, OpenVault] = {}
        self._ending = False
        self._closed_some = False
        self._opening = anyio.Semaphore(OPENING_MAX)

    def has(self, name: str) -> bool:
        """Tell whether a vault is open here, or about to be, or to close."""
        return name in self._open

    async def open(self, name: str) -> OpenVault | None:
        """Give a vault, opened if need be; None if another node has it, or it is about to close.

        Raises why it cannot be opened.
        """
        if self._ending:
            return None
        vault = self._open.get(name)
        if vault is None:
            await self._make_room()
            vault = self._open.get(name) or self._begin(name)
        elif vault.stop.is_set():
            await vault.closed.wait()
            return None
        await vault.settled.wait()
        if vault.failure is not None:
            raise vault.failure
        return None if vault.stop.is_set() else vault

    async def sockets_of(self, name: str) -> Path:
        """Make the folder where programs of this machine look for a vault's sockets."""
        settings = await anyio.to_thread.run_sync(self._plan.settings_of, name, None)
        return await anyio.to_thread.run_sync(prepared_sockets, settings)

    def urls_of(self, name: str) -> tuple[str, ...]:
        """Return where this node serves a vault's page."""
        return tuple(f"{url}{self._team.place(name)}" for url in self._plan.urls)

    async def close(self) -> None:
        """Close all, and give their leases back."""
        self._ending = True
        for vault in list(self._open.values()):
            vault.stop.set()
        for vault in list(self._open.values()):
            await vault.closed.wait()

    async def tidy_up(self) -> None:
        """Give the memory of closed vaults back, until cancelled: a server seldom looks itself."""
        while True:
            await anyio.sleep(_LOOK_SECONDS_MAX)
            if self._closed_some:
                self._closed_some = False
                gc.collect()
                memory.give_back()

    def _begin(self, name: str) -> OpenVault:
        vault = self._open[name] = OpenVault(name)
        self._tasks.start_soon(self._keep, vault)
        return vault

    async def _make_room(self) -> None:
        """Close the vault that nobody has used for longest, if too many are open."""
        if len(self._open) < OPEN_MAX:
            return
        unused = max(self._open.values(), key=lambda vault: vault.usage.seconds_idle)
        if unused.usage.seconds_idle == 0 and not unused.stop.is_set():
            raise Unavailable(f"This node has {OPEN_MAX} vaults open, and all are used. Try later.")
        unused.stop.set()
        await unused.closed.wait()

    async def _keep(self, vault: OpenVault) -> None:
        """Own a vault from first to last, if it can be had."""
        await self._opening.acquire()
        end_turn = once(self._opening.release)
        try:
            lease = await self._leases.claim(vault.name)
            if lease is not None:
                try:
                    await self._own(vault, lease, end_turn)
                finally:
                    with anyio.CancelScope(shield=True):
                        await self._leases.release(lease)
        except CommonplaceError as error:
            # Whoever asks need not be somebody who may know what is in the vault or its folder.
            _logger.warning("The vault %s is not open here. %s", vault.name, error)
            vault.failure = Unavailable("The vault cannot be opened; the server's log says why.")
        except Exception:
            _logger.exception("The vault %s failed.", vault.name)
            vault.failure = Unavailable("The vault failed; the server's log has the details.")
        finally:
            end_turn()
            del self._open[vault.name]
            vault.stop.set()
            vault.settled.set()
            vault.closed.set()
            self._closed_some = True

    async def _own(self, vault: OpenVault, lease: Lease, end_turn: Callable[[], None]) -> None:
        def ready() -> None:
            end_turn()
            vault.settled.set()

        lease.follow(partial(self._lose, vault))
        settings = await anyio.to_thread.run_sync(self._settings_of, vault.name)
        locks = await anyio.to_thread.run_sync(lock_for_node, settings)
        try:
            settings = await anyio.to_thread.run_sync(named_alike, settings, self._pool, vault.name)
            vault.settings = settings
            self._team.seal(settings.state, vault.name)
            with plain_errors(), listen_as_node(settings) as claim:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._watch_use, vault)
                    await host(
                        settings,
                        claim,
                        compose=lambda own: self._composed(own, vault.name, lease),
                        stop=vault.stop,
                        ready=ready,
                        usage=vault.usage,
                    )
                    tasks.cancel_scope.cancel()
        finally:
            unlock(locks)

    def _settings_of(self, name: str) -> Settings:
        return self._plan.settings_of(name, config_text(self._pool, name))

    @asynccontextmanager
    async def _composed(
        self, settings: Settings, name: str, lease: Lease
    ) -> AsyncGenerator[Served]:
        opened = partial(team_databases, self._pool, lease, settings)
        registry = self._registry
        async with compose(settings, databases=opened, registry=registry) as served:
            with served.pages.served(self.urls_of(name)):
                yield served

    async def _watch_use(self, vault: OpenVault) -> None:
        """Let a vault close when nobody has used it for a while."""
        await vault.settled.wait()
        limit = self._plan.idle_seconds
        while (left := limit - vault.usage.seconds_idle) > 0:  # noqa: ASYNC110 (a clock's)
            await anyio.sleep(min(left, _LOOK_SECONDS_MAX))
        vault.stop.set()

    def _lose(self, vault: OpenVault) -> None:
        vault.lose()
        self._tasks.start_soon(self._insist, vault)

    async def _insist(self, vault: OpenVault) -> None:
        """Begin anew if a vault whose lease is lost does not close."""
        with anyio.move_on_after(_CLOSING_SECONDS_MAX):
            await vault.closed.wait()
            return
        _logger.error("The vault %s does not close, process %d ends.", vault.name, os.getpid())
        self._plan.anew()
