"""`commonplace connect`: what to paste so that an assistant finds the vault.

Assistants start programs with a bare environment and from any folder, so every path is absolute.
"""

import json
import os
import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import click

from commonplace.cli import folders
from commonplace.cli.choices import Flags
from commonplace.cli.output import json_option, show_json
from commonplace.cli.root import settled, vault_options
from commonplace.errors import BadArgument
from commonplace.vault.settings import FAMILIES, Settings

CLIENTS = {
    "claude": "Claude Code: run this",
    "cursor": "Cursor: put this into ~/.cursor/mcp.json",
    "vscode": "VS Code: put this into .vscode/mcp.json",
    "desktop": "Claude Desktop: put this into claude_desktop_config.json (Settings, Developer)",
}


@dataclass(frozen=True, slots=True)
class Server:
    """How a client reaches us: a program to start, or an address."""

    name: str
    command: tuple[str, ...]
    url: str = ""


@click.command("connect")
@vault_options
@click.option("--http", is_flag=True, help="Connect to a running `commonplace serve` instead.")
@click.option("--port", default=8420, show_default=True, envvar="COMMONPLACE_PORT", type=int)
@click.option("--name", default="commonplace", show_default=True, help="What the client calls it.")
@json_option
def command(flags: Flags, port: int, name: str, *, http: bool, as_json: bool) -> None:
    """Print what to paste: commonplace connect [claude|cursor|vscode|desktop] [VAULT]."""
    named = flags.vault[:1] if flags.vault[:1] and flags.vault[0] in CLIENTS else ()
    clients = named or tuple(client for client in CLIENTS if not (http and client == "desktop"))
    if http and named == ("desktop",):
        raise BadArgument("Claude Desktop starts its servers itself. Leave out --http.")
    chosen = replace(flags, vault=flags.vault[len(named) :])
    url = f"http://127.0.0.1:{port}/mcp" if http else ""
    server = Server(name, _program(settled(chosen), chosen), url)
    if as_json:
        show_json({client: _snippet(client, server) for client in clients})
        return
    for client in clients:
        click.echo(f"# {CLIENTS[client]}:", err=True)
        snippet = _snippet(client, server)
        click.echo(snippet if isinstance(snippet, str) else json.dumps(snippet, indent=2))


def _program(settings: Settings, flags: Flags) -> tuple[str, ...]:
    """Write the command that serves this vault, with the flags that were given here."""
    vault = flags.vault or folders.from_environment(os.environ)
    words = [*_ourselves(), "mcp", *map(folders.absolute, vault)]
    words += ["--state", folders.absolute(flags.state)] if flags.state else []
    words += ["--tools", ",".join(settings.families)] if settings.families != FAMILIES else []
    words += ["--read-only"] if flags.read_only else []
    words += ["--policy", flags.policy] if flags.policy else []
    return tuple(words)


def _ourselves() -> list[str]:
    script = Path(sys.argv[0]).absolute()
    if script.name == "commonplace" and script.is_file():
        return [str(script)]
    found = shutil.which("commonplace")
    return [found] if found else [sys.executable, "-m", "commonplace"]


def _snippet(client: str, server: Server) -> object:
    if client == "claude":
        return _claude(server)
    started = {"command": server.command[0], "args": list(server.command[1:])}
    if client == "vscode":
        kind = {"type": "http", "url": server.url} if server.url else {"type": "stdio", **started}
        return {"servers": {server.name: kind}}
    return {"mcpServers": {server.name: {"url": server.url} if server.url else started}}


def _claude(server: Server) -> str:
    if server.url:
        words = ["claude", "mcp", "add", "--transport", "http", server.name, server.url]
    else:
        words = ["claude", "mcp", "add", server.name, "--", *server.command]
    return shlex.join(words)
