"""`commonplace serve`: the vault over HTTP, for the page and for assistants."""

import json
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from commonplace.cli import welcome
from commonplace.cli.choices import metrics_choice, team_choice
from commonplace.cli.commands.decisions.trust import asked_on_terminal
from commonplace.cli.commands.programs.serve_several import serve_several
from commonplace.cli.commands.programs.server_process import (
    begin_anew,
    listening,
    shown,
    until_told,
)
from commonplace.cli.group import settled, vault_options, withheld
from commonplace.cli.host_names import exposure, on_this_machine
from commonplace.cli.messages import log_to_stderr, notice
from commonplace.cli.options import Flags
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.server.cluster.team import Team
    from commonplace.server.metrics.registry import Registry
    from commonplace.server.owner.host import Compose

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
    "--vaults",
    envvar="COMMONPLACE_VAULTS",
    metavar="FOLDER",
    help="With --database: serve vaults by name, at /v/NAME/, with this node's copies in here.",
)
@click.option(
    "--close-after",
    "close_after",
    default=team_choice.IDLE_MINUTES,
    show_default=True,
    envvar="COMMONPLACE_CLOSE_AFTER",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MINUTES",
    help="With --vaults: close a vault that nobody has used for so long.",
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
    "--metrics",
    envvar="COMMONPLACE_METRICS",
    metavar="HOST:PORT",
    help="Answer monitors at /metrics of this address too, without a token.",
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
    vaults: str | None,
    close_after: float,
    node: str | None,
    node_key: str | None,
    metrics: str | None,
    browse: bool | None,
    as_json: bool,
) -> None:
    """Serve a vault on this machine: the page for your browser, and MCP at /mcp.

    It works beside `commonplace mcp` processes on the same vault, in either order. Others can reach
    it if --host says so; then everybody needs an access token (`commonplace token create`).
    """
    team_choice.refuse_shown_password(database, team_choice.was_typed("database"))
    team = team_choice.chosen(database, vault_name, node, node_key, vaults, close_after)
    if team is not None:
        team_choice.make_folders(team, flags.vault)
    access = exposure(host, names, require_token=require_token)
    if team and team.folder:
        serve_several(flags, team, access, host, port, metrics, as_json=as_json)
        return
    config_text = team_choice.config_text(team) if team else None
    settings = replace(settled(flags, asked_on_terminal(), config_text), access=access)
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
    serve(settings, host, port, ready=ready, team=team, metrics=metrics)


def serve(
    settings: Settings,
    host: str,
    port: int,
    *,
    ready: Callable[[str], None],
    compose: "Compose | None" = None,
    team: "Team | None" = None,
    metrics: str | None = None,
) -> None:
    """Serve until the process is told to end."""
    listeners = listening(host, port)
    monitors = metrics_choice.listening(metrics)

    import anyio

    from commonplace.server.metrics.registry import Registry
    from commonplace.server.owner.error_groups import plain_errors

    registry = Registry()
    if compose is None:
        from commonplace.server.composition import compose as real

        compose = partial(real, registry=registry)
    log_to_stderr(settings.log_level, settings.log_format)
    fast = {"use_uvloop": True}
    with plain_errors():
        anyio.run(
            partial(_serve, settings, listeners, compose, ready, team, registry, monitors),
            backend_options=fast,
        )


async def _serve(
    settings: Settings,
    listeners: Sequence[socket.socket],
    compose: "Compose",
    ready: Callable[[str], None],
    team: "Team | None",
    registry: "Registry",
    monitors: socket.socket | None,
) -> None:
    from commonplace.server.owner.http_apps import url
    from commonplace.server.relay import http_proxy

    def tell() -> None:
        ready(shown(url(listeners[0]), settings.access))

    if team is None:
        serving = partial(http_proxy.serve, settings, listeners, compose=compose, ready=tell)
    else:
        from commonplace.server.cluster import node

        serving = partial(
            *(node.serve, settings, team, listeners),
            ready=tell,
            anew=begin_anew,
            registry=registry,
        )
    await until_told(serving, registry, monitors)
