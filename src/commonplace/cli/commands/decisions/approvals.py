"""`commonplace approvals`: people answer what assistants want to write."""

import getpass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from commonplace.cli.choices import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.cli.root import settled, vault_and_state
from commonplace.errors import BadArgument
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.cli.desk import Desk
    from commonplace.vault.approvals import Parked
    from commonplace.vault.wishes import Choice


@click.command("approvals")
@vault_and_state
@click.option("--list", "only_list", is_flag=True, help="List what waits (the default).")
@click.option(
    "--approve", "approved", multiple=True, type=int, metavar="N", help="Approve this; it is done."
)
@click.option("--deny", "denied", multiple=True, type=int, metavar="N", help="Deny this.")
@click.option(
    "--scope",
    default="once",
    show_default=True,
    type=click.Choice(["once", "session", "always"]),
    help="How far --approve reaches: this write, or all such writes by this assistant.",
)
@click.option("--forget", is_flag=True, help="Forget what was allowed for a session or always.")
@json_option
def command(
    flags: Flags,
    approved: tuple[int, ...],
    denied: tuple[int, ...],
    scope: "Choice",
    *,
    only_list: bool,
    forget: bool,
    as_json: bool,
) -> None:
    """Answer what assistants want to write; without flags, list it."""
    if set(approved) & set(denied):
        raise BadArgument("A write is either approved or denied, not both.")
    if only_list and (approved or denied or forget):
        raise BadArgument("--list decides nothing; leave it out, or the other flags.")
    answers = _Answers(approved, denied, scope, forget=forget)
    finished(_answer(settled(flags), answers, as_json=as_json))


class _Answers:
    """What the flags decide."""

    def __init__(
        self, approved: tuple[int, ...], denied: tuple[int, ...], scope: "Choice", *, forget: bool
    ) -> None:
        self.approved, self.denied = approved, denied
        self.scope: Choice = scope
        self.forget = forget

    async def give(self, vault: "Desk") -> list[dict[str, object]]:
        """Decide, in the order of the flags; a write that cannot be done ends it."""
        done: list[dict[str, object]] = []
        for id in self.approved:
            result = await vault.approve(id, _me(), self.scope)
            done.append({"id": id, "state": "approved", "result": dict(result)})
        for id in self.denied:
            await vault.deny(id, _me())
            done.append({"id": id, "state": "denied"})
        if self.forget:
            await vault.forget_remembered()
        return done


async def _answer(settings: Settings, answers: _Answers, *, as_json: bool) -> None:
    from commonplace.cli import desk

    async with desk.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.settled()
        if answers.approved or answers.denied or answers.forget:
            _show_done(await answers.give(vault), as_json=as_json)
        else:
            await _show_waiting(vault, as_json=as_json)


def _show_done(done: list[dict[str, object]], *, as_json: bool) -> None:
    if as_json:
        show_json({"decided": done})
        return
    for one in done:
        click.echo(f"{one['id']}: {one['state']}.", err=True)


async def _show_waiting(vault: "Desk", *, as_json: bool) -> None:
    waiting, always = await vault.parked(), await vault.remembered()
    if as_json:
        rows = [_row(one) for one in waiting]
        remembered = [{"operation": operation, "who": who} for operation, who in always]
        show_json({"approvals": rows, "remembered": remembered})
        return
    for one in waiting:
        click.echo(f"{one.id}  {safe(one.who)} wants to {safe(one.summary)}  ({_when(one.time)})")
        for line in one.diff.splitlines():
            click.echo(f"    {_printable(line)}")
    for operation, who in always:
        click.echo(f"Always allowed: {operation} by {safe(who)}.", err=True)
    click.echo(f"{len(waiting)} writes wait." if waiting else "Nothing waits.", err=True)


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line)


def _row(one: "Parked") -> dict[str, object]:
    names = ("id", "operation", "path", "who", "time", "summary", "diff")
    return {name: getattr(one, name) for name in names}


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def _me() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "someone"
