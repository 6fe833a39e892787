"""`commonplace serve --vaults`: the vaults of a team by name, from a folder for all of them."""

import json
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonplace.cli.choices import metrics_choice
from commonplace.cli.commands.programs.server_process import (
    begin_anew,
    listening,
    shown,
    until_told,
)
from commonplace.cli.group import settled
from commonplace.cli.messages import log_to_stderr, notice
from commonplace.cli.options import Choices, Flags, log_choices, state_base
from commonplace.errors import Unavailable
from commonplace.vault.owner import keep_for_team
from commonplace.vault.settings import Access, Settings

if TYPE_CHECKING:
    from commonplace.server.cluster.team import Team
    from commonplace.server.cluster.vaults import SettingsOf


def serve_several(
    flags: Flags,
    team: "Team",
    access: Access,
    host: str,
    port: int,
    metrics: str | None,
    *,
    as_json: bool,
) -> None:
    """Serve every vault of a team that somebody asks for, until the process is told to end."""
    import anyio

    from commonplace.server.owner.error_groups import plain_errors

    def settings_of(name: str, config_text: bytes | None) -> Settings:
        assert team.folder is not None
        folder = team.folder / name
        try:
            folder.mkdir(exist_ok=True)
        except OSError:
            raise Unavailable(f"The folder of the vault {name!r} cannot be made here.") from None
        own = replace(flags, vault=(str(folder),))
        return replace(settled(own, config_text=config_text), access=access)

    def ready(url: str) -> None:
        if as_json:
            click.echo(json.dumps({"url": url}))
        notice(f"serving vaults at {url}/v/NAME/ (MCP at {url}/v/NAME/mcp). Press Ctrl+C to stop.")

    state = state_base(flags, os.environ)
    keep_for_team(state)
    listeners = listening(host, port)
    monitors = metrics_choice.listening(metrics)
    log_to_stderr(*log_choices(Choices(flags, os.environ)))
    node = (settings_of, team, access, listeners, state)
    serving = partial(_run_several, *node, ready, monitors)
    with plain_errors():
        anyio.run(serving, backend_options={"use_uvloop": True})


async def _run_several(
    settings_of: "SettingsOf",
    team: "Team",
    access: Access,
    listeners: Sequence[socket.socket],
    state: Path,
    ready: Callable[[str], None],
    monitors: socket.socket | None,
) -> None:
    from commonplace.server.cluster import multi_vault_node
    from commonplace.server.metrics.registry import Registry
    from commonplace.server.owner.http_apps import url

    registry = Registry()

    def tell() -> None:
        ready(shown(url(listeners[0]), access))

    serving = partial(
        *(multi_vault_node.serve_several, settings_of, team, access, listeners, state),
        ready=tell,
        anew=begin_anew,
        registry=registry,
    )
    await until_told(serving, registry, monitors)
