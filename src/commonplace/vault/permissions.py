"""Whether an assistant may write: by the person's policies, else by asking the person.

Everything that an assistant does to notes, but for suggestions, passes here. How to use it:

1. Whoever can make a change says how, once, when the vault is opened:

       vault.permissions.teach("delete_note", perform)

   `perform(change, by, *, suggest)` is given plain JSON values, so that a change can wait on disk
   for days and be made by another process. It checks everything again, makes the change or raises
   a `CommonplaceError` with nothing changed, and returns the JSON that the tool answers. With
   `suggest` it writes CriticMarkup instead; teach with `suggests=False` if it cannot, then the
   policy `suggest` means `ask`.

2. A tool asks, and gets that JSON back:

       wish = Wish("delete", path, "delete_note", {"path": path}, given, summary, diff)
       done = await permissions.ask(wish, Asker(call.actor.id, call.actor.name, call.ask))

   `given` are the tool's own arguments: the same call again means the same wish. `summary` says in
   a line what would change, `diff` shows it. `ask` raises `Forbidden` with the text for the
   assistant when it may not, or not yet.

Of all policies that match an operation the strictest counts: deny, ask, suggest, allow; when none
matches, ask. A person's answer holds once, for the assistant's session, or always; a `deny` in the
settings holds over all of them. No answer means no.
"""

import json
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, cast

import anyio

from commonplace.errors import BadArgument, CommonplaceError, Forbidden, Unavailable
from commonplace.vault.approvals import Approvals, Parked
from commonplace.vault.audit import Audit
from commonplace.vault.log import Log
from commonplace.vault.policies import Policies, Policy
from commonplace.vault.wishes import (
    Ask,
    Asker,
    Choice,
    Json,
    Operation,
    Question,
    Reply,
    Wish,
    message,
)

__all__ = [
    "DENIED",
    "Ask",
    "Asker",
    "Json",
    "Memory",
    "Perform",
    "Permissions",
    "Question",
    "Reply",
    "Wish",
    "scope_of",
]

DENIED = "User denied permission"
SESSION_SECONDS_MAX = 12 * 3600.0
QUESTIONS_MAX = 200
QUESTIONS_CHARS_MAX = 50_000_000
SESSIONS_MAX = 1_000

_ALWAYS = "always"


class Perform(Protocol):
    """Makes a kind of change."""

    async def __call__(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        """Make it; what is returned must be JSON."""
        ...


@dataclass(frozen=True, slots=True)
class _Taught:
    perform: Perform
    suggests: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """A wish that a person was asked about; `result` once it was answered, for a repetition."""

    key: str
    actor: str
    wish: Wish
    result: Json | CommonplaceError | None = None


class Memory:
    """What all front ends of a vault share: performers, answers, the queue, the record."""

    def __init__(self, log: Log, clock: Callable[[], float] = time.time) -> None:
        self.log = log
        self.clock = clock
        self.audit = Audit(log, clock)
        self.approvals = Approvals(log, clock)
        self.taught: dict[str, _Taught] = {}
        self.sessions: OrderedDict[tuple[str, str], float] = OrderedDict()
        self.asked: OrderedDict[str, _Asked] = OrderedDict()
        self.deciding = anyio.Lock()


class Permissions:
    """Decides on wishes, and has them done."""

    def __init__(self, memory: Memory, policies: Mapping[str, str]) -> None:
        self._memory = memory
        self._policies = Policies(policies)

    def under(self, policies: Mapping[str, str]) -> "Permissions":
        """Return the same with the policies of one front end."""
        return Permissions(self._memory, policies)

    @property
    def audit(self) -> Audit:
        """The record of writes."""
        return self._memory.audit

    def teach(self, kind: str, perform: Perform, *, suggests: bool = True) -> None:
        """Say how a kind of change is made."""
        self._memory.taught[kind] = _Taught(perform, suggests)

    async def ask(self, wish: Wish, asker: Asker) -> Json:
        """Do what an assistant wishes if it may, and return what came of it."""
        policy = self._policy(wish, asker)
        if policy == "deny":
            await self._record(wish, asker, "deny", "settings", "refused")
            raise Forbidden(
                f"{DENIED}: the vault's settings allow no {wish.operation} at this path."
            )
        if policy in ("allow", "suggest"):
            return await self._do(wish, asker, policy, "settings")
        if await self._allowed_before(wish.operation, asker):
            return await self._do(wish, asker, "allow", "an earlier answer")
        decided = await self._memory.approvals.find(wish.key(asker))
        if decided is not None and decided.state != "waiting":
            return await self._fetched(decided)
        if asker.ask is None:
            raise Forbidden(await self._parked(wish, asker, decided))
        return await self._asked(wish, asker, asker.ask)

    # -- the queue, for people

    async def waiting(self) -> list[Parked]:
        """List the writes that wait for a person."""
        return await self._memory.approvals.waiting()

    async def approve(self, id: int, by: str, scope: Choice = "once") -> Json:
        """Have a parked write done; Conflict, and the write is off, if it cannot be any more."""
        async with self._memory.deciding:
            one = await self._memory.approvals.get(id)
            asker = Asker(one.actor, one.who)
            wish = _wish_of(one)
            await self._remember(wish.operation, asker, scope)
            try:
                result = await self._do(wish, asker, scope, by)
            except CommonplaceError as error:
                await self._memory.approvals.decided(one, "failed", error=str(error))
                raise
            await self._memory.approvals.decided(one, "approved", result)
            return result

    async def deny(self, id: int, by: str) -> None:
        """Refuse a parked write."""
        async with self._memory.deciding:
            one = await self._memory.approvals.get(id)
            await self._memory.approvals.decided(one, "denied")
            await self._record(_wish_of(one), Asker(one.actor, one.who), "no", by, "refused")

    async def remembered(self) -> list[tuple[str, str]]:
        """List what is always allowed: (operation, assistant)."""
        kept = await self._memory.log.records(_ALWAYS)
        return [(operation, who) for operation, _, who in (key.partition(" ") for key in kept)]

    async def forget_remembered(self) -> None:
        """Ask again about everything that was allowed for a session or always."""
        self._memory.sessions.clear()
        for operation, who in await self.remembered():
            await self._memory.log.put_record(_ALWAYS, f"{operation} {who}", None)

    # -- how it is decided

    def _policy(self, wish: Wish, asker: Asker) -> Policy:
        policy = self._policies.of(wish.operation, wish.path, asker.name)
        able = self._memory.taught[wish.kind].suggests
        return "ask" if policy == "suggest" and not able else policy

    async def _allowed_before(self, operation: str, asker: Asker) -> bool:
        since = self._memory.sessions.get((operation, asker.id))
        if since is not None and self._memory.clock() - since < SESSION_SECONDS_MAX:
            return True
        return await self._memory.log.record(_ALWAYS, f"{operation} {asker.name}") is not None

    async def _remember(self, operation: str, asker: Asker, choice: Choice) -> None:
        if choice == "session":
            self._memory.sessions[operation, asker.id] = self._memory.clock()
            while len(self._memory.sessions) > SESSIONS_MAX:
                self._memory.sessions.popitem(last=False)
        elif choice == "always":
            since = json.dumps({"since": self._memory.clock()})
            await self._memory.log.put_record(_ALWAYS, f"{operation} {asker.name}", since)

    async def _asked(self, wish: Wish, asker: Asker, ask: Ask) -> Json:
        """Ask the person at the client; an answer counts for the wish that its question showed."""
        while True:
            question = self._question(wish, asker)
            reply = await ask(question)
            asked = self._memory.asked.get(reply.question)
            if asked is None or (asked.key, asked.actor) != (wish.key(asker), asker.id):
                continue  # too old, or another's: ask again
            if asked.result is not None:
                return _given(asked.result)
            return await self._answered(asked, asker, reply)

    def _question(self, wish: Wish, asker: Asker) -> Question:
        asked = self._memory.asked
        question = Question(uuid.uuid4().hex, message(wish, asker))
        asked[question.id] = _Asked(wish.key(asker), asker.id, wish)
        while len(asked) > QUESTIONS_MAX or (len(asked) > 1 and self._held() > QUESTIONS_CHARS_MAX):
            asked.popitem(last=False)
        return question

    def _held(self) -> int:
        texts = (each.wish.change.values() for each in self._memory.asked.values())
        return sum(len(value) for values in texts for value in values if isinstance(value, str))

    async def _answered(self, asked: _Asked, asker: Asker, reply: Reply) -> Json:
        wish, result = asked.wish, Forbidden(DENIED)
        # Answered, whatever comes of it: the same answer sent again must not do it again.
        self._memory.asked[reply.question] = replace(asked, result=_BUSY)
        if reply.choice == "no":
            await self._record(wish, asker, "no", "client", "refused")
        else:
            await self._remember(wish.operation, asker, reply.choice)
            try:
                result = await self._do(wish, asker, reply.choice, "client")
            except CommonplaceError as error:
                result = error
        kept = replace(wish, change={}, diff="")
        self._memory.asked[reply.question] = replace(asked, wish=kept, result=result)
        return _given(result)

    async def _parked(self, wish: Wish, asker: Asker, waiting: Parked | None) -> str:
        """Put a wish into the queue, once, and say how it can be approved."""
        if waiting is None:
            one = Parked(
                id=0,
                key=wish.key(asker),
                operation=wish.operation,
                path=wish.path,
                kind=wish.kind,
                change=wish.change,
                actor=asker.id,
                who=asker.name,
                time=self._memory.clock(),
                summary=wish.summary,
                diff=wish.diff,
            )
            waiting = await self._memory.approvals.park(one)
            await self._record(wish, asker, "parked", "settings", "waits")
        return (
            f"Nothing was changed yet: this {wish.operation} needs a person's approval. It waits"
            f" as number {waiting.id}. Ask the person to approve it on the page, or with"
            f" `commonplace approvals --approve {waiting.id}`; then call this tool again with the"
            " same arguments to get the result."
        )

    async def _fetched(self, one: Parked) -> Json:
        """Give the result of a write that was decided, once."""
        await self._memory.approvals.forget(one.id)
        if one.state == "denied":
            raise Forbidden(DENIED)
        if one.state == "failed":
            raise Unavailable(f"It was approved, but could not be done: {one.error}")
        return one.result or {}

    async def _do(self, wish: Wish, asker: Asker, answer: str, by: str) -> Json:
        taught = self._memory.taught.get(wish.kind)
        if taught is None:
            raise Unavailable(f"This version of Commonplace cannot do a parked {wish.kind}.")
        try:
            result = await taught.perform(wish.change, asker, suggest=answer == "suggest")
        except CommonplaceError as error:
            await self._record(wish, asker, answer, by, f"failed: {error}")
            raise
        await self._record(wish, asker, answer, by, "done")
        return result

    async def _record(self, wish: Wish, asker: Asker, answer: str, by: str, outcome: str) -> None:
        await self.audit.write(
            asker.name, wish.operation, wish.path, answer=answer, by=by, outcome=outcome
        )


_BUSY = Unavailable("This very call is being answered. Wait for its answer.")


def scope_of(text: str) -> Choice:
    """Read how far an approval reaches."""
    if text not in ("once", "session", "always"):
        raise BadArgument('scope must be "once", "session" or "always".')
    return text


def _given(result: Json | CommonplaceError) -> Json:
    if isinstance(result, CommonplaceError):
        raise result
    return result


def _wish_of(one: Parked) -> Wish:
    operation = cast("Operation", one.operation)
    return Wish(operation, one.path, one.kind, one.change, {}, one.summary, one.diff)
