"""Parked writes answered by people outside a set: one, or several as one.

The answers are an intent: on record before the first write is made, and whatever ends the process,
the next start goes on with it. If one of several cannot be done, none is, and all of them wait on.
The writes of a database are whole in themselves; they are answered after the others, one by one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from commonplace.errors import CommonplaceError, Conflict
from commonplace.vault.history.intents import Intent, Intents, Json
from commonplace.vault.log.log import Record
from commonplace.vault.notes.rename import RENAME
from commonplace.vault.permissions import grants
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Operation, PermissionChoice
from commonplace.vault.sets.decision import in_order
from commonplace.vault.sets.parked_writes import ApprovalAnswer, ParkedWrites, WriteStep

ANSWER = "answer-writes"
_OF_NOTES = frozenset({"create_note", "update_note", "delete_note", RENAME})


class WriteAnswers:
    """Approves and denies the writes that wait."""

    def __init__(self, permissions: Permissions, writes: ParkedWrites, intents: Intents) -> None:
        self._permissions = permissions
        self._writes = writes
        self._intents = intents
        intents.register(ANSWER, self, late=True)

    async def give(
        self,
        who: str,
        approved: Sequence[int] = (),
        denied: Sequence[int] = (),
        *,
        scope: PermissionChoice = "once",
        reason: str = "",
    ) -> dict[int, Json]:
        """Approve some writes, which has them done, and deny others; return what each did.

        Raises:
            NotFound: one of them does not wait, or cannot be done. Nothing is decided then.
            Conflict: one of them was decided already, or cannot be done. Nothing is decided then.

        """
        alone = len({*approved, *denied}) == 1
        answers = dict.fromkeys(denied, ApprovalAnswer("reject", who, reason, alone=alone))
        answers |= dict.fromkeys(approved, ApprovalAnswer("accept", who, scope=scope, alone=alone))
        steps: list[Json] = []
        others: list[int] = []
        for id, answer in answers.items():
            one = await self._permissions.get_waiting(id)
            grants.check(cast("Operation", one.operation), answer.scope)
            if one.kind in _OF_NOTES:
                step = await self._writes.plan(one)
                steps.append({**step.packed(), "answer": asdict(answer)})
            else:
                others.append(id)
        done = await self._run(steps, who, alone=alone) if steps else {}
        for id in others:
            done[id] = await self._answer_other(id, answers[id])
        return done

    async def _run(self, steps: Sequence[Json], who: str, *, alone: bool) -> dict[int, Json]:
        intent = Intent.new(ANSWER, f"person:{who}", in_order(steps).steps)
        try:
            made = await self._intents.run(intent)
        except CommonplaceError as error:
            if alone:
                raise
            raise Conflict(f"{error} None of them was decided.") from error
        found = map(WriteStep.unpacked, made.values())
        return {step.parked.id: step.result or {} for step in found}

    async def _answer_other(self, id: int, answer: ApprovalAnswer) -> Json:
        if answer.verdict == "accept":
            return await self._permissions.approve(id, answer.who, answer.scope)
        await self._permissions.deny(id, answer.who, answer.reason)
        return {}

    # -- as intents ask

    async def carry_out(self, intent: Intent, step: int) -> None:
        """Answer one write."""
        write, answer = _unpacked(intent, step)
        try:
            done = await self._writes.decide(write, answer, again=self._intents.resumes(intent))
        except CommonplaceError as error:
            if answer.alone:
                raise
            raise Conflict(f"Write {write.parked.id} cannot be done: {error}") from error
        await self._intents.note(intent, step, done.packed())

    async def take_back(self, intent: Intent, step: int, done: Json) -> None:
        """Let one write wait again."""
        _, answer = _unpacked(intent, step)
        made = WriteStep.unpacked(done)
        await self._writes.take_back(made, answer.verdict, answer.who, intent.steps)

    async def close(self, intent: Intent, done: Mapping[int, Json]) -> Sequence[Record]:
        """Return nothing more: what became of each write is on record with it."""
        return ()


def _unpacked(intent: Intent, step: int) -> tuple[WriteStep, ApprovalAnswer]:
    what = cast("Any", intent.steps[step])
    return WriteStep.unpacked(what), ApprovalAnswer(**what["answer"])
