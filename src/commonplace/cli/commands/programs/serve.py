"""`commonplace serve`: the vault over HTTP, for the page and for assistants."""

import json
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from errno import EADDRINUSE
from typing import TYPE_CHECKING

import click

from commonplace.cli.choices import Flags
from commonplace.cli.hosts import addresses, exposure, on_this_machine
from commonplace.cli.messages import end_within, log_to_stderr, notice
from commonplace.cli.root import settled, vault_options
from commonplace.errors import Unavailable
from commonplace.vault.settings import Access, Settings

if TYPE_CHECKING:
    from commonplace.server.host import Compose

ENDING_SECONDS_MAX = 8.0

_IN_CLEAR = (
    "what travels to other machines is not encrypted: put a proxy with TLS in front, or use this"
    " on a network that you trust."
)


@click.command("serve")
@vault_options
@click.option("--host", default="127.0.0.1", show_default=True, envvar="COMMONPLACE_HOST")
@click.option("--port", default=8420, show_default=True, envvar="COMMONPLACE_PORT", type=int)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    envvar="COMMONPLACE_ALLOW_HOST",
    metavar="NAME",
    help="A name or address that others reach this server by, beside --host.",
)
@click.option(
    "--require-token",
    is_flag=True,
    envvar="COMMONPLACE_REQUIRE_TOKEN",
    help="Let nobody in without an access token (always so when --host is not this machine).",
)
@click.option("--open", "browse", is_flag=True, help="Open the page in your browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the addresses as JSON when ready.")
def command(
    flags: Flags,
    host: str,
    port: int,
    names: tuple[str, ...],
    *,
    require_token: bool,
    browse: bool,
    as_json: bool,
) -> None:
    """Serve a vault over HTTP on this machine: MCP at /mcp.

    It works beside `commonplace mcp` processes on the same vault, in either order. Others can reach
    it if --host says so; then everybody needs an access token (`commonplace token create`).
    """
    access = exposure(host, names, require_token=require_token)
    settings = replace(settled(flags), access=access)

    def ready(url: str) -> None:
        if as_json:
            click.echo(json.dumps({"url": url, "mcp": f"{url}/mcp"}))
        notice(f"serving at {url} (MCP at {url}/mcp). Press Ctrl+C to stop.")
        if browse:
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()

    if access.token and not on_this_machine(host):
        notice(_IN_CLEAR)
    serve(settings, host, port, ready=ready)


def serve(
    settings: Settings,
    host: str,
    port: int,
    *,
    ready: Callable[[str], None],
    compose: "Compose | None" = None,
) -> None:
    """Serve until the process is told to end."""
    listeners = listening(host, port)

    import anyio

    from commonplace.server.unwrap import plain_errors

    if compose is None:
        from commonplace.server.composition import compose as real

        compose = real
    log_to_stderr()
    fast = {"use_uvloop": True}
    with plain_errors():
        anyio.run(_serve, settings, listeners, compose, ready, backend_options=fast)


async def _serve(
    settings: Settings,
    listeners: Sequence[socket.socket],
    compose: "Compose",
    ready: Callable[[str], None],
) -> None:
    import anyio

    from commonplace.cli.stdio import stop_signals
    from commonplace.server import tunnel
    from commonplace.server.web import url

    stop = anyio.Event()

    async def wait(told: int) -> None:
        await anyio.wait_readable(told)
        end_within(ENDING_SECONDS_MAX)
        stop.set()

    with stop_signals() as told:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait, told)
            try:
                await tunnel.serve(
                    settings,
                    listeners,
                    compose=compose,
                    stop=stop,
                    ready=lambda: ready(_shown(url(listeners[0]), settings.access)),
                )
            finally:
                tasks.cancel_scope.cancel()


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


def _shown(url: str, access: Access) -> str:
    """Show the address that others use, if this one names none."""
    for anywhere in ("0.0.0.0", "[::]"):  # noqa: S104 (compared, not bound)
        if access.hosts and url.startswith(f"http://{anywhere}:"):
            return url.replace(anywhere, access.hosts[0].partition(":")[0], 1)
    return url
