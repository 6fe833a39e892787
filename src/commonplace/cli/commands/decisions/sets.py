"""`commonplace sets`: what assistants did for one purpose, listed, shown, decided and undone."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags, vault_words
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.cli.set_headings import counted, waiting
from commonplace.core.text.invisible import visible
from commonplace.errors import NotFound
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.cli.vault_access import SetsDesk
    from commonplace.vault.suggestions.review import Verdict

Row = dict[str, Any]


@click.group("sets")
def command() -> None:
    """List, show, accept, reject and undo change sets: what an assistant did for one purpose."""


@command.command("list")
@vault_and_state
@click.option("--all", "everything", is_flag=True, help="Also those that are decided.")
@json_option
def listing(flags: Flags, *, everything: bool, as_json: bool) -> None:
    """List the sets that wait."""
    rows = [row for row in finished(_listed(settled(flags))) if everything or row["waiting"]]
    if as_json:
        show_json({"sets": rows})
        return
    for row in rows:
        click.echo(headline(row))
    left = sum(int(row["waiting"]) for row in rows)
    click.echo(f"{waiting(left)}." if left else "Nothing waits.", err=True)


@command.command("show")
@click.argument("number", type=int)
@vault_and_state
@json_option
def show(flags: Flags, number: int, *, as_json: bool) -> None:
    """Show all that a set changes, what is risky first."""
    found = finished(_shown(settled(flags), number))
    if as_json:
        show_json(found)
        return
    for line in described(found):
        click.echo(line)


@command.command("accept")
@click.argument("number", type=int)
@vault_and_state
@click.option("--path", "paths", multiple=True, help="Only what it changes in this note.")
@json_option
def accept(flags: Flags, number: int, paths: tuple[str, ...], *, as_json: bool) -> None:
    """Accept all that waits in a set, as one step."""
    done = finished(_decided(settled(flags), number, "accept", paths, ""))
    _tell(done, flags, as_json=as_json)


@command.command("reject")
@click.argument("number", type=int)
@vault_and_state
@click.option("--path", "paths", multiple=True, help="Only what it changes in this note.")
@click.option("--reason", default="", help="A reason, which the assistant gets to see.")
@json_option
def reject(
    flags: Flags, number: int, paths: tuple[str, ...], reason: str, *, as_json: bool
) -> None:
    """Reject all that waits in a set, as one step."""
    done = finished(_decided(settled(flags), number, "reject", paths, reason))
    _tell(done, flags, as_json=as_json)


@command.command("undo")
@click.argument("number", type=int)
@vault_and_state
@json_option
def undo(flags: Flags, number: int, *, as_json: bool) -> None:
    """Take back the last decision on a set; again for the one before."""
    done = finished(_undone(settled(flags), number))
    if as_json:
        show_json({"undone": done})
    else:
        click.echo(f"{done['count']} undone.", err=True)


async def _listed(settings: Settings) -> list[Row]:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        return await vault_access.set_desk(vault).listed()


async def _shown(settings: Settings, number: int) -> Row:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        return await vault_access.set_desk(vault).shown(number)


async def _decided(
    settings: Settings, number: int, verdict: "Verdict", paths: tuple[str, ...], reason: str
) -> Row:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        desk, who = vault_access.set_desk(vault), vault_access.person()
        return await _decide(desk, number, verdict, paths, reason, who)


async def _decide(
    desk: "SetsDesk", number: int, verdict: "Verdict", paths: tuple[str, ...], reason: str, who: str
) -> Row:
    from commonplace.vault.sets.decide import Chosen

    notes = [n for n in (await desk.shown(number))["notes"] if not paths or n["path"] in paths]
    if not notes:
        raise NotFound(f"Nothing in set {number} waits{' there' if paths else ''}.")
    changes = {n["path"]: [one["id"] for one in n["changes"]] for n in notes if n["changes"]}
    writes = [int(one["id"]) for n in notes for one in n["writes"]]
    return await desk.decide(number, verdict, Chosen(changes, writes), who, reason)


async def _undone(settings: Settings, number: int) -> Row:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        return await vault_access.set_desk(vault).undo(number, vault_access.person())


def _tell(done: Row, flags: Flags, *, as_json: bool) -> None:
    if as_json:
        show_json({"decided": done})
    else:
        word = "accepted" if done["verdict"] == "accept" else "rejected"
        undo = f"Undo: commonplace sets undo {done['set']} {vault_words(flags)}"
        click.echo(f"{done['count']} {word}. {undo}", err=True)


def headline(row: Row) -> str:
    """Say in a line what a set is."""
    title = safe(row["title"]) or ("by hand" if not row["number"] else "no title")
    who = f"  {safe(row['who'])}" if row["who"] else ""
    size = f"{counted(row['notes'], 'note')} +{row['added']} -{row['removed']} words"
    asks = f", asks {counted(row['parked'], 'question')}" if row["parked"] else ""
    made = datetime.fromtimestamp(row["last"] / 1000, UTC).astimezone()
    when = f"; {made:%Y-%m-%d %H:%M}" if row["last"] else ""  # of marks by hand nobody knows
    return f"{row['number']}  {title}{who}  ({row['state']}; {size}{asks}{when})"


def described(found: Row) -> list[str]:
    """Write a set for a terminal: why, what is risky, then every change, whole."""
    lines = [headline(found["set"]), *_indented(found["set"]["why"])]
    lines += [f"! {line}" for line in risk_lines(found)]
    for note in found["notes"]:
        lines += ["", safe(note["path"])]
        for one in note["writes"]:
            lines += [f"  {one['id']}: {safe(one['who'])} wants to {safe(one['summary'])}"]
            lines += _indented(one["text"] or one["diff"])
        for one in note["changes"]:
            old = f"{{--{visible(one['old'])}--}}" if one["old"] else ""
            new = f"{{++{visible(one['new'])}++}}" if one["new"] else ""
            lines += [f"  line {one['line']}:", *_indented(old + new)]
    return lines


def risk_lines(found: Row) -> list[str]:
    """Say what to look at first, a line for each note."""
    return [
        f"{safe(note['path'])}: {'; '.join(map(_risk, note['risks']))}"
        for note in found["notes"]
        if note["risks"]
    ]


def _risk(risk: Row) -> str:
    found = ", ".join(safe(each) for each in risk["found"])
    return f"{risk['kind']} ({found})" if found else str(risk["kind"])


def _indented(text: str) -> list[str]:
    return [f"    {visible(line)}" for line in text.splitlines()] if text else []
