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
over all of them. A question that nobody answered is put into the queue.
"""

import time
from collections.abc import Awaitable, Callable, Mapping

import anyio

from commonplace.errors import CommonplaceError, Denied, Unavailable
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.log import Log
from commonplace.vault.permissions import grants
from commonplace.vault.permissions.approvals import Approvals, Parked, Waiting
from commonplace.vault.permissions.audit import Audit
from commonplace.vault.permissions.grants import Grant, Remembered
from commonplace.vault.permissions.performers import Perform, Performers
from commonplace.vault.permissions.policies import Policies
from commonplace.vault.permissions.questions import Asked, Questions
from commonplace.vault.permissions.requests import (
    Asker,
    Changed,
    Json,
    PermissionChoice,
    PrepareWish,
    Wish,
    WriteStatus,
    call_key,
)
from commonplace.vault.settings import WritePolicy


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
        self.performers = Performers(self.audit, clock)
        self.deciding = anyio.Lock()


class Permissions:
    """Decides on wishes, and has them done."""

    def __init__(self, memory: Memory, policies: Mapping[str, str]) -> None:
        self._memory = memory
        self._performers = memory.performers
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
        self._performers.teach(kind, perform, suggests=suggests)

    async def ask(self, tool: str, given: Json, asker: Asker, prepare: PrepareWish) -> Json:
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
            return await self._performers.do_at_once(wish, asker, policy, "settings")
        if await self._memory.remembered.allows(wish.operation, asker):
            return await self._performers.do_at_once(wish, asker, "allow", "an earlier answer")
        if asker.ask is None:
            raise Waiting(await self._parked(wish, asker, key, parked))
        question = self._memory.questions.put(wish, asker, key)
        choice = await asker.ask(question)
        return await self._settle(question.id, asker, choice)

    async def park(
        self, tool: str, given: Json, asker: Asker, prepare: PrepareWish
    ) -> Parked | None:
        """Put a write into the queue beside one that waits, if a person has to be asked of it."""
        key = call_key(tool, given, asker)
        found = await self._memory.approvals.find(key)
        if found is not None:
            return found if found.state == "waiting" else None
        wish = await prepare()
        free = await self._memory.remembered.allows(wish.operation, asker)
        if free or self._policy(wish, asker) != "ask":
            return None
        return await self._parked(wish, asker, key, None)

    def check_edit(self, path: str, actor: str) -> None:
        """Refuse suggestions where the settings deny them."""
        if not self._policies.allow_edit(path, actor):
            raise Denied("the vault's settings allow no edit at this path.")

    def check_create(self, path: str, actor: str) -> None:
        """Refuse a suggested note where the settings deny new ones."""
        if self._policies.of("create", path, actor) == "deny":
            raise Denied("the vault's settings allow no create at this path.")

    def follow_writes(self, listener: Callable[[WriteStatus], Awaitable[None]]) -> None:
        """Hear what becomes of each write that is asked for."""
        self._performers.follow(listener)

    # -- the queue, for people

    def follow(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Hear how many writes wait, when that changes; call what is returned to stop."""
        listeners = self._memory.approvals.listeners
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    async def waiting(self) -> list[Parked]:
        """List the writes that wait for a person."""
        return await self._memory.approvals.waiting()

    async def approve(self, id: int, by: str, scope: PermissionChoice = "once") -> Json:
        """Have a parked write done; if it cannot be any more, the error says so and it is off."""
        # Shielded: once begun, it is done and on record, whether or not the caller still waits.
        done: list[Json] = []
        with anyio.CancelScope(shield=True):
            done.append(await self._approve(id, by, scope))
        return done[0]

    async def _approve(self, id: int, by: str, scope: PermissionChoice) -> Json:
        async with self._memory.deciding:
            one = await self._memory.approvals.get(id)
            wish, asker = one.wish, one.asker
            grants.check(wish.operation, scope)
            if not self._performers.knows(wish.kind):
                raise Unavailable(
                    f"This write ({wish.kind}) is for another store than the open one. Start"
                    " Commonplace with that store (--store), and approve it then."
                )
            try:
                result = await self._performers.do(wish, asker, scope, by)
            except Changed as error:
                await self._memory.approvals.show(one, error.diff)
                raise
            except CommonplaceError as error:
                await self._memory.approvals.decided(one, "failed", error=str(error))
                await self._performers.tell("failed", wish, asker, id)
                raise
            await self._memory.remembered.keep(wish.operation, asker, scope)
            await self._memory.approvals.decided(one, "approved", result)
            await self._performers.tell("approved", wish, asker, id)
            return result

    async def deny(self, id: int, by: str, reason: str = "") -> None:
        """Refuse a parked write; the assistant is told the reason."""
        async with self._memory.deciding:
            one = await self._memory.approvals.get(id)
            await self._memory.approvals.decided(one, "denied", error=reason)
            wish, asker = one.wish, one.asker
            await self._performers.record(wish, asker, "no", by, "refused")
            await self._performers.tell("denied", wish, asker, id, reason)

    async def get_waiting(self, id: int) -> Parked:
        """Return a write that waits; NotFound or Conflict if it does not."""
        return await self._memory.approvals.get(id)

    async def find(self, id: int) -> Parked | None:
        """Return a write that waits or was decided; None if it was fetched since, or expired."""
        return await self._memory.approvals.at(id)

    async def settle(
        self, id: int, by: str, result: Json, scope: PermissionChoice = "once"
    ) -> None:
        """Remember that a write was approved and done, which a crash kept from being recorded."""
        async with self._memory.deciding:
            one = await self._memory.approvals.get(id)
            wish, asker = one.wish, one.asker
            await self._performers.record(wish, asker, scope, by, "done")
            await self._memory.remembered.keep(wish.operation, asker, scope)
            await self._memory.approvals.decided(one, "approved", result)
            await self._performers.tell("approved", wish, asker, id)

    async def withdraw(self, id: int) -> None:
        """Let an assistant take back its own write that waits; nothing is left to decide."""
        async with self._memory.deciding:
            one = await self._memory.approvals.get(id)
            await self._memory.approvals.forget(id)
            wish, asker = one.wish, one.asker
            await self._performers.record(wish, asker, "withdrawn", one.who, "withdrawn")
            await self._performers.tell("withdrawn", wish, asker, id)

    async def put_back(self, one: Parked) -> None:
        """Let a write wait again as it did before it was decided."""
        async with self._memory.deciding:
            await self._memory.approvals.put_back(one)
            await self._performers.tell("waits", one.wish, one.asker, one.id)

    async def remembered(self) -> list[Grant]:
        """List what is always allowed."""
        return await self._memory.remembered.always()

    async def revoke(self, key: str) -> None:
        """Ask again about one thing that was always allowed."""
        await self._memory.remembered.revoke(key)

    async def forget_remembered(self) -> None:
        """Ask again about everything that was allowed for a session or always."""
        await self._memory.remembered.forget()

    # -- how it is decided

    def _policy(self, wish: Wish, asker: Asker) -> WritePolicy:
        policy = self._policies.of(wish.operation, wish.path, asker.name)
        if policy == "allow" and asker.suggests_only:
            policy = "suggest"
        suggests = self._performers.suggests(wish.kind)
        return "ask" if policy == "suggest" and not suggests else policy

    async def _refuse(self, wish: Wish, asker: Asker) -> None:
        await self._performers.record(wish, asker, "deny", "settings", "refused")
        raise Denied(f"the vault's settings allow no {wish.operation} at this path.")

    # -- asking the person at the client

    async def _heed(self, asked: Asked, asker: Asker) -> Json:
        assert asker.reply is not None
        if asked.result is not None:
            return _given(asked.result)
        if self._policy(asked.wish, asker) == "deny":
            await self._refuse(asked.wish, asker)
        return await self._settle(asker.reply.question, asker, asker.reply.choice)

    async def _settle(self, question: str, asker: Asker, choice: PermissionChoice) -> Json:
        """Do what the question showed, if the answer is yes; the answer counts once."""
        asked = self._memory.questions.begin(question)
        result: Json | CommonplaceError = Denied()
        if choice == "dismissed":
            waiting = await self._memory.approvals.find(asked.key)
            result = Waiting(await self._parked(asked.wish, asker, asked.key, waiting))
        elif choice == "no":
            await self._performers.record(asked.wish, asker, "no", "client", "refused")
        else:
            try:
                result = await self._performers.do_at_once(asked.wish, asker, choice, "client")
                await self._memory.remembered.keep(asked.wish.operation, asker, choice)
            except CommonplaceError as error:
                result = error
        self._memory.questions.settle(question, asked, result)
        return _given(result)

    # -- parking

    async def _parked(self, wish: Wish, asker: Asker, key: str, waiting: Parked | None) -> Parked:
        """Put a wish into the queue, once."""
        if waiting is None:
            waiting = await self._memory.approvals.park(
                Parked.of(wish, asker, key, self._memory.clock())
            )
            await self._performers.record(wish, asker, "parked", "settings", "waits")
            await self._performers.tell("waits", wish, asker, waiting.id)
        return waiting

    async def _fetched(self, one: Parked) -> Json:
        """Give the result of a write that was decided, once."""
        await self._memory.approvals.forget(one.id)
        if one.state == "denied":
            raise Denied(reason=one.error or "")
        if one.state == "failed":
            raise Unavailable(f"It was approved, but could not be done: {one.error}")
        return one.result or {}


def _given(result: Json | CommonplaceError) -> Json:
    if isinstance(result, CommonplaceError):
        raise result
    return result
