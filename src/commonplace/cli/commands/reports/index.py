"""`commonplace index`: bring the index up to date now, and show how it goes."""

import time
from typing import cast

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, show_json
from commonplace.vault.index.build.builder import ahead
from commonplace.vault.settings import Settings


@click.command("index")
@vault_and_state
@click.option("--rebuild", is_flag=True, help="Throw the index away and read every note again.")
@json_option
def command(flags: Flags, *, rebuild: bool, as_json: bool) -> None:
    """Build or refresh the index of a vault.

    Nothing needs this: a running server keeps the index current by itself. It is for doing it
    beforehand, and for making it again.
    """
    began = time.monotonic()
    with ahead():
        status = finished(_refresh(settled(flags), rebuild=rebuild))
    seconds = round(time.monotonic() - began, 2)
    if as_json:
        show_json({**status, "seconds": seconds})
        return
    counts = cast("dict[str, int]", status["index"])
    click.echo(f"{counts.get('notes', 0)} notes are indexed ({seconds} s).")


async def _refresh(settings: Settings, *, rebuild: bool) -> dict[str, object]:
    from commonplace.cli import progress, vault_access

    with progress.shown("Indexing") as shown:
        async with vault_access.opened(settings) as (vault, _):
            await vault.indexer.refresh(rebuild=rebuild, progress=shown)
            return vault.health.status()
