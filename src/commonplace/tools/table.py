"""The table of tools: what each publishes, what it runs, and how every call is answered.

A definition is published word for word from `definitions/NAME.json`; nothing here rewrites it.
`Toolbox.call` always gives an `Answer`: a mistake of the caller, a bug and a call that takes too
long each become a text that an assistant can act on. Only the name of a tool that is not in the
box (`UnknownTool`), and a question that the client answers with its next call (`Unanswered`), are
the protocol's business and raise. This module knows no protocol.
"""

import json
import logging
import math
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, cast

import anyio

from commonplace.core.scopes import Scope
from commonplace.errors import BadArgument, CommonplaceError, Forbidden, Unavailable
from commonplace.tools.answer import Answer
from commonplace.tools.arguments import ArgumentCheck, checker, shown
from commonplace.tools.call_log import CallTimer
from commonplace.tools.definition import Definition, definition as definition
from commonplace.tools.families import ALWAYS_LOADED
from commonplace.vault.permissions.requests import (
    Ask,
    Asker,
    PermissionChoice,
    PermissionQuestion,
    Reply,
    Unanswered,
)
from commonplace.vault.search.readiness import Incomplete
from commonplace.vault.settings import FAMILIES

CALL_SECONDS_MAX = 30.0

logger = logging.getLogger(__name__)


class UnknownTool(CommonplaceError):
    """No tool of that name is offered."""


class ToolFailed(CommonplaceError):
    """A bug in a tool; its traceback is in the log, not in the message."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is calling, and how far it may go.

    What was read is remembered by `id`; `name` is for people to see. `page` is the address of the
    page, as far as it can be told from the call.
    """

    id: str
    name: str
    scope: Scope = "write"
    page: str = ""


class Progress(Protocol):
    """Tells the caller how far a long call has come; free to do nothing."""

    async def __call__(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report `progress` of `total`, with a word about what is going on."""


async def no_progress(
    progress: float, total: float | None = None, message: str | None = None
) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool knows of the call beside its arguments.

    `ask` puts a question to the person at the client, if it can; `reply` is the person's answer to
    the question that the same call ended with before.
    """

    actor: Actor
    progress: Progress = no_progress
    ask: Ask | None = None
    reply: Reply | None = None

    @property
    def asker(self) -> Asker:
        """Who wants to write, and how its person is asked.

        One who may only suggest cannot say yes to itself: what has to be asked waits in the queue.
        """
        if self.actor.scope == "suggest":
            return Asker(self.actor.id, self.actor.name, suggests_only=True)
        return Asker(self.actor.id, self.actor.name, self.ask, self.reply)


Ready = Callable[[], Awaitable[Incomplete | None]]
ToolFunction = Callable[[Call, Mapping[str, object]], Awaitable[Answer]]


def plain_error(error: CommonplaceError) -> str:
    """Word an error the way the `files` tools do; a bug says so itself."""
    return str(error) if isinstance(error, ToolFailed) else f"Error: {error}"


@dataclass(frozen=True, slots=True)
class Tool:
    """A definition, the code behind it, and how its family words an error.

    `ready` waits for what the answer depends on, and tells what is missing of it.
    """

    definition: Definition
    family: str
    writes: bool
    run: ToolFunction
    error_text: Callable[[CommonplaceError], str] = plain_error
    ready: Ready | None = None

    @property
    def name(self) -> str:
        """The name a client calls it by."""
        return self.definition.name


class Toolbox:
    """The tools on offer, in the order given, the same for every client."""

    def __init__(
        self,
        tools: Iterable[Tool],
        families: Collection[str] = FAMILIES,
        *,
        read_only: bool = False,
        always_load: Collection[str] = ALWAYS_LOADED,
        seconds_max: float = CALL_SECONDS_MAX,
    ) -> None:
        _refuse_unknown(families)
        offered = [t for t in tools if t.family in families and not (read_only and t.writes)]
        self._tools = {tool.name: tool for tool in offered}
        assert len(self._tools) == len(offered), "two tools of one name"
        self._always_load = frozenset(always_load)
        self._checks: dict[str, ArgumentCheck] = {}
        self._seconds_max = seconds_max

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool on offer."""
        return tuple(self._tools.values())

    def definitions(self, scope: Scope = "write") -> tuple[Definition, ...]:
        """List what to publish to who may go that far, always in the same order."""
        return tuple(
            tool.definition.loaded(at_once=tool.name in self._always_load)
            for tool in self.tools
            if scope != "read" or not tool.writes
        )

    def input_schema(self, name: str) -> Mapping[str, object] | None:
        """Look up the schema of a tool's arguments; None when it is not on offer."""
        tool = self._tools.get(name)
        return tool.definition.input_schema if tool else None

    async def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Answer:
        """Check the arguments, run the tool, and answer, whatever happens on the way."""
        tool = self._tools.get(name)
        if tool is None:
            offered = ", ".join(self._tools) or "nothing"
            raise UnknownTool(f"Unknown tool: {shown(name)}. This server offers: {offered}.")
        timer = CallTimer(name, arguments, call.actor.name)
        try:
            _refuse_reader(tool, call.actor)
            answer = await self._run(tool, self._check(tool)(arguments), call)
        except CommonplaceError as error:
            timer.end(type(error).__name__)
            return Answer(tool.error_text(error), is_error=True)
        except Unanswered:
            timer.end("asked")
            raise
        except Exception:
            timer.end("failed")
            logger.exception("tool %s failed", name)
            text = f"Internal error in tool {name}; the server's log has the details."
            return Answer(tool.error_text(ToolFailed(text)), is_error=True)
        timer.end("ok")
        return answer

    async def _run(self, tool: Tool, arguments: Mapping[str, object], call: Call) -> Answer:
        with anyio.move_on_after(self._seconds_max) as scope:
            missing = await tool.ready() if tool.ready else None
            answer = await tool.run(_unhurried(call, scope), arguments)
            if missing is None:
                return answer
            return _marked_incomplete(answer, missing, as_json=tool.family != "files")
        raise Unavailable(
            f"`{tool.name}` took longer than {self._seconds_max:g} seconds and was stopped. "
            "Ask for less: a narrower path or pattern, or a smaller limit."
        )

    def _check(self, tool: Tool) -> ArgumentCheck:
        if tool.name not in self._checks:
            self._checks[tool.name] = checker(tool.definition.input_schema)
        return self._checks[tool.name]


def _marked_incomplete(answer: Answer, incomplete: Incomplete, *, as_json: bool) -> Answer:
    """Say in an answer how far the index is: in the object, else in a line or block of its own."""
    if answer.is_error:
        return answer
    if not as_json:
        return replace(answer, text=f"{answer.text}\n\n{incomplete.sentence}")
    value: object = json.loads(answer.text)
    if not isinstance(value, dict):
        return replace(answer, notes=(*answer.notes, incomplete.sentence))
    found = cast("dict[str, object]", value)
    far = {"indexed": incomplete.indexed, "total": incomplete.total}
    return replace(answer, text=json.dumps({**found, "_incomplete": far}, ensure_ascii=False))


def _unhurried(call: Call, scope: anyio.CancelScope) -> Call:
    """Let the clock stand still while a person thinks."""
    if (ask := call.ask) is None:
        return call

    async def wait(question: PermissionQuestion) -> PermissionChoice:
        left = scope.deadline - anyio.current_time()
        scope.deadline = math.inf
        try:
            return await ask(question)
        finally:
            scope.deadline = anyio.current_time() + left

    return replace(call, ask=wait)


def _refuse_reader(tool: Tool, actor: Actor) -> None:
    if tool.writes and actor.scope == "read":
        raise Forbidden(
            f"The access token {actor.name!r} may only read; `{tool.name}` needs one of scope"
            " suggest or write. Ask the server's owner for it."
        )


def _refuse_unknown(families: Collection[str]) -> None:
    for family in families:
        if family not in FAMILIES:
            known = ", ".join(FAMILIES)
            raise BadArgument(f"Unknown tool family `{shown(family)}`. Choose from: {known}.")
