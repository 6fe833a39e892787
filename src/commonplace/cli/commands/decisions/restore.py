"""`commonplace restore`: a note as it was after one of its revisions."""

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.vault.settings import Settings


@click.command("restore")
@vault_and_state
@click.option(
    "--revision", required=True, type=int, metavar="NUMBER", help="As `history` shows it."
)
@json_option
def command(flags: Flags, revision: int, *, as_json: bool) -> None:
    """Make a note as it was after a revision. That is a new revision: nothing is lost."""
    finished(_restore(settled(flags), revision, as_json=as_json))


async def _restore(settings: Settings, revision: int, *, as_json: bool) -> None:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        done = await vault.timeline.restore(revision, vault_access.person())
    if as_json:
        show_json(done)
    else:
        what = "is as it was" if done["changed"] else "was like that already"
        click.echo(f"{safe(str(done['path']))} {what}.")
