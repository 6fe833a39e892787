"""`commonplace checkout`: notes in a folder of their own, where any program may write."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from commonplace.cli.choices.server_choice import is_server, token
from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags, state_base
from commonplace.cli.output import finished, json_option, safe
from commonplace.cli.roots import expanded
from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.settings import Settings


@click.command("checkout")
@vault_and_state
@click.option("--as", "name", metavar="NAME", help="Who the suggestions are by.")
@click.option("--folder", "folders", multiple=True, metavar="PATH", help="Only this folder.")
@click.option("--once", is_flag=True, help="From a server: bring both together once, and end.")
@click.option(
    "--delete-many", is_flag=True, help="From a server: let very many deletions happen at once."
)
@click.option(
    "--token-file", metavar="FILE", help="From a server: the access token is in this file."
)
@json_option
def command(
    flags: Flags,
    name: str | None,
    folders: tuple[str, ...],
    once: bool,
    delete_many: bool,
    token_file: str | None,
    as_json: bool,
) -> None:
    """Keep notes in a folder where any program may write.

    `commonplace checkout VAULT DIR --as NAME`: DIR holds the notes of a vault on this machine as
    they read with every suggestion accepted. What you save there, by any program, becomes
    suggestions in the vault; what people write there flows in.

    `commonplace checkout https://SERVER[/v/NAME] DIR`: DIR holds the files of a vault that a
    server has, kept in step both ways, offline too. The access token is in COMMONPLACE_TOKEN, or
    in a file that only you can read.

    It runs until you press Ctrl+C, and can be started again.
    """
    if len(flags.vault) < 2:
        raise BadArgument(
            "Name the vault and the folder: commonplace checkout VAULT DIR --as NAME, or"
            " commonplace checkout https://SERVER DIR"
        )
    if is_server(flags.vault[0]):
        if len(flags.vault) > 2 or name or folders:
            raise BadArgument("A server's vault takes one folder, and neither --as nor --folder.")
        _from_server(flags, once=once, delete_many=delete_many, file=token_file, as_json=as_json)
        return
    if once or delete_many or token_file or as_json:
        raise BadArgument(
            "--once, --delete-many, --token-file and --json are for a vault on a server."
        )
    if not name:
        raise BadArgument("Say who the suggestions are by: --as NAME.")
    *vault, folder = flags.vault
    settings = settled(Flags(tuple(vault), flags.given))
    finished(_kept(settings, Path(folder).absolute(), name, folders))


def _from_server(
    flags: Flags, *, once: bool, delete_many: bool, file: str | None, as_json: bool
) -> None:
    from commonplace.cli.remote.copy_news import CopyNewsPrinter, follow_copy
    from commonplace.vault.remote_copy.server import Address, RemoteServer

    url, folder = flags.vault
    secret = token(file, os.environ)
    server = RemoteServer(Address.of(url), secret, "" if secret else os.environ.get("USER", ""))
    told = CopyNewsPrinter(as_json=as_json)
    base = state_base(flags, os.environ)
    place = expanded(folder).absolute()
    finished(follow_copy(server, place, base, told, once=once, delete_many=delete_many))


async def _kept(settings: Settings, folder: Path, name: str, folders: tuple[str, ...]) -> None:
    import anyio.to_thread

    from commonplace.cli.vault_access import desk_owner

    async with desk_owner(settings) as owner:
        body = {"folder": str(folder), "name": name, "folders": list(folders)}
        follow = partial(_follow, owner.lines("/api/checkout", body), folder)
        await anyio.to_thread.run_sync(follow, abandon_on_cancel=True)


def _follow(lines: Iterator[dict[str, Any]], folder: Path) -> None:
    for news in lines:
        if news.get("ready"):
            notice(f"the notes are in {folder}. Press Ctrl+C to stop.")
        for path, text in {
            **news.get("troubles", {}),
            news.get("path"): news.get("trouble"),
        }.items():
            if path:
                notice(f"{safe(path)} was not taken: {safe(str(text))}")
    raise Unavailable("The vault's owner ended. Start this again to go on: the folder is kept.")
