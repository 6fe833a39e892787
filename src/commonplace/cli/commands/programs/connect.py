"""`commonplace connect`: an assistant's own settings say where the vault is, or what to paste.

Assistants start programs with a bare environment and from any folder, so every path is absolute.
A settings file is another program's: its change is shown first, made only after a yes, and leaves
every other byte as it was.
"""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import click

from commonplace.cli.client_file import ClientFile, diff, find
from commonplace.cli.client_origin import Origins, SettingsOrigin, between
from commonplace.cli.command_words import serving
from commonplace.cli.group import settled, vault_options
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags
from commonplace.cli.output import json_option, show_json
from commonplace.cli.roots import state_base
from commonplace.core import config
from commonplace.errors import BadArgument, NotFound, Unavailable
from commonplace.server.api import clients
from commonplace.server.api.clients import CLIENTS, ClientProgram, ServerEntry


@click.command("connect")
@vault_options
@click.option("--http", is_flag=True, help="Connect to a running `commonplace serve` instead.")
@click.option(
    "--port",
    default=8420,
    show_default=True,
    envvar="COMMONPLACE_PORT",
    type=click.IntRange(1, 65_535),
)
@click.option(
    "--name", default=clients.ENTRY_NAME, show_default=True, help="What the client calls it."
)
@click.option("--write", is_flag=True, help="Put it into the client's settings file.")
@click.option("--remove", is_flag=True, help="Take it out of the client's settings file.")
@click.option("--yes", is_flag=True, help="Change the file without asking.")
@json_option
def command(
    flags: Flags,
    port: int,
    name: str,
    *,
    http: bool,
    write: bool,
    remove: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Connect an assistant: commonplace connect [CLIENT] [VAULT].

    CLIENT is claude, desktop, cursor, vscode, codex, gemini, zed or goose. With it, what belongs
    into the client's settings is printed, or with --write put there, after you have seen the change
    and said yes. Without it, you are told which of them are on this machine.
    """
    client = CLIENTS.get(flags.vault[0]) if flags.vault else None
    if client is None:
        if write or remove:
            raise BadArgument(f"Name the client to change: {', '.join(CLIENTS)}.")
        _list(_known(flags, name), name, as_json=as_json)
        return
    file = _file(client)
    if remove:
        _change(file, name, None, yes=yes)
        return
    if http and not client.by_address:
        raise BadArgument(f"{client.label} starts its servers itself. Leave out --http.")
    chosen = replace(flags, vault=flags.vault[1:])
    settings = settled(chosen)
    url = f"http://127.0.0.1:{port}/mcp" if http else ""
    server = ServerEntry(name, serving(settings, chosen, "mcp"), url)
    if write:
        _change(file, name, server, yes=yes)
    elif as_json:
        show_json({"file": str(file.path), "name": name, "entry": client.entry(server)})
    else:
        how = "run this" if client.id == "claude" else f"put this into {file.shown}"
        click.echo(f"# {client.label}: {how}, or add --write to have it done:", err=True)
        click.echo(clients.shown(client, server))


def _known(flags: Flags, name: str) -> list[dict[str, object]]:
    if flags.vault:
        raise NotFound(f"No such client: {flags.vault[0]}. There are: {', '.join(CLIENTS)}.")
    return [_status(client, name) for client in CLIENTS.values()]


def _file(client: ClientProgram) -> ClientFile:
    return find(client, Path.home(), sys.platform, os.environ)


def _status(client: ClientProgram, name: str) -> dict[str, object]:
    """Tell whether a client is here, and whether it knows the vault."""
    file = _file(client)
    folder = file.path.parent
    found = file.path.exists() or (folder.exists() and folder != Path.home())
    found = found or any(map(shutil.which, client.commands))
    try:
        connected = name in config.entries(client.kind, file.read(), client.section)
    except (BadArgument, Unavailable):
        connected = False
    return {
        "client": client.id,
        "label": client.label,
        "found": found,
        "connected": connected,
        "file": str(file.path),
        "shown": file.shown,
    }


def _list(known: list[dict[str, object]], name: str, *, as_json: bool) -> None:
    if as_json:
        show_json([{key: value for key, value in one.items() if key != "shown"} for one in known])
        return
    for one in known:
        state = "not found here"
        if one["found"]:
            state = f"knows {name!r}" if one["connected"] else "here, not connected"
        click.echo(f"{one['client']:8} {one['label']:15} {state:20} {one['shown']}")
    open_ones = [one["client"] for one in known if one["found"] and not one["connected"]]
    example = open_ones[0] if open_ones else "claude"
    notice(f"to connect one: commonplace connect {example} --write [VAULT]")


def _change(file: ClientFile, name: str, server: ServerEntry | None, *, yes: bool) -> None:
    client, origins = file.client, Origins(state_base(None))
    before, origin = file.read(), origins.get(file.path)
    if server is None:
        after = _removed(client, before, name, origin)
    else:
        after = config.put(client.kind, before, client.section, name, client.entry(server))
    if after == before:
        state = f"has no entry {name!r}" if server is None else f"knows {name!r} already"
        notice(f"{client.label} {state}: nothing to change in {file.shown}.")
        return
    click.echo(diff(file.shown, before, after), nl=False)
    if not yes and not _agreed(file):
        raise BadArgument("Nothing was changed. Add --yes to change the file without being asked.")
    gone = origin is not None and origin.absent and origin.of(before) == after
    known = _origin(file, name, before, after, origin)
    if gone:
        file.delete(before)
    else:
        file.write(before, after)
    origins.keep(file.path, known)
    done = "forgotten" if server is None else "connected"
    notice(f"{done}: {file.shown}. Restart {client.label} for it to notice.")


def _removed(client: ClientProgram, before: str, name: str, origin: SettingsOrigin | None) -> str:
    """Return the settings without an entry: what they were before, if nothing else is in them."""
    left = config.entries(client.kind, before, client.section)
    if left.pop(name, None) is None:
        return before
    was = origin.of(before) if origin else None
    if was is not None and config.entries(client.kind, was, client.section) == left:
        return was
    keep = origin is not None and origin.empty
    return config.remove(client.kind, before, client.section, name, keep=keep)


def _origin(
    file: ClientFile, name: str, before: str, after: str, origin: SettingsOrigin | None
) -> SettingsOrigin | None:
    """Return what is to be remembered of a file once it is changed."""
    kind, section = file.client.kind, file.client.section
    held = config.entries(kind, before, section)
    was = origin.of(before) if origin else None
    if origin is not None and was is not None:
        known = between(was, after, absent=origin.absent, empty=origin.empty)
        return None if was == after else known
    empty = config.is_empty(kind, before, section) or bool(held and origin and origin.empty)
    if name in held:  # what stood there before this entry is not known
        return replace(origin, empty=empty) if origin else None
    return between(before, after, absent=not file.path.exists(), empty=empty)


def _agreed(file: ClientFile) -> bool:
    return sys.stdin.isatty() and click.confirm(f"Change {file.shown}?", err=True)
