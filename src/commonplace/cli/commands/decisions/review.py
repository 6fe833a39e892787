"""`commonplace review`: people decide what assistants suggested, one by one or by flags."""

import hashlib
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Literal

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags, vault_words
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.cli.set_headings import SetHeadings, set_headings
from commonplace.core.render.remarks import PERHAPS_REJECTED
from commonplace.core.text.invisible import visible
from commonplace.core.text.word_diff import word_diff
from commonplace.errors import BadArgument, Conflict
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.cli.vault_access import Desk
    from commonplace.vault.index.queries.suggestions import PendingSuggestion

Verdict = Literal["accept", "reject"]

NAME_DIGITS = 12

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
@click.option("--list", "only_list", is_flag=True, help="List what is pending; decide nothing.")
@click.option("--path", help="Only suggestions in this note or folder.")
@click.option(
    "--accept", "accepted", multiple=True, metavar="NAME", help="Accept this, as --list names it."
)
@click.option(
    "--reject", "rejected", multiple=True, metavar="NAME", help="Reject this, as --list names it."
)
@click.option("--accept-all", is_flag=True, help="Accept everything that is pending.")
@click.option("--reject-all", is_flag=True, help="Reject everything that is pending.")
@click.option("--reason", default="", help="A reason, which the assistant gets to see.")
@json_option
def command(
    flags: Flags, *, as_json: bool, reason: str, path: str | None, **chosen: object
) -> None:
    """Decide on what assistants suggested; without flags, one by one."""
    settings = settled(flags)
    wanted = _Wanted.of(**chosen)  # pyright: ignore[reportArgumentType]
    shown = _ListOptions(path, vault_words(flags), as_json=as_json)
    finished(_review(settings, wanted, shown, reason))


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
        if only_list and (verdicts or accept_all or reject_all):
            raise BadArgument("--list decides nothing; leave it out, or the other flags.")
        everything: Verdict | None = "accept" if accept_all else "reject" if reject_all else None
        return cls(verdicts, everything, only_list=only_list)


class _ListOptions:
    """What is shown, and how: where to look, and how other commands name the vault."""

    def __init__(self, path: str | None, vault: str, *, as_json: bool) -> None:
        self.path, self.vault, self.as_json = path, vault, as_json


async def _review(settings: Settings, wanted: _Wanted, shown: _ListOptions, reason: str) -> None:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings, follow=True) as (vault, owner):
        if owner is None:
            await vault.indexer.settled()
        waiting = [each for each in await vault.pending.listed() if _inside(each.path, shown.path)]
        sets = await set_headings(vault_access.set_desk(vault), shown.vault)
        found = sorted(waiting, key=lambda each: sets.order(each))
        if wanted.verdicts or wanted.everything:
            await _decide(vault, found, wanted, reason, as_json=shown.as_json)
        elif shown.as_json:
            rows = [
                {"name": _name(each), "set": sets.number(each), **asdict(each)} for each in found
            ]
            show_json({"suggestions": rows})
        elif wanted.only_list or not sys.stdin.isatty():
            _show_list(found, sets)
        else:
            await _ReviewSession(vault, reason, sets).go(found)


def _inside(path: str, wanted: str | None) -> bool:
    return not wanted or path == wanted or path.startswith(wanted.rstrip("/") + "/")


def _show_list(found: "list[PendingSuggestion]", sets: SetHeadings) -> None:
    for each in found:
        for line in sets.heading(each):
            click.echo(line)
        click.echo(f"{_name(each)}  {safe(each.path)}:{each.line}  {_by(each)}")
        click.echo(f"    {_shown(each)}")
    several = f"{len(found)} suggestions wait." if len(found) > 1 else "1 suggestion waits."
    click.echo(several if found else "Nothing waits.", err=True)


async def _decide(
    vault: "Desk", found: "list[PendingSuggestion]", wanted: _Wanted, reason: str, *, as_json: bool
) -> None:
    known = {_name(each) for each in found}
    if unknown := [id for id in wanted.verdicts if id not in known]:
        raise Conflict(
            f"No pending suggestion has this name: {', '.join(map(safe, unknown))}. Nothing was"
            " decided. Each line of --list begins with a name; in JSON it is `name`."
        )
    decided, late = 0, list[str]()
    for verdict in ("accept", "reject"):
        mine = [e for e in found if wanted.verdicts.get(_name(e), wanted.everything) == verdict]
        if mine:
            done = await vault.review.decide(verdict, _by_note(mine), _me(), reason)
            decided += len(done.decided)
            late += done.late
    if as_json:
        show_json({"decided": decided})
    else:
        click.echo(f"{decided} decided.", err=True)
    for path in late:
        click.echo(f"The file of {safe(path)} could not be written yet and will follow.", err=True)


def _name(each: "PendingSuggestion") -> str:
    """Name one suggestion in one note: the same words may be suggested in many."""
    return hashlib.sha256(f"{each.path}\0{each.id}".encode()).hexdigest()[:NAME_DIGITS]


def _by_note(chosen: "Iterable[PendingSuggestion]") -> dict[str, list[str]]:
    ordered = sorted(chosen, key=lambda each: each.path)
    return {
        path: [each.id for each in group]
        for path, group in groupby(ordered, lambda each: each.path)
    }


class _ReviewSession:
    """One by one, as `git add -p` does it."""

    def __init__(self, vault: "Desk", reason: str, sets: SetHeadings) -> None:
        self._vault = vault
        self._sets = sets
        self._reason = reason
        self._done: list[tuple[int, str]] = []
        self._rest: dict[str, Verdict] = {}
        self._keys = _Keys()

    async def go(self, found: "list[PendingSuggestion]") -> None:
        at = 0
        while at < len(found):
            each = found[at]
            if (verdict := self._rest.get(each.path)) is not None:
                await self._decide(verdict, each, at, self._reason)
                at += 1
            elif (then := await self._ask(each, at, len(found))) is None:
                return
            else:
                at = then
        click.echo("That was all." if found else "Nothing waits.", err=True)

    async def _ask(self, each: "PendingSuggestion", at: int, total: int) -> int | None:
        """Ask until this one is settled; gives which comes next, None to stop."""
        import anyio.to_thread

        self._show(each)
        while True:
            prompt = f"({at + 1}/{total}) Accept this suggestion [y,n,a,d,e,u,s,q,?]? "
            click.echo(prompt, nl=False)
            # In a thread: files are written, and others served, while a person thinks.
            key = await anyio.to_thread.run_sync(self._keys.next)
            click.echo(key if key.isprintable() else "")
            match key:
                case "y":
                    await self._decide("accept", each, at, "")
                case "n":
                    await self._decide("reject", each, at, self._reason or _why())
                case "a" | "d":
                    self._rest[each.path] = "accept" if key == "a" else "reject"
                    await self._decide(self._rest[each.path], each, at, self._reason)
                case "e":
                    await self._edit(each, at)
                case "u" if self._done:
                    return await self._take_back()
                case "u":
                    click.echo("  There is nothing to undo.", err=True)
                    continue
                case "s":
                    pass
                case "q" | "" | "\x03" | "\x04" | "\x1b":
                    return None
                case _:
                    click.echo(HELP)
                    continue
            return at + 1

    async def _decide(
        self, verdict: Verdict, each: "PendingSuggestion", at: int, reason: str
    ) -> None:
        try:
            done = await self._vault.review.decide(verdict, {each.path: [each.id]}, _me(), reason)
            self._done.append((at, done.undo))
        except Conflict as error:
            click.echo(f"  {error}", err=True)

    def _show(self, each: "PendingSuggestion") -> None:
        if heading := self._sets.heading(each):
            click.echo("\n" + "\n".join(heading))
        click.echo(f"\n{_styled(safe(each.path), bold=True)}:{each.line}  {_by(each)}")
        click.echo(f"  {_flat(each.before)}{_shown(each)}{_flat(each.after)}")

    async def _edit(self, each: "PendingSuggestion", at: int) -> None:
        edited = click.edit(each.new)
        if edited is None:
            return await self._decide("accept", each, at, "")
        text = edited if each.new.endswith("\n") else edited.removesuffix("\n")
        try:
            done = await self._vault.review.accept_as(each.path, each.id, text, _me())
            self._done.append((at, done.undo))
        except Conflict as error:
            click.echo(f"  {error}", err=True)

    async def _take_back(self) -> int:
        """Undo the last decision; gives the suggestion that waits again, to be asked about."""
        at, token = self._done.pop()
        self._rest.clear()
        await self._vault.review.undo(token)
        click.echo("  The last decision was taken back.", err=True)
        return at


class _Keys:
    """What is typed, key by key; Enter behind a key means nothing more."""

    def __init__(self) -> None:
        self._typed: list[str] = []

    def next(self) -> str:
        """Wait for a key; gives nothing when no more can come."""
        while True:
            while self._typed:
                if (key := self._typed.pop(0)) not in "\r\n":
                    return key
            try:
                typed = click.getchar().lower()
            except (EOFError, KeyboardInterrupt):
                return ""
            if not typed:
                return ""
            self._typed = [typed] if typed.startswith("\x1b") else list(typed)


def _why() -> str:
    return click.prompt(
        "  Why (for the assistant; Enter for no reason)", default="", show_default=False
    )


def _by(each: "PendingSuggestion") -> str:
    by = _styled(f"({safe(each.author)})" if each.author else "", dim=True)
    return f"{by}  {PERHAPS_REJECTED}" if each.perhaps_rejected else by


def _has_colours() -> bool:
    """Say whether colours reach a person; where not, all has to be told by signs."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _styled(text: str, **style: bool) -> str:
    return click.style(text, **style) if _has_colours() else text


def _shown(each: "PendingSuggestion") -> str:
    """Show what goes and what comes: in colours, else between the signs of CriticMarkup."""
    if not _has_colours():
        old = f"{{--{_flat(each.old)}--}}" if each.old else ""
        return old + (f"{{++{_flat(each.new)}++}}" if each.new else "")
    styles = {"same": {}, "gone": {"fg": "red", "strikethrough": True}, "new": {"fg": "green"}}
    return "".join(
        click.style(_flat(text), **styles[kind])  # pyright: ignore[reportArgumentType]
        for kind, text in word_diff(each.old, each.new)
    )


def _flat(text: str) -> str:
    """Show a text on one line, its spaces kept and nothing that a terminal would obey."""
    return visible(text.replace("\r\n", "\n").replace("\n", "↵ ").replace("\t", " "))


def _me() -> str:
    from commonplace.cli.vault_access import person

    return person()
