"""`commonplace store`: the database behind the graph tools, or the mirror of the vault in one."""

import click

from commonplace.cli.group import settled, vault_state_and_store
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.errors import BadArgument
from commonplace.vault.settings import Settings

_SHOWN_MAX = 20


@click.group("store")
def command() -> None:
    """Look after the store that was chosen with --store, COMMONPLACE_STORE or in the settings."""


@command.command("check")
@vault_state_and_store
@click.option("--mend/--no-mend", default=True, show_default=True, help="Put right what differs.")
@json_option
def check(flags: Flags, *, mend: bool, as_json: bool) -> int:
    """Compare a mirror with the vault, note by note, and mend what differs.

    On an empty database this is the first load. A running server does the same by itself.
    """
    notes, wrong = finished(_check(settled(flags), mend=mend))
    if as_json:
        show_json({"notes": notes, "differed": wrong, "mended": mend and bool(wrong)})
    else:
        click.echo(_said(notes, wrong, mend=mend))
        for path in wrong[:_SHOWN_MAX]:
            click.echo(f"  {safe(path)}")
    return 1 if wrong and not mend else 0


async def _check(settings: Settings, *, mend: bool) -> tuple[int, list[str]]:
    from commonplace.cli import progress, vault_access
    from commonplace.vault.nodes import providers

    if not providers.is_neo4j(settings.store):
        raise BadArgument(
            "Only a mirror in Neo4j can be compared with the vault: name it with --store, like"
            " neo4j://localhost?use=mirror."
        )
    async with vault_access.opened(settings) as (vault, _):
        with progress.shown("Indexing") as indexing:
            await vault.indexer.refresh(progress=indexing)
        with progress.shown("Comparing") as looking, progress.shown("Mirroring") as mending:
            return await providers.check_mirror(
                settings, mend=mend, looking=looking, mending=mending
            )


def _said(notes: int, wrong: list[str], *, mend: bool) -> str:
    if not wrong:
        return f"{notes} notes: the mirror agrees with the vault."
    what = "differed and were mended" if mend else "differ"
    return f"{notes} notes: {len(wrong)} {what}."
