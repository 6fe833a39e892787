"""`commonplace chat`: ask an agent, here in the terminal, and review what it suggests."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import click

from commonplace.agent.events import Choice
from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.line_reader import LineReader
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags, personal_file
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.core.text.invisible import visible
from commonplace.errors import BadArgument, CommonplaceError, Unavailable
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.cli.remote.owner import Owner

FIRST_USE = (
    "{agent} is a program of its own and runs as you: what it reads and runs by itself is its own"
    " affair, and what you ask goes to its maker. Its changes to notes come as suggestions. Whether"
    " it asks before it runs a command is its maker's choice."
)
_ALLOW = "  allow it (once, conversation, no) [no]: "
_STOPPED = ("cancelled", "stopped")
_STOPPED_CODE = 3
_END_SECONDS_MAX = 5.0


@dataclass(slots=True)
class Turn:
    """What came of one prompt."""

    reason: str = ""
    set: int | None = None
    said: str = ""
    shown: dict[int, int] = field(default_factory=dict[int, int])
    refused: list[str] = field(default_factory=list[str])
    troubles: list[str] = field(default_factory=list[str])


@click.command("chat")
@vault_and_state
@click.option("--agent", metavar="NAME", help="Which agent (default: the first in your settings).")
@click.option("--prompt", "-p", metavar="TEXT", help="Ask this, and end.")
@click.option("--note", "notes", multiple=True, metavar="PATH", help="A note that is meant.")
@click.option("--folder", "folders", multiple=True, metavar="PATH", help="It works in this folder.")
@click.option("--verdicts", is_flag=True, help="With --resume: tell it what was decided, and end.")
@click.option("--resume", metavar="ID", help="Go on with an earlier conversation.")
@json_option
def command(
    flags: Flags,
    agent: str | None,
    prompt: str | None,
    notes: tuple[str, ...],
    folders: tuple[str, ...],
    resume: str | None,
    *,
    verdicts: bool,
    as_json: bool,
) -> int:
    """Ask an agent to work on a vault; what it writes comes as one change set a prompt.

    VAULT may be followed by the prompt: `commonplace chat ~/Notes "Sort the reading list"`.
    Without a person at the terminal, or with --json, every question of the agent is answered no.
    The exit code is 0 when it did what it was asked, 1 when it failed, 3 when it was stopped.
    """
    vault = flags.vault
    if prompt is None and len(vault) > 1 and "=" not in vault[-1] and not os.path.isdir(vault[-1]):  # noqa: PTH112
        *rest, prompt = vault
        vault = tuple(rest)
    settings = settled(Flags(vault, flags.given))
    if verdicts and (resume is None or prompt is not None):
        raise BadArgument("--verdicts goes with --resume ID, and without a prompt.")
    if prompt is None and not verdicts and (as_json or not sys.stdin.isatty()):
        prompt = sys.stdin.read()
    chat = _Chat(agent, notes, folders, resume, as_json=as_json, verdicts=verdicts)
    try:
        return finished(_run(settings, chat, prompt))
    except KeyboardInterrupt:
        notice("stopped.")
        return _STOPPED_CODE


async def _run(settings: Settings, chat: "_Chat", prompt: str | None) -> int:
    import anyio
    import anyio.to_thread

    from commonplace.cli.vault_access import desk_owner

    async with desk_owner(settings) as owner:
        try:
            talk = partial(chat.run, owner, prompt)
            return await anyio.to_thread.run_sync(talk, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(chat.stop, owner)
            raise


class _Chat:
    """A conversation at the terminal, in a thread of its own."""

    def __init__(
        self,
        agent: str | None,
        notes: tuple[str, ...],
        folders: tuple[str, ...],
        resume: str | None,
        *,
        as_json: bool,
        verdicts: bool,
    ) -> None:
        self._agent, self._notes, self._folders = agent, notes, folders
        self._verdicts = verdicts
        self._id, self._as_json = resume or "", as_json
        self._asks = sys.stdin.isatty() and sys.stderr.isatty() and not as_json
        self._lines = LineReader()
        self._ended = threading.Event()

    def run(self, owner: "Owner", prompt: str | None) -> int:
        """Ask once, or as often as a person writes something; return the exit code."""
        try:
            return self._talk(owner, prompt)
        finally:
            self._ended.set()

    def _talk(self, owner: "Owner", prompt: str | None) -> int:
        if not self._id:
            self._begin(owner)
        if self._verdicts:
            prompt = self._decided(owner)
        if prompt is not None:
            return self._tell(owner, self._turn(owner, prompt))
        code = 0
        while (written := self._lines.ask("> ")) is not None:
            if written.strip():
                code = self._tell(owner, self._turn(owner, written))
        return code

    def stop(self, owner: "Owner") -> None:
        """Have the agent stop, since the person left, and let what came of it be told."""
        self._lines.close()
        if self._id:
            with suppress(CommonplaceError):
                owner.post(f"{self._at}/stop", {})
        self._ended.wait(_END_SECONDS_MAX)

    @property
    def _at(self) -> str:
        return f"/api/agents/conversations/{self._id}"

    def _begin(self, owner: "Owner") -> None:
        named = [one["name"] for one in owner.get("/api/agents")["agents"]]
        agent = self._agent or next(iter(named), None)
        if agent is None:
            raise BadArgument(
                f"Your settings ({personal_file(os.environ)}) name no agent."
                " `commonplace agents` says how to add one."
            )
        before = owner.get("/api/agents/conversations")["conversations"]
        if agent in named and not any(one["agent"] == agent for one in before):
            notice(FIRST_USE.format(agent=safe(agent)))
        wish = {"agent": agent, "folders": list(self._folders)}
        self._id = owner.post("/api/agents/begin", wish)["id"]

    def _decided(self, owner: "Owner") -> str:
        """Return what became of its latest change set, as words for it."""
        sets = owner.get(self._at)["sets"]
        if not sets:
            raise BadArgument("This conversation has made no change set yet.")
        return owner.get(f"{self._at}/verdicts?set={sets[-1]}")["text"]

    def _turn(self, owner: "Owner", prompt: str) -> Turn:
        """Ask, show what is said, and answer what is asked."""
        turn, before = Turn(), None
        for news in owner.events(f"{self._at}/events"):
            if before is None:
                entries = news["conversation"]["entries"]
                before = max((one["n"] for one in entries), default=-1)
                owner.post(f"{self._at}/prompt", {"text": prompt, "notes": list(self._notes)})
                continue
            if "more" in news:
                self._show(news["n"], turn.shown.get(news["n"], 0), news["more"], turn)
            # A reader that was too slow is given the whole again.
            for entry in (
                news["conversation"]["entries"] if "conversation" in news else [news.get("entry")]
            ):
                if entry and entry["n"] > before:
                    self._take(owner, entry, turn)
            if turn.reason:
                return turn
        raise Unavailable("The vault's owner ended. Go on with: --resume " + self._id)

    def _take(self, owner: "Owner", entry: dict[str, Any], turn: Turn) -> None:
        match entry["kind"]:
            case "said":
                shown = turn.shown.get(entry["n"], 0)
                self._show(entry["n"], shown, entry["text"][shown:], turn)
            case "step" if entry["status"] in ("completed", "failed", "stopped"):
                self._notice(f"{entry['status']}: {entry['title']}")
            case "question" if entry["answer"] is None:
                choice = self._asked(entry, turn)
                owner.post(f"{self._at}/answer", {"question": entry["id"], "choice": choice})
            case "refused":
                turn.refused.append(entry["title"])
                self._notice(f"refused, since it could not be shown whole: {entry['title']}")
            case "failed" | "trouble":
                turn.troubles.append(entry["text"])
                self._notice(entry["text"])
            case "done":
                turn.reason, turn.set = entry["reason"], entry["set"]
            case _:
                return

    def _show(self, number: int, shown: int, text: str, turn: Turn) -> None:
        turn.shown[number] = shown + len(text)
        turn.said += text
        if not self._as_json:
            click.echo(visible(text), nl=False)

    def _asked(self, entry: dict[str, Any], turn: Turn) -> str:
        """Put a question to the person; without one, the answer is no."""
        if not self._asks:
            turn.refused.append(entry["given"] or entry["title"])
            return "no"
        click.echo(f"\n? {entry['title']}", err=True)
        for line in _wanted(entry):
            click.echo(f"    {line}", err=True)
        while (choice := self._lines.ask(_ALLOW) or "no") not in get_args(Choice):
            click.echo(f"  {safe(choice)} is none of these.", err=True)
        return choice

    def _notice(self, text: str) -> None:
        if not self._as_json:
            click.echo(f"· {safe(text)}", err=True)

    def _tell(self, owner: "Owner", turn: Turn) -> int:
        """Say how it ended, and where to review it."""
        page = owner.get("/api/agents")["page"] if turn.set is not None else ""
        link = f"{page}#set!{turn.set}" if page else None
        if self._as_json:
            show_json(
                {
                    "conversation": self._id,
                    "reason": turn.reason,
                    "text": turn.said,
                    "set": turn.set,
                    "link": link,
                    "refused": turn.refused,
                    "troubles": turn.troubles,
                }
            )
        else:
            click.echo()
            if turn.refused and not self._asks:
                notice(f"{len(turn.refused)} requests were refused, since nobody could be asked.")
            if turn.set is not None:
                review = link or f"commonplace sets show {turn.set}"
                notice(f"change set {turn.set}. Review it: {review}")
            notice(f"to go on: commonplace chat --resume {self._id}")
        if turn.reason == "end_turn":
            return 0
        return _STOPPED_CODE if turn.reason in _STOPPED else 1


def _wanted(entry: dict[str, Any]) -> Iterator[str]:
    """Yield all that an agent wants to do, in lines: what it runs, which files, what in them."""
    yield from str(entry["given"]).splitlines()
    yield from (f"file {path}" for path in entry["paths"])
    for diff in entry["diffs"]:
        yield f"in {diff['path']}:"
        yield from (f"- {line}" for line in diff["old"].splitlines())
        yield from (f"+ {line}" for line in diff["new"].splitlines())
