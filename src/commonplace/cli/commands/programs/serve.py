"""`commonplace serve`: the vault over HTTP, for the page and for assistants."""

import json
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from errno import EADDRINUSE
from typing import TYPE_CHECKING, NoReturn

import click

from commonplace.cli import welcome
from commonplace.cli.choices import team_choice
from commonplace.cli.commands.decisions.trust import asked_on_terminal
from commonplace.cli.group import settled, vault_options, withheld
from commonplace.cli.host_names import addresses, exposure, on_this_machine
from commonplace.cli.messages import end_within, log_to_stderr, notice
from commonplace.cli.options import Flags
from commonplace.errors import Unavailable
from commonplace.vault.settings import Access, Settings

if TYPE_CHECKING:
    from commonplace.server.cluster.team import Team
    from commonplace.server.owner.host import Compose

ENDING_SECONDS_MAX = 8.0

_IN_CLEAR = (
    "what travels to other machines is not encrypted: put a proxy with TLS in front, or use this"
    " on a network that you trust."
)


@click.command("serve")
@vault_options
@click.option("--host", default="127.0.0.1", show_default=True, envvar="COMMONPLACE_HOST")
@click.option(
    "--port",
    default=8420,
    show_default=True,
    envvar="COMMONPLACE_PORT",
    type=click.IntRange(0, 65_535),
)
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
@click.option(
    "--database",
    envvar="COMMONPLACE_DATABASE",
    metavar="URL",
    help="Share the vault with other machines: postgresql://USER:PASSWORD@HOST/NAME.",
)
@click.option(
    "--vault-name",
    "vault_name",
    envvar="COMMONPLACE_VAULT_NAME",
    metavar="NAME",
    help="With --database: what the vault is called there.",
)
@click.option(
    "--node",
    envvar="COMMONPLACE_NODE",
    metavar="HOST:PORT",
    help="With --database: where the other nodes reach this one.",
)
@click.option(
    "--node-key",
    "node_key",
    envvar="COMMONPLACE_NODE_KEY",
    metavar="FILE",
    help="With --database: a certificate and its key, the same on each node.",
)
@click.option(
    "--open/--no-open",
    "browse",
    default=None,
    help="Open the page in your browser (default: on a terminal with a screen).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the addresses as JSON when ready.")
def command(
    flags: Flags,
    host: str,
    port: int,
    names: tuple[str, ...],
    *,
    require_token: bool,
    database: str | None,
    vault_name: str | None,
    node: str | None,
    node_key: str | None,
    browse: bool | None,
    as_json: bool,
) -> None:
    """Serve a vault on this machine: the page for your browser, and MCP at /mcp.

    It works beside `commonplace mcp` processes on the same vault, in either order. Others can reach
    it if --host says so; then everybody needs an access token (`commonplace token create`).
    """
    team_choice.refuse_shown_password(database, team_choice.was_typed("database"))
    team = team_choice.chosen(database, vault_name, node, node_key)
    if team is not None:
        team_choice.make_folders(flags.vault)
    access = exposure(host, names, require_token=require_token)
    settings = replace(settled(flags, asked_on_terminal()), access=access)
    if unmet := withheld(settings, flags):
        notice(unmet)

    def ready(url: str) -> None:
        if as_json:
            click.echo(json.dumps({"url": url, "mcp": f"{url}/mcp"}))
        notice(f"serving at {url} (MCP at {url}/mcp). Press Ctrl+C to stop.")
        if not access.token:
            threading.Thread(target=welcome.tell, args=[url, settings], daemon=True).start()
        if welcome.has_screen(os.environ, sys.platform) if browse is None else browse:
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()

    if access.token and not on_this_machine(host):
        notice(_IN_CLEAR)
    serve(settings, host, port, ready=ready, team=team)


def serve(
    settings: Settings,
    host: str,
    port: int,
    *,
    ready: Callable[[str], None],
    compose: "Compose | None" = None,
    team: "Team | None" = None,
) -> None:
    """Serve until the process is told to end."""
    listeners = listening(host, port)

    import anyio

    from commonplace.server.owner.unwrap import plain_errors

    if compose is None:
        from commonplace.server.composition import compose as real

        compose = real
    log_to_stderr(settings.log_level, settings.log_format)
    fast = {"use_uvloop": True}
    with plain_errors():
        anyio.run(_serve, settings, listeners, compose, ready, team, backend_options=fast)


async def _serve(
    settings: Settings,
    listeners: Sequence[socket.socket],
    compose: "Compose",
    ready: Callable[[str], None],
    team: "Team | None",
) -> None:
    import anyio

    from commonplace.cli.commands.programs.stdio import stop_signals
    from commonplace.server.owner.http_apps import url
    from commonplace.server.relay import http_proxy

    stop = anyio.Event()

    def tell() -> None:
        ready(_shown(url(listeners[0]), settings.access))

    async def wait(told: int) -> None:
        await anyio.wait_readable(told)
        end_within(ENDING_SECONDS_MAX)
        stop.set()

    with stop_signals() as told:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait, told)
            try:
                if team is None:
                    await http_proxy.serve(
                        settings, listeners, compose=compose, stop=stop, ready=tell
                    )
                else:
                    from commonplace.server.cluster import node

                    await node.serve(
                        settings, team, listeners, stop=stop, ready=tell, anew=_begin_anew
                    )
            finally:
                tasks.cancel_scope.cancel()


def _begin_anew() -> NoReturn:
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


def _shown(url: str, access: Access) -> str:
    """Show the address that others use, if this one names none."""
    for anywhere in ("0.0.0.0", "[::]"):  # noqa: S104 (compared, not bound)
        if access.hosts and url.startswith(f"http://{anywhere}:"):
            return url.replace(anywhere, access.hosts[0].partition(":")[0], 1)
    return url
