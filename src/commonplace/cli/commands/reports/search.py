"""`commonplace search`: notes ranked by the words of a query and by its meaning."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from commonplace.cli.commands.reports import status
from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.core.search.query import RESULTS_MAX
from commonplace.errors import BadArgument, NotFound
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.vault.search.search import Hit


@click.command("search")
@vault_and_state
@click.option(
    "--limit", default=10, show_default=True, type=click.IntRange(1, RESULTS_MAX), help="How many."
)
@json_option
def command(flags: Flags, limit: int, *, as_json: bool) -> None:
    """Search a vault: commonplace search [VAULT] QUERY.

    The query is the last word; put several in quotes.
    """
    *vault, query = flags.vault or [""]
    if not query.strip() or (not vault and _names_folder(query)):
        raise BadArgument('Say what to search for: commonplace search [VAULT] "QUERY".')
    try:
        settings = settled(replace(flags, vault=tuple(vault)))
    except NotFound as error:
        raise NotFound(f"{error} (Put a query of several words in quotes.)") from None
    hits, meaning = finished(_search(settings, query, limit))
    if as_json:
        show_json({"query": query, "hits": [asdict(hit) for hit in hits]})
        return
    for hit in hits:
        undecided = "  [undecided: a suggestion that waits]" if hit.undecided else ""
        by = " + ".join(hit.matched)
        click.echo(f"{hit.score:.2f}  {safe(hit.path)}  ({by}){undecided}")
        click.echo(f"      {safe(hit.snippet)}")
    if not hits:
        click.echo("Nothing found.", err=True)
    if meaning["problem"] or meaning["embedded"] < meaning["total"]:
        click.echo(f"By meaning: {status.meaning(meaning)}", err=True)


def _names_folder(query: str) -> bool:
    """Tell whether what stands alone is a vault whose query is missing."""
    if query in (".", "..") or query.startswith(("/", "./", "../", "~")):
        return True
    return "/" in query and Path(query).is_dir()


async def _search(settings: Settings, query: str, limit: int) -> "tuple[list[Hit], dict[str, Any]]":
    from commonplace.cli import progress, vault_access

    async with vault_access.opened(settings) as (vault, owner):
        if owner is None:
            with progress.shown("Indexing") as shown:
                await vault.indexer.refresh(progress=shown)
        hits = await vault.search.search(query, limit)
        return hits, cast("dict[str, Any]", vault.health.status()["meaning"])
