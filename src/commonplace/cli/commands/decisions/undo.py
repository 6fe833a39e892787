"""`commonplace undo`: take back what an assistant did, after a look at what that would change."""

import time
from collections.abc import Mapping
from typing import Any, cast

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags, vault_words
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.errors import BadArgument
from commonplace.vault.settings import Settings

_WHOLE = {
    "trash": "goes to the trash",
    "restore": "comes back from the trash",
    "rename": "gets its old name back",
    "": "",
}
_SIGNS = {"remove": "-", "restore": "+", "unclear": "?"}


@click.command("undo")
@vault_and_state
@click.option("--by", metavar="NAME", default="", help="Whose changes to take back.")
@click.option("--since", metavar="TIME", default="", help="Only since: 2h, 3d, yesterday.")
@click.option("--path", metavar="PATH", default="", help="Only in this note or folder.")
@click.option("--set", "set_name", metavar="ID", default="", help="Take back an earlier undo.")
@click.option("--yes", is_flag=True, help="Do it; without this, only a preview is shown.")
@json_option
def command(
    flags: Flags,
    by: str,
    since: str,
    path: str,
    set_name: str,
    *,
    yes: bool,
    as_json: bool,
) -> None:
    """Take back what an assistant did. A person's words stay."""
    if not (by or set_name):
        raise BadArgument("Say whose changes to take back: --by NAME, or --set ID of an undo.")
    chosen = {"by": by, "path": path, "set": set_name}
    done = finished(_undo(settled(flags), chosen, since, yes=yes))
    if as_json:
        show_json(done)
    elif yes:
        _show_done(done, vault_words(flags))
    else:
        _show_preview(done)


async def _undo(
    settings: Settings, chosen: dict[str, Any], since_text: str, *, yes: bool
) -> Mapping[str, object]:
    from commonplace.cli import vault_access
    from commonplace.vault.history.moments import since

    chosen = {**chosen, "since": since(since_text, time.time())}
    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        if yes:
            return await vault.undo.undo(vault_access.person(), **chosen)
        return await vault.undo.preview(**chosen)


def _show_preview(found: Mapping[str, object]) -> None:
    rows = cast("list[Mapping[str, Any]]", found["notes"])
    for row in rows:
        whole = f" ({_WHOLE[row['whole']]})" if row["whole"] else ""
        click.echo(f"{safe(row['path'])}{whole}")
        for passage in row["passages"]:
            click.echo(f"    {_SIGNS[passage['kind']]} {safe(passage['text'])}")
        if row["more"]:
            click.echo(f"    … and {row['more']} more")
    if found["withdrawn"]:
        click.echo(f"{found['withdrawn']} writes that wait for permission are refused.")
    if not rows and not found["withdrawn"]:
        click.echo("There is nothing to take back.", err=True)
        return
    click.echo(
        "Nothing is changed yet: - goes, + comes back, ? needs you. To do it: --yes", err=True
    )


def _show_done(done: Mapping[str, object], vault: str) -> None:
    for path in cast("list[str]", done["notes"]):
        click.echo(f"{safe(path)}: taken back")
    for each in cast("list[Mapping[str, str]]", done["needs_you"]):
        click.echo(f"{safe(each['path'])}: needs you: {safe(each['text'])}")
    again = f"commonplace undo {vault} --set {done['undo']} --yes"
    click.echo(f"To take this back: {again}", err=True)
