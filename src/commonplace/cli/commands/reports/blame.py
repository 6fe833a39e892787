"""`commonplace blame`: who wrote each line of a note."""

from collections.abc import Mapping
from typing import Any, cast

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.vault.settings import Settings


@click.command("blame")
@vault_and_state
@click.option("--note", metavar="PATH", required=True, help="The note.")
@json_option
def command(flags: Flags, note: str, *, as_json: bool) -> None:
    """Show who wrote each line of a note, and when it was last changed."""
    finished(_blame(settled(flags), note, as_json=as_json))


async def _blame(settings: Settings, note: str, *, as_json: bool) -> None:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        found = await vault.timeline.blame(note)
    if as_json:
        show_json(found)
        return
    rows = cast("list[Mapping[str, Any]]", found["lines"])
    names = [_names(row) for row in rows]
    width = min(40, max(map(len, names), default=0))
    for row, name in zip(rows, names, strict=True):
        moment = str(row["time"] or "")[:16] or "before"
        click.echo(f"{row['line']:>5}  {safe(name):<{width}}  {moment:<16}  {safe(row['text'])}")


def _names(row: Mapping[str, Any]) -> str:
    accepted = f" (accepted by {', '.join(row['accepted'])})" if row["accepted"] else ""
    return f"{', '.join(row['by']) or '-'}{accepted}"
