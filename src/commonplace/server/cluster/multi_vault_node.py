"""`commonplace serve --database --vaults`: several vaults by name, on several nodes."""

import os
import resource
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from commonplace.errors import Unavailable
from commonplace.server.cluster.connection_router import ConnectionRouter
from commonplace.server.cluster.local_clients import let_in
from commonplace.server.cluster.node import listening, load_ahead, patiently
from commonplace.server.cluster.node_listener import accept_nodes
from commonplace.server.cluster.places import Places
from commonplace.server.cluster.team import Team
from commonplace.server.cluster.vaults import SettingsOf, VaultOptions, Vaults
from commonplace.server.metrics.registry import Registry
from commonplace.server.owner.handshake import Hello
from commonplace.server.owner.http_apps import url
from commonplace.server.owner.loop_errors import ignore_late_readers
from commonplace.vault import memory
from commonplace.vault.files import watch
from commonplace.vault.lease.leases import Leases
from commonplace.vault.owner import listen_for_vaults, lock_vaults_folder
from commonplace.vault.postgres.connection import load_driver
from commonplace.vault.postgres.pool import Pool
from commonplace.vault.settings import Access
from commonplace.vault.team_files.folder import is_taken_in


async def serve_several(
    settings_of: SettingsOf,
    team: Team,
    access: Access,
    listeners: Sequence[socket.socket],
    state: Path,
    *,
    stop: anyio.Event,
    ready: Callable[[], None],
    anew: Callable[[], None],
    registry: Registry,
) -> None:
    """Serve the vaults of a folder until `stop` is set; `anew` replaces this process.

    `settings_of` makes the settings of a vault, in a thread; `state` has the state of all.
    """
    _prepare_process()
    folder = team.folder
    assert folder is not None
    # Held until the process ends.
    await anyio.to_thread.run_sync(lock_vaults_folder, folder)
    programs = listen_for_vaults(state)
    door = listening(team)
    address = f"{team.host}:{door.getsockname()[1]}"
    node = f"{socket.gethostname()}:{os.getpid()}"
    leases = Leases(team.database, node, address, announces=True)
    if not await patiently(leases.__aenter__, stop):
        return
    pool = Pool(team.database)
    plan = VaultOptions(settings_of, tuple(map(url, listeners)), team.idle_seconds, anew)
    places = Places(leases, address)
    candidates = partial(_candidates, pool, places, folder, set[str]())
    try:
        async with anyio.create_task_group() as tasks:
            vaults = Vaults(plan, team, leases, pool, registry, tasks)
            greeting = Hello(
                "http", "", os.getpid(), (), (), hosts=access.hosts, token=access.token
            )
            router = ConnectionRouter(team, vaults, places, greeting, candidates)
            tasks.start_soon(places.watch)
            tasks.start_soon(vaults.tidy_up)
            tasks.start_soon(load_ahead)
            tasks.start_soon(accept_nodes, door, team.context(server=True), router.receive)
            tasks.start_soon(let_in, programs, router.reach)
            for listener in listeners:
                tasks.start_soon(router.accept, listener.dup())
            ready()
            with watch.sharing(folder):
                await stop.wait()
            with anyio.CancelScope(shield=True):
                places.retire()
                await _retire(leases)
                await vaults.close()
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await leases.close()
            pool.close()


async def _candidates(
    pool: Pool, places: Places, folder: Path, taken_in: set[str], name: str
) -> list[str]:
    """List who is to open a vault that nobody has; none if there is no such vault."""
    if name in taken_in or await anyio.to_thread.run_sync(is_taken_in, pool, name):
        taken_in.add(name)  # it stays so, and hundreds may wait after a node's death
        return await places.candidates(name)
    # What is in a folder that was put here is nowhere else, until this node has taken it in.
    there = await anyio.to_thread.run_sync((folder / name).is_dir)
    return [places.address] if there else []


def _prepare_process() -> None:
    """Let it open as many files as it may, among others: each open vault has some twenty."""
    ignore_late_readers()
    load_driver()
    memory.share_one_heap()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _retire(leases: Leases) -> None:
    try:
        await leases.retire()
    except Unavailable:
        return  # it runs out by itself
