"""`commonplace approvals`: people answer what assistants want to write."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.core.text.invisible import visible
from commonplace.errors import BadArgument
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.cli.vault_access import Desk
    from commonplace.vault.permissions.approvals import Parked
    from commonplace.vault.permissions.requests import PermissionChoice


@click.command("approvals")
@vault_and_state
@click.option("--list", "only_list", is_flag=True, help="List the pending writes (the default).")
@click.option(
    "--approve", "approved", multiple=True, type=int, metavar="N", help="Approve this; it is done."
)
@click.option("--deny", "denied", multiple=True, type=int, metavar="N", help="Deny this.")
@click.option("--reason", default="", help="Why it is denied, which the assistant gets to see.")
@click.option(
    "--scope",
    default="once",
    show_default=True,
    type=click.Choice(["once", "session", "always"]),
    help="How far --approve reaches: this write, all such writes in this session, or always by"
    " this access token (without one: by every program on this machine). A deletion: once.",
)
@click.option(
    "--revoke",
    "revoked",
    multiple=True,
    metavar="KEY",
    help="Ask again about this, always allowed.",
)
@click.option("--forget", is_flag=True, help="Forget what was allowed for a session or always.")
@json_option
def command(
    flags: Flags,
    approved: tuple[int, ...],
    denied: tuple[int, ...],
    revoked: tuple[str, ...],
    scope: "PermissionChoice",
    reason: str,
    *,
    only_list: bool,
    forget: bool,
    as_json: bool,
) -> None:
    """Answer what assistants want to write; without flags, list it.

    Several are answered as one: if one of them cannot be done, none is decided.
    """
    if set(approved) & set(denied):
        raise BadArgument("A write is either approved or denied, not both.")
    if only_list and (approved or denied or revoked or forget):
        raise BadArgument("--list decides nothing; leave it out, or the other flags.")
    if reason and not denied:
        raise BadArgument("--reason says why something is denied; use it with --deny.")
    answers = _Answers(approved, denied, revoked, scope, reason, forget=forget)
    finished(_answer(settled(flags), answers, as_json=as_json))


class _Answers:
    """What the flags decide."""

    def __init__(
        self,
        approved: tuple[int, ...],
        denied: tuple[int, ...],
        revoked: tuple[str, ...],
        scope: "PermissionChoice",
        reason: str,
        *,
        forget: bool,
    ) -> None:
        self.approved, self.denied, self.revoked = approved, denied, revoked
        self.reason = " ".join(reason.split())
        self.scope: PermissionChoice = scope
        self.forget = forget

    async def give(self, vault: "Desk") -> list[dict[str, object]]:
        """Decide: all of the writes that are named, or none."""
        from commonplace.cli.vault_access import person, set_desk

        done: list[dict[str, object]] = []
        if self.approved or self.denied:
            answers = set_desk(vault).answers
            results = await answers.give(
                person(), self.approved, self.denied, scope=self.scope, reason=self.reason
            )
            approved = dict.fromkeys(self.approved)
            done.extend(_row_of(id, "approved", result=dict(results[id])) for id in approved)
            done.extend(_row_of(id, "denied") for id in dict.fromkeys(self.denied))
        for key in self.revoked:
            await vault.permissions.revoke(key)
            done.append({"id": key, "state": "revoked"})
        if self.forget:
            await vault.permissions.forget_remembered()
        return done

    @property
    def any(self) -> bool:
        """Whether there is something to decide."""
        return bool(self.approved or self.denied or self.revoked or self.forget)


def _row_of(id: int, state: str, **more: object) -> dict[str, object]:
    return {"id": id, "state": state, **more}


async def _answer(settings: Settings, answers: _Answers, *, as_json: bool) -> None:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        if answers.any:
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
    waiting, always = await vault.permissions.waiting(), await vault.permissions.remembered()
    if as_json:
        rows = [_row(one) for one in waiting]
        remembered = [asdict(grant) for grant in always]
        show_json({"approvals": rows, "remembered": remembered})
        return
    for one in waiting:
        click.echo(f"{one.id}  {safe(one.who)} wants to {safe(one.summary)}  ({_when(one.time)})")
        for line in one.diff.split("\n") if one.diff else ():
            click.echo(f"    {visible(line)}")
    for grant in always:
        click.echo(
            f"Always allowed: {safe(grant.meaning)}. Revoke it: --revoke {grant.key!r}", err=True
        )
    several = f"{len(waiting)} writes wait." if len(waiting) > 1 else "1 write waits."
    click.echo(several if waiting else "Nothing waits.", err=True)


def _row(one: "Parked") -> dict[str, object]:
    names = ("id", "operation", "path", "who", "time", "summary", "diff")
    return {name: getattr(one, name) for name in names}


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
