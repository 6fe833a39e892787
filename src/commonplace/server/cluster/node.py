"""`commonplace serve --database`: the vault's owner under a lease, or a node in front of the owner.

A node that loses its lease begins anew as a process (`anew`): nothing of what it held in memory
can reach a client, a file or the database afterwards. The listening sockets stay open otherwise:
whoever connects while there is no owner waits, and is not refused.
"""

import logging
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module

import anyio
import anyio.to_thread

from commonplace.errors import Unavailable
from commonplace.server.cluster.forwarding import ENDED
from commonplace.server.cluster.local_clients import ReachedOwner, let_in
from commonplace.server.cluster.node_listener import accept_nodes, attend
from commonplace.server.cluster.owner_connection import OwnerConnection
from commonplace.server.cluster.standby import stand_by
from commonplace.server.cluster.team import Team
from commonplace.server.composition import compose
from commonplace.server.metrics.registry import Registry
from commonplace.server.metrics.vault_metrics import follower_families
from commonplace.server.owner.error_groups import plain_errors
from commonplace.server.owner.handshake import Hello, hello, named_alone
from commonplace.server.owner.host import host
from commonplace.server.owner.http_apps import url
from commonplace.server.owner.loop_errors import ignore_late_readers
from commonplace.server.relay.http_proxy import cancel_when, once
from commonplace.vault.databases import named_alike, team_databases
from commonplace.vault.lease.lease import Lease
from commonplace.vault.lease.leases import Leases
from commonplace.vault.lease.tables import Holder
from commonplace.vault.owner import Claim, listen_as_node, lock_for_node, socket_folder
from commonplace.vault.postgres.connection import load_driver
from commonplace.vault.postgres.pool import Pool
from commonplace.vault.settings import Settings
from commonplace.vault.supervisor import Supervisor
from commonplace.vault.team_files.folder import refuse_strange_folder

_PAUSE = 0.2
_LOOK_SECONDS = 1.0
_SEEK_SECONDS = 0.05
"""How often a node looks whether the vault is free, once the owner does not answer."""
_REACH_AGAIN_SECONDS = 0.5

_OWNERS_MODULES = (
    "commonplace.vault.open",
    "commonplace.vault.log.postgres",
    "commonplace.vault.history.postgres",
    "commonplace.vault.nodes.providers",
    "commonplace.server.mcp.server",
    "commonplace.server.app",
    "commonplace.server.yjs.sockets",
    "commonplace.server.owner.uvicorn",
)

_logger = logging.getLogger(__name__)


async def serve(
    settings: Settings,
    team: Team,
    listeners: Sequence[socket.socket],
    *,
    stop: anyio.Event,
    ready: Callable[[], None],
    anew: Callable[[], None],
    registry: Registry | None = None,
) -> None:
    """Serve a team's vault until `stop` is set; `anew` replaces this process, and does not return.

    A database that cannot be reached is waited for.
    """
    ignore_late_readers()
    load_driver()  # who lacks it need not wait for a database
    # The locks are held until the process ends.
    await anyio.to_thread.run_sync(lock_for_node, settings)
    team.seal(settings.state)
    door = listening(team)
    address = f"{team.host}:{door.getsockname()[1]}"
    leases = Leases(team.database, f"{socket.gethostname()}:{os.getpid()}", address)
    pool, registry = Pool(team.database), registry or Registry()
    node = _NodeRun(
        settings, team, listeners, leases, pool, door, stop, once(ready), anew, registry
    )
    if not await patiently(leases.__aenter__, stop):
        return
    try:
        check = partial(refuse_strange_folder, team.database, team.vault, settings)
        if not await patiently(partial(anyio.to_thread.run_sync, check), stop):
            return
        while await patiently(node.take_turn, stop):
            pass
    finally:
        with anyio.CancelScope(shield=True):
            await leases.close()
            pool.close()


@dataclass(frozen=True, slots=True)
class _NodeRun:
    settings: Settings
    team: Team
    listeners: Sequence[socket.socket]
    leases: Leases
    pool: Pool
    door: socket.socket
    stop: anyio.Event
    ready: Callable[[], None]
    anew: Callable[[], None]
    registry: Registry

    async def take_turn(self) -> None:
        """Own the vault, or pass on to who does, until that is over."""
        holder = await self.leases.holder(self.team.vault)
        if holder is not None:
            with listen_as_node(self.settings) as local:
                await self._pass_on(holder, local)
                await self._wait_end(holder)
        elif (lease := await self.leases.claim(self.team.vault)) is not None:
            await self._own(lease)
        else:
            await anyio.sleep(_SEEK_SECONDS)  # another was faster

    async def _own(self, lease: Lease) -> None:
        lease.follow(self.anew)
        context = self.team.context(server=True)
        try:
            settings = await anyio.to_thread.run_sync(
                named_alike, self.settings, self.pool, lease.vault
            )
            opened = partial(team_databases, self.pool, lease, settings)
            with plain_errors(), listen_as_node(self.settings) as claim:
                async with anyio.create_task_group() as tasks:
                    sockets = socket_folder(self.settings)
                    tasks.start_soon(
                        accept_nodes, self.door.dup(), context, partial(attend, sockets)
                    )
                    await host(
                        settings,
                        claim,
                        compose=partial(compose, databases=opened, registry=self.registry),
                        stop=self.stop,
                        listeners=[listener.dup() for listener in self.listeners],
                        ready=self.ready,
                    )
                    tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self.leases.release(lease)

    async def _pass_on(self, holder: Holder, local: Claim) -> None:
        name, _, port = holder.address.rpartition(":")
        urls = tuple(map(url, self.listeners))
        greeting = named_alone(hello(self.settings, "http", urls=urls))
        owner = OwnerConnection(name, int(port), self.team.context(server=False), greeting)
        state = lambda: follower_families(self.team.vault, holder.fence, owner.carried)  # noqa: E731
        with plain_errors(), suppress(*ENDED), self.registry.telling(state):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(cancel_when, self.stop, tasks.cancel_scope)
                tasks.start_soon(self._watch, holder, tasks.cancel_scope)
                tasks.start_soon(load_ahead)
                tasks.start_soon(self._stand_by)
                tasks.start_soon(let_in, local.listener.dup(), partial(self._reach, owner, urls))
                with suppress(*ENDED):
                    await owner.pass_on(self.listeners, self.ready)
                tasks.cancel_scope.cancel()

    async def _reach(
        self, owner: OwnerConnection, urls: tuple[str, ...], greeting: Hello
    ) -> ReachedOwner:
        greeting = named_alone(greeting)
        stream = await owner.reach(greeting)
        return ReachedOwner(owner, greeting, stream, socket_folder(self.settings), urls)

    async def _watch(self, holder: Holder, scope: anyio.CancelScope) -> None:
        """Leave an owner that the database no longer names, though its connection stands."""
        pause = _LOOK_SECONDS
        while True:
            await anyio.sleep(pause)
            with suppress(Unavailable):
                found = await self.leases.holder(self.team.vault)
                if found is None or found != holder:
                    scope.cancel()
                    return
                # One that is not renewed any more runs out before the next look would be due.
                pause = max(_SEEK_SECONDS, min(_LOOK_SECONDS, found.seconds_left))

    async def _wait_end(self, holder: Holder) -> None:
        """Wait until the database no longer names an owner that has gone, or for a while.

        One that ends gives its lease back when all is saved; one whose connection broke is
        reached again.
        """
        with anyio.move_on_after(_REACH_AGAIN_SECONDS):
            while not self.stop.is_set():
                if await self.leases.holder(self.team.vault) != holder:
                    return
                await anyio.sleep(_SEEK_SECONDS)

    async def _stand_by(self) -> None:
        follow = partial(stand_by, self.settings, self.pool, self.team.vault)
        await Supervisor().keep(follow, "What follows the owner's files", vital=False)


async def patiently(work: Callable[[], Awaitable[object]], stop: anyio.Event) -> bool:
    """Try until it works; tell whether there is more to do, which there is until `stop` is set."""
    told = ""
    while not stop.is_set():
        try:
            await work()
        except Unavailable as error:
            if str(error) != told:
                told = str(error)
                _logger.warning("%s Trying again.", told)
            with anyio.move_on_after(_PAUSE):
                await stop.wait()
        else:
            return not stop.is_set()
    return False


def listening(team: Team) -> socket.socket:
    """Listen where other nodes reach this one."""
    family = socket.AF_INET6 if ":" in team.host else socket.AF_INET
    try:
        return socket.create_server((team.host, team.port), family=family)
    except OSError as error:
        raise Unavailable(
            f"Cannot listen for other nodes on {team.host} port {team.port} ({error.strerror})."
            " Name an address of this machine, and a port that is free, with --node."
        ) from None


async def load_ahead() -> None:
    """Load what an owner needs while another is: to take over must not take the time of that."""
    for module in _OWNERS_MODULES:
        await anyio.to_thread.run_sync(import_module, module)
