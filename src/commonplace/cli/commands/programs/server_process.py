"""What runs a server until the process is told to end: where it listens, when it stops."""

import os
import socket
import sys
from collections.abc import Awaitable, Callable
from errno import EADDRINUSE
from typing import TYPE_CHECKING, NoReturn

from commonplace.cli.host_names import addresses
from commonplace.cli.messages import end_within, notice
from commonplace.errors import Unavailable
from commonplace.vault.settings import Access

if TYPE_CHECKING:
    from commonplace.server.metrics.registry import Registry

Serving = Callable[..., Awaitable[None]]

_ENDING_SECONDS_MAX = 8.0


async def until_told(
    serving: Serving, registry: "Registry", monitors: socket.socket | None
) -> None:
    """Serve until the process is told to end, and then for a few seconds at most."""
    import anyio

    from commonplace.cli.commands.programs.stdio import stop_signals

    stop = anyio.Event()

    async def wait(told: int) -> None:
        await anyio.wait_readable(told)
        end_within(_ENDING_SECONDS_MAX)
        stop.set()

    with stop_signals() as told:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait, told)
            if monitors is not None:
                from commonplace.server.owner.metrics_port import answer_monitors

                tasks.start_soon(answer_monitors, monitors, registry)
            try:
                await serving(stop=stop)
            finally:
                tasks.cancel_scope.cancel()


def begin_anew() -> NoReturn:
    """Replace this process by one that begins: what the old one held is gone at once."""
    notice("another node may have the vault by now: beginning anew.")
    os.execv(sys.executable, sys.orig_argv)  # noqa: S606 (the very command that started us)


def listening(host: str, port: int) -> list[socket.socket]:
    """Listen on a host, on all the addresses that it has."""
    listeners: list[socket.socket] = []
    for family, address in addresses(host):
        taken = port or (listeners[0].getsockname()[1] if listeners else 0)
        try:
            listeners.append(socket.create_server((address, taken), family=family))
        except OSError as error:
            if error.errno == EADDRINUSE:
                raise Unavailable(
                    f"Port {taken} is taken by another program. Choose another with --port, "
                    "or stop that program."
                ) from None
            if family == socket.AF_INET or host == address:
                raise Unavailable(
                    f"Cannot listen on {host} port {taken} ({error.strerror}). Try another --port."
                ) from None
    return listeners


def shown(url: str, access: Access) -> str:
    """Show the address that others use, if this one names none."""
    for anywhere in ("0.0.0.0", "[::]"):  # noqa: S104 (compared, not bound)
        if access.hosts and url.startswith(f"http://{anywhere}:"):
            return url.replace(anywhere, access.hosts[0].partition(":")[0], 1)
    return url
