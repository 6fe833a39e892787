"""Change sets for assistants: `describe_changes`, and a line about them behind other answers.

Part of the family `history`.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from commonplace.errors import Forbidden
from commonplace.tools.parameters import text
from commonplace.tools.table import Answer, Call, Tool, ToolFunction, definition
from commonplace.vault.vault import Vault

Arguments = Mapping[str, object]

TELLING = frozenset(("read", "read_note"))
"""The tools that read and yet tell what people decided."""


PageAddress = Callable[[], str]


def _nowhere() -> str:
    return ""


def tools(vault: Vault, page: PageAddress = _nowhere) -> list[Tool]:
    """Return the tools over one vault; `page` tells where its page is, for calls that do not."""

    async def describe_changes(call: Call, arguments: Arguments) -> Answer:
        one = await vault.sets.kept.describe(
            call.actor.id,
            call.actor.name,
            text(arguments, "title"),
            text(arguments, "why", ""),
            ready=arguments.get("ready") is True,
        )
        state = "is ready for review" if one.said_ready else "collects what you write next"
        return Answer(f"Set {one.number} {state}. {_where(call, page, one.number)}")

    return [Tool(definition("describe_changes"), "history", writes=True, run=describe_changes)]


def telling(vault: Vault, tool: Tool, page: PageAddress = _nowhere) -> Tool:
    """Let a tool's answers end with what leaves something to decide, and what was decided."""
    if tool.family == "history" or not (tool.writes or tool.name in TELLING):
        return tool
    return replace(tool, run=_telling(vault, tool.run, page, writes=tool.writes))


def _telling(vault: Vault, run: ToolFunction, page: PageAddress, *, writes: bool) -> ToolFunction:
    feedback = vault.sets.feedback

    async def line(call: Call, since: float) -> str:
        actor = call.actor
        one = await feedback.waiting(actor.id, actor.name, since) if writes else None
        return f"Part of set {one.number}. {_where(call, page, one.number)}" if one else ""

    async def told(call: Call, arguments: Arguments) -> Answer:
        since = time.time()
        try:
            answer = await run(call, arguments)
        except Forbidden as error:
            if more := await line(call, since):
                raise Forbidden(f"{error}\n{more}") from error
            raise
        decided = await feedback.lines(call.actor.id, call.actor.name)
        notes = [*filter(None, [await line(call, since)]), *decided]
        return replace(answer, notes=(*answer.notes, *notes)) if notes else answer

    return told


def _where(call: Call, page: PageAddress, number: int) -> str:
    if not (address := call.actor.page or page()):
        return (
            "A person decides it on the page, which nobody serves now: `commonplace serve` opens"
            " it, and it is there under Review."
        )
    return f"A person decides it on the page: {address}#set!{number}"
