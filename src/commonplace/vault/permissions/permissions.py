"""Whether an assistant may write: by the person's policies, else by asking the person.

Everything that an assistant does to notes, but for suggestions, passes here. How to use it:

1. Whoever can make a kind of change says how, once, when the vault is opened:

       permissions.teach("delete_note", perform)

   `perform(change, by, suggest=…)` is given plain JSON values, so that a change can wait on disk
   for days and be made by another process. It checks everything again, makes the change or raises
   a `CommonplaceError` with nothing changed, and returns the JSON that the tool answers. With
   `suggest` it writes CriticMarkup instead; teach with `suggests=False` if it cannot: then the
   policy `suggest` means `ask`.

2. A tool asks, and gets that JSON back:

       async def prepare() -> Wish:      # look, refuse what cannot be, say what would change
           return Wish("delete", path, "delete_note", {"path": path}, f"delete {path}")

       done = await permissions.ask("delete_note", arguments, asker, prepare)

   `ask` raises `Forbidden`, worded for the assistant, when it may not, or not yet. The same call
   again (tool, arguments, assistant) is given the result of the first: of a write that a person
   approved in the meantime, and of an answer that a client sends twice. `prepare` is not called
   for these, because what it looks at has changed since.

A person's answer holds once, for the assistant's session, or always; a `deny` in the settings holds
over all of them. No answer means no.
"""

import time
from collections.abc import Callable, Mapping
from typing import Protocol, cast

import anyio

from commonplace.errors import CommonplaceError, Forbidden, Unavailable
from commonplace.vault.afterwards import Afterwards
from commonplace.vault.approvals import Approvals, Parked
from commonplace.vault.audit import Audit
from commonplace.vault.log import Log
from commonplace.vault.policies import Policies, Policy
from commonplace.vault.questions import Asked, Questions
from commonplace.vault.remembered import Remembered
from commonplace.vault.wishes import (
    Asker,
    Choice,
    Json,
    Operation,
    Prepare,
    Wish,
    call_key,
)

DENIED = "User denied permission"


class Perform(Protocol):
    """Makes a kind of change."""

    async def __call__(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        """Make it, and return JSON."""
        ...


class Memory:
    """What all front ends of a vault share: performers, answers, the queue, the record."""

    def __init__(
        self, log: Log, afterwards: Afterwards, clock: Callable[[], float] = time.time
    ) -> None:
        self.clock = clock
        self.audit = Audit(afterwards, clock)
        self.approvals = Approvals(log, clock)
        self.remembered = Remembered(log, clock)
        self.questions = Questions()
        self.taught: dict[str, tuple[Perform, bool]] = {}
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
        self._memory.taught[kind] = (perform, suggests)

    async def ask(self, tool: str, given: Json, asker: Asker, prepare: Prepare) -> Json:
        """Do what an assistant wishes if it may, and return what came of it."""
        key = call_key(tool, given, asker)
        parked = await self._memory.approvals.find(key)
        if parked is not None and parked.state != "waiting":
            return await self._fetched(parked)
        if (asked := self._memory.questions.answered(key, asker)) is not None:
            return await self._heed(asked, asker)
        wish = await prepare()
        policy = self._policy(wish, asker)
        if policy == "deny":
            await self._refuse(wish, asker)
        if policy != "ask":
            return await self._do(wish, asker, policy, "settings")
        if await self._memory.remembered.allows(wish.operation, asker):
            return await self._do(wish, asker, "allow", "an earlier answer")
        if asker.ask is None:
            raise Forbidden(await self._parked(wish, asker, key, parked))
        question = self._memory.questions.put(wish, asker, key)
        choice = await asker.ask(question)
        return await self._settle(question.id, asker, choice)

    # -- the queue, for people

    def follow(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Hear how many writes wait, when that changes; call what is returned to stop."""
        listeners = self._memory.approvals.listeners
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    async def waiting(self) -> list[Parked]:
        """List the writes that wait for a person."""
        return await self._memory.approvals.waiting()

    async def approve(self, id: int, by: str, scope: Choice = "once") -> Json:
        """Have a parked write done; if it cannot be any more, the error says so and it is off."""
        # Shielded: once begun, it is done and on record, whether or not the caller still waits.
        done: list[Json] = []
        with anyio.CancelScope(shield=True):
            done.append(await self._approve(id, by, scope))
        return done[0]

    async def _approve(self, id: int, by: str, scope: Choice) -> Json:
        async with self._memory.deciding:
            one = await self._memory.approvals.get(id)
            asker, wish = Asker(one.actor, one.who), _wish_of(one)
            if wish.kind not in self._memory.taught:
                raise Unavailable(f"This version of Commonplace cannot do a {wish.kind}.")
            try:
                result = await self._do(wish, asker, scope, by)
            except CommonplaceError as error:
                await self._memory.approvals.decided(one, "failed", error=str(error))
                raise
            await self._memory.remembered.keep(wish.operation, asker, scope)
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
        return await self._memory.remembered.always()

    async def forget_remembered(self) -> None:
        """Ask again about everything that was allowed for a session or always."""
        await self._memory.remembered.forget()

    # -- how it is decided

    def _policy(self, wish: Wish, asker: Asker) -> Policy:
        policy = self._policies.of(wish.operation, wish.path, asker.name)
        if policy == "allow" and asker.suggests_only:
            policy = "suggest"
        _, suggests = self._memory.taught[wish.kind]
        return "ask" if policy == "suggest" and not suggests else policy

    async def _refuse(self, wish: Wish, asker: Asker) -> None:
        await self._record(wish, asker, "deny", "settings", "refused")
        raise Forbidden(f"{DENIED}: the vault's settings allow no {wish.operation} at this path.")

    # -- asking the person at the client

    async def _heed(self, asked: Asked, asker: Asker) -> Json:
        assert asker.reply is not None
        if asked.result is not None:
            return _given(asked.result)
        if self._policy(asked.wish, asker) == "deny":
            await self._refuse(asked.wish, asker)
        return await self._settle(asker.reply.question, asker, asker.reply.choice)

    async def _settle(self, question: str, asker: Asker, choice: Choice) -> Json:
        """Do what the question showed, if the answer is yes; the answer counts once."""
        asked = self._memory.questions.begin(question)
        result: Json | CommonplaceError = Forbidden(DENIED)
        if choice == "no":
            await self._record(asked.wish, asker, "no", "client", "refused")
        else:
            try:
                result = await self._do(asked.wish, asker, choice, "client")
                await self._memory.remembered.keep(asked.wish.operation, asker, choice)
            except CommonplaceError as error:
                result = error
        self._memory.questions.settle(question, asked, result)
        return _given(result)

    # -- parking

    async def _parked(self, wish: Wish, asker: Asker, key: str, waiting: Parked | None) -> str:
        """Put a wish into the queue, once, and say how it can be approved."""
        if waiting is None:
            waiting = await self._memory.approvals.park(
                Parked(
                    id=0,
                    key=key,
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
            )
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
        perform, _ = self._memory.taught[wish.kind]
        try:
            result = await perform(wish.change, asker, suggest=answer == "suggest")
        except CommonplaceError as error:
            await self._record(wish, asker, answer, by, f"failed: {error}")
            raise
        await self._record(wish, asker, answer, by, "done")
        return result

    async def _record(self, wish: Wish, asker: Asker, answer: str, by: str, outcome: str) -> None:
        await self.audit.write(
            asker.name, wish.operation, wish.path, answer=answer, by=by, outcome=outcome
        )


def _given(result: Json | CommonplaceError) -> Json:
    if isinstance(result, CommonplaceError):
        raise result
    return result


def _wish_of(one: Parked) -> Wish:
    operation = cast("Operation", one.operation)
    return Wish(operation, one.path, one.kind, one.change, one.summary, one.diff)
