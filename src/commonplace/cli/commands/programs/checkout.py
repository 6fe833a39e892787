"""`commonplace checkout`: notes in a folder of their own, where any program may write."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, safe
from commonplace.errors import BadArgument
from commonplace.vault.settings import Settings


@click.command("checkout")
@vault_and_state
@click.option("--as", "name", required=True, metavar="NAME", help="Who the suggestions are by.")
@click.option("--folder", "folders", multiple=True, metavar="PATH", help="Only this folder.")
def command(flags: Flags, name: str, folders: tuple[str, ...]) -> None:
    """Keep a working copy of a vault: `commonplace checkout VAULT DIR --as NAME`.

    DIR holds the notes as they read with every suggestion accepted. What you save there, by any
    program, becomes suggestions in the vault; what people write there flows in. It runs until you
    press Ctrl+C, and can be started again.
    """
    if len(flags.vault) < 2:
        raise BadArgument("Name the vault and the folder: commonplace checkout VAULT DIR --as NAME")
    *vault, folder = flags.vault
    settings = settled(Flags(tuple(vault), flags.state))
    finished(_kept(settings, Path(folder).absolute(), name, folders))


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
