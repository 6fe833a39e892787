"""`commonplace trash`: what was deleted, and how to have it back."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.errors import BadArgument
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.vault.notes.trash import Trashed


@click.command("trash")
@vault_and_state
@click.option("--list", "only_list", is_flag=True, help="List what is in the trash (the default).")
@click.option(
    "--restore", "restored", multiple=True, metavar="PATH", help="Put this note back where it was."
)
@json_option
def command(flags: Flags, restored: tuple[str, ...], *, only_list: bool, as_json: bool) -> None:
    """List deleted notes, or restore them; PATH is as the list shows it."""
    if only_list and restored:
        raise BadArgument("--list restores nothing; leave it out, or --restore.")
    finished(_trash(settled(flags), restored, as_json=as_json))


async def _trash(settings: Settings, restored: tuple[str, ...], *, as_json: bool) -> None:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        if not restored:
            _show(await vault.trash.listed(), as_json=as_json)
            return
        paths = [await vault.trash.restore(trash) for trash in restored]
        if as_json:
            show_json({"restored": paths})
        for path in () if as_json else paths:
            click.echo(f"Restored {safe(path)}.", err=True)


def _show(found: "list[Trashed]", *, as_json: bool) -> None:
    if as_json:
        show_json({"trash": [asdict(one) for one in found]})
        return
    for one in found:
        by = f"  (deleted {_when(one.time)} by {safe(one.who or 'someone')})" if one.time else ""
        click.echo(f"{safe(one.trash)}{by}")
    click.echo("" if found else "The trash is empty.", err=True)


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
