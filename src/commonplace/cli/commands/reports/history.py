"""`commonplace history`: what changed in a vault, by whom, and when."""

import time
from collections.abc import Mapping
from typing import Any, cast

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.vault.settings import Settings


@click.command("history")
@vault_and_state
@click.option("--note", metavar="PATH", default="", help="Only this note, through all its names.")
@click.option("--folder", metavar="PATH", default="", help="Only notes in this folder.")
@click.option("--by", metavar="NAME", default="", help="Only changes of this person or assistant.")
@click.option(
    "--cause", metavar="WORD", default="", help="Only of this cause, as the list says it."
)
@click.option(
    "--since", metavar="TIME", default="", help="Only since: 2h, 3d, yesterday, 2026-11-15."
)
@click.option("--set", "number", default=0, help="What became of a change set.", metavar="NUMBER")
@click.option("--limit", default=30, help="Show at most so many.", type=click.IntRange(1, 500))
@click.option("--before", default=0, help="Only older than this revision.", metavar="NUMBER")
@click.option("--show", "shown", default=0, help="Show what a revision changed.", metavar="NUMBER")
@click.option("--forget", "passage", metavar="TEXT", help="Make a passage unreadable for good.")
@json_option
def command(
    flags: Flags,
    passage: str | None,
    shown: int,
    number: int,
    *,
    as_json: bool,
    **wanted: Any,  # noqa: ANN401 (click's)
) -> None:
    """List what changed, newest first: who, when, why, and how much."""
    if number:
        _tell_set(finished(_of_set(settled(flags), number)), as_json=as_json)
        return
    finished(_history(settled(flags), wanted, shown, passage, as_json=as_json))


async def _history(
    settings: Settings, wanted: dict[str, Any], shown: int, passage: str | None, *, as_json: bool
) -> None:
    from commonplace.cli import vault_access
    from commonplace.vault.history.moments import since
    from commonplace.vault.history.timeline import TimelineQuery

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        if passage is not None:
            done = await vault.timeline.forget(passage, wanted["note"])
            _forgotten(done, as_json=as_json)
            return
        if shown:
            _diff(await vault.timeline.diff(shown), as_json=as_json)
            return
        moment = since(wanted.pop("since"), time.time())
        asked = TimelineQuery(path=wanted.pop("note"), since=moment, **wanted)
        found = await vault.timeline.page(asked)
    if as_json:
        show_json(found)
        return
    rows = cast("list[Mapping[str, Any]]", found["revisions"])
    for row in rows:
        _show(row)
    click.echo("" if rows else "Nothing has changed since the history began.", err=True)
    if found["cursor"]:
        click.echo(f"There are more: --before {found['cursor']}", err=True)


async def _of_set(settings: Settings, number: int) -> Mapping[str, Any]:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        return await vault_access.set_desk(vault).history(number)


def _tell_set(found: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(found)
        return
    row = found["set"]
    click.echo(f"Set {row['number']}  {safe(row['title'])}  ({row['state']})")
    for one in found["changes"]:
        by = f" by {safe(one['who'])}" if one["who"] else ""
        why = f' ("{safe(one["reason"])}")' if one["reason"] else ""
        click.echo(f"  {safe(one['path'])}, {one['kind']}: {one['state']}{by}{why}")
        if one["old"]:
            click.echo(f"          - {safe(one['old'])}")
        if one["new"]:
            click.echo(f"          + {safe(one['new'])}")


def _show(row: Mapping[str, Any]) -> None:
    was = f" (was {safe(row['was'])})" if row["was"] else ""
    amount = f"+{row['added']} -{row['removed']}"
    who = f"{safe(row['by'])} ({row['kind']})"
    click.echo(f"{row['revision']:>6}  {row['time'][:16]}  {who}  {row['cause']}  {amount}")
    click.echo(f"        {safe(row['path'])}{was}")
    for removed, added in row["changes"]:
        if removed:
            click.echo(f"          - {safe(removed)}")
        if added:
            click.echo(f"          + {safe(added)}")


def _diff(found: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(found)
        return
    click.echo(f"{safe(found['path'])}, {found['time']}, {safe(found['by'])}, {found['cause']}")
    for line in str(found["diff"]).split("\n"):
        click.echo(f"{line[:1]}{safe(line[1:])}" if line else "")


def _forgotten(done: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(done)
        return
    click.echo(
        f"Made unreadable in {done['forgotten']} revisions"
        f" and {done['decisions']} records of decisions."
    )
    for path in done["log_keeps"]:
        click.echo(
            f"The log still has it, as it cannot be made shorter now: {safe(path)}", err=True
        )
    click.echo(
        "Not reached: what git, a synchronised folder or a backup keeps of the files, writes that"
        " wait for an approval, and what a team's PostgreSQL keeps in its log and backups.",
        err=True,
    )
