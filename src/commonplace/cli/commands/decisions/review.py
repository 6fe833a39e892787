"""`commonplace review`: people decide what assistants suggested, one by one or by flags."""

import getpass
import sys
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Literal

import click

from commonplace.cli.choices import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.cli.root import settled, vault_and_state
from commonplace.core.wording import word_diff
from commonplace.errors import BadArgument, Conflict
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.cli.desk import Desk
    from commonplace.vault.index import Pending

Verdict = Literal["accept", "reject"]

HELP = """y - accept this suggestion
n - reject it (you may give a reason that the assistant sees)
a - accept this and all that remain in this note
d - reject this and all that remain in this note
e - edit the new text, then accept it
u - undo the last decision
s - skip it for now
q - quit; what is undecided stays
? - show this help"""


@click.command("review")
@vault_and_state
@click.option("--list", "only_list", is_flag=True, help="List what waits; decide nothing.")
@click.option("--path", help="Only suggestions in this note or folder.")
@click.option("--accept", "accepted", multiple=True, metavar="ID", help="Accept this suggestion.")
@click.option("--reject", "rejected", multiple=True, metavar="ID", help="Reject this suggestion.")
@click.option("--accept-all", is_flag=True, help="Accept everything that waits.")
@click.option("--reject-all", is_flag=True, help="Reject everything that waits.")
@click.option("--reason", default="", help="A reason, which the assistant gets to see.")
@json_option
def command(
    flags: Flags, *, as_json: bool, reason: str, path: str | None, **chosen: object
) -> None:
    """Decide on what assistants suggested; without flags, one by one."""
    settings = settled(flags)
    wanted = _Wanted.of(**chosen)  # pyright: ignore[reportArgumentType]
    finished(_review(settings, wanted, path, reason, as_json=as_json))


class _Wanted:
    """What the flags ask for."""

    def __init__(
        self, verdicts: dict[str, Verdict], everything: Verdict | None, *, only_list: bool
    ):
        self.verdicts = verdicts
        self.everything = everything
        self.only_list = only_list

    @classmethod
    def of(
        cls,
        *,
        only_list: bool,
        accepted: tuple[str, ...],
        rejected: tuple[str, ...],
        accept_all: bool,
        reject_all: bool,
    ) -> "_Wanted":
        if set(accepted) & set(rejected) or (accept_all and reject_all):
            raise BadArgument("A suggestion is either accepted or rejected, not both.")
        verdicts: dict[str, Verdict] = dict.fromkeys(accepted, "accept")
        verdicts |= dict.fromkeys(rejected, "reject")
        everything: Verdict | None = "accept" if accept_all else "reject" if reject_all else None
        return cls(verdicts, everything, only_list=only_list)


async def _review(
    settings: Settings, wanted: _Wanted, path: str | None, reason: str, *, as_json: bool
) -> None:
    from commonplace.cli import desk

    async with desk.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.settled()
        found = [each for each in await vault.pending() if _inside(each.path, path)]
        if wanted.verdicts or wanted.everything:
            await _decide(vault, found, wanted, reason, as_json=as_json)
        elif as_json:
            show_json({"suggestions": [asdict(each) for each in found]})
        elif wanted.only_list or not sys.stdin.isatty():
            _show_list(found)
        else:
            await _Session(vault, reason).go(found)


def _inside(path: str, wanted: str | None) -> bool:
    return not wanted or path == wanted or path.startswith(wanted.rstrip("/") + "/")


def _show_list(found: "list[Pending]") -> None:
    for each in found:
        click.echo(f"{each.id}  {safe(each.path)}:{each.line}  {_by(each)}")
        click.echo(f"    {_coloured(each)}")
    click.echo(f"{len(found)} suggestions wait." if found else "Nothing waits.", err=True)


async def _decide(
    vault: "Desk", found: "list[Pending]", wanted: _Wanted, reason: str, *, as_json: bool
) -> None:
    known = {each.id for each in found}
    if unknown := [id for id in wanted.verdicts if id not in known]:
        raise Conflict(
            f"Not waiting any more, or never: {', '.join(unknown)}. Nothing was decided."
        )
    decided = 0
    for verdict in ("accept", "reject"):
        mine = [e for e in found if wanted.verdicts.get(e.id, wanted.everything) == verdict]
        if mine:
            decided += len((await vault.decide(verdict, _by_note(mine), _me(), reason)).decided)
    if as_json:
        show_json({"decided": decided})
    else:
        click.echo(f"{decided} decided.", err=True)


def _by_note(chosen: "Iterable[Pending]") -> dict[str, list[str]]:
    ordered = sorted(chosen, key=lambda each: each.path)
    return {
        path: [each.id for each in group]
        for path, group in groupby(ordered, lambda each: each.path)
    }


class _Session:
    """One by one, as `git add -p` does it."""

    def __init__(self, vault: "Desk", reason: str) -> None:
        self._vault = vault
        self._reason = reason
        self._undo: str | None = None
        self._rest: dict[str, Verdict] = {}

    async def go(self, found: "list[Pending]") -> None:
        for number, each in enumerate(found, start=1):
            if (verdict := self._rest.get(each.path)) is not None:
                await self._decide(verdict, each, self._reason)
            elif not await self._ask(each, number, len(found)):
                return
        click.echo("That was all." if found else "Nothing waits.", err=True)

    async def _ask(self, each: "Pending", number: int, total: int) -> bool:
        """Ask until this one is settled; False to stop."""
        click.echo(f"\n{click.style(safe(each.path), bold=True)}:{each.line}  {_by(each)}")
        click.echo(f"  {_flat(each.before)}{_coloured(each)}{_flat(each.after)}")
        while True:
            click.echo(f"({number}/{total}) Accept this suggestion [y,n,a,d,e,u,s,q,?]? ", nl=False)
            key = click.getchar().lower()
            click.echo(key if key.isprintable() else "")
            match key:
                case "y":
                    return await self._decide("accept", each, "")
                case "n":
                    return await self._decide("reject", each, self._reason or _why())
                case "a" | "d":
                    self._rest[each.path] = "accept" if key == "a" else "reject"
                    return await self._decide(self._rest[each.path], each, self._reason)
                case "e":
                    return await self._edit(each)
                case "u":
                    await self._take_back()
                case "s":
                    return True
                case "q" | "\x03" | "\x04" | "\x1b":
                    return False
                case _:
                    click.echo(HELP)

    async def _decide(self, verdict: Verdict, each: "Pending", reason: str) -> Literal[True]:
        try:
            done = await self._vault.decide(verdict, {each.path: [each.id]}, _me(), reason)
            self._undo = done.undo
        except Conflict as error:
            click.echo(f"  {error}", err=True)
        return True

    async def _edit(self, each: "Pending") -> Literal[True]:
        edited = click.edit(each.new)
        if edited is None:
            return await self._decide("accept", each, "")
        text = edited if each.new.endswith("\n") else edited.removesuffix("\n")
        try:
            done = await self._vault.accept_as(each.path, each.id, text, _me())
            self._undo = done.undo
        except Conflict as error:
            click.echo(f"  {error}", err=True)
        return True

    async def _take_back(self) -> None:
        if self._undo is None:
            click.echo("  There is nothing to undo.", err=True)
            return
        await self._vault.undo(self._undo)
        self._undo = None
        click.echo("  The last decision was taken back; it waits again.", err=True)


def _why() -> str:
    return click.prompt(
        "  Why (for the assistant; Enter for no reason)", default="", show_default=False
    )


def _by(each: "Pending") -> str:
    return click.style(f"({safe(each.author)})" if each.author else "", dim=True)


def _coloured(each: "Pending") -> str:
    styles = {"same": {}, "gone": {"fg": "red", "strikethrough": True}, "new": {"fg": "green"}}
    return "".join(
        click.style(_flat(text), **styles[kind])  # pyright: ignore[reportArgumentType]
        for kind, text in word_diff(each.old, each.new)
    )


def _flat(text: str) -> str:
    """Show a text on one line, its spaces kept and nothing that a terminal would obey."""
    shown = text.replace("\n", "↵ ").replace("\t", " ")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in shown)


def _me() -> str:
    return getpass.getuser()
