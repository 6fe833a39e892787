"""The steps of a decision on a change set, and of its undoing, as intents carry them out.

What becomes of the suggestions of a note is saved with the edit that decides them, by
`suggestions.decisions`, as it is for any decision.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from commonplace.core import critic
from commonplace.errors import Conflict
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Intent, Intents, Json
from commonplace.vault.log.log import Log, Record
from commonplace.vault.sets.decision import SetDecision
from commonplace.vault.sets.parked_writes import ApprovalAnswer, ParkedWrites, WriteStep
from commonplace.vault.suggestions.decisions import Decisions
from commonplace.vault.suggestions.erasure import holds, reads
from commonplace.vault.suggestions.ledger import Credit, Ledger
from commonplace.vault.suggestions.note_decision import NoteDecision
from commonplace.vault.threads import aside_if_long

DECIDE, UNDO = "decide-set", "undo-set"
_DECISIONS_MAX = 500
_DECIDED, DEEDS = "set-decided", "set-deeds"


class Steps:
    """Carries out the intents that decide sets; keeps which decisions can be undone, and how."""

    def __init__(
        self,
        log: Log,
        intents: Intents,
        decisions: Decisions,
        writes: ParkedWrites,
        notes: LiveNotes,
        ledger: Ledger,
    ) -> None:
        self._log = log
        self._intents = intents
        self._decisions = decisions
        self._writes = writes
        self._notes = notes
        self._ledger = ledger
        self._kept: dict[int, SetDecision] | None = None
        intents.register(DECIDE, self, late=True)
        intents.register(UNDO, self, late=True)

    async def all(self) -> dict[int, SetDecision]:
        """Return the decisions that can be undone, the oldest first."""
        if self._kept is None:
            rows = (await self._log.records(_DECIDED)).values()
            found = sorted(map(SetDecision.unpacked, rows), key=lambda one: one.id)
            self._kept = {one.id: one for one in found}
        return self._kept

    async def deeds(self, one: SetDecision) -> list[Json]:
        """Return what each step of a decision did."""
        return json.loads(await self._log.record(DEEDS, str(one.id)) or "[]")

    async def run(self, intent: Intent, recorded: asyncio.Event | None = None) -> None:
        """Carry out an intent; `recorded` is set once it is on record."""
        await self._intents.run(intent, recorded)

    async def recover(self) -> None:
        """Finish what a crash cut short."""
        await self._intents.recover(late=True)

    async def forget(self, passage: str, document: str) -> int:
        """Forget how to take decisions back that held a passage; return how many did."""
        found = [
            one
            for one in (await self.all()).values()
            for deeds in [await self.deeds(one)]
            if any(_holds(deed, passage, document) for deed in deeds)
        ]
        for one in found:
            del (await self.all())[one.id]
        await self._log.put_records([record for one in found for record in _gone(one.id)])
        return len(found)

    # -- as intents ask

    async def carry_out(self, intent: Intent, step: int) -> None:
        """Decide in one note, or one parked write; or take that back."""
        what = cast("Any", intent.steps[step])
        match intent.kind, "parked" in what:
            case "decide-set", True:
                again = self._intents.resumes(intent)
                given = ApprovalAnswer(what["verdict"], what["who"], what["reason"])
                done = await self._writes.decide(WriteStep.unpacked(what), given, again=again)
                await self._intents.note(intent, step, done.packed())
            case "decide-set", False:
                await self._decide_note(intent, step, what)
            case _, True:
                await self._take_back(intent, WriteStep.unpacked(what), step)
                await self._intents.note(intent, step, what)
            case _:
                await self._decisions.undo_note(intent, step, NoteDecision.unpacked(what))

    async def take_back(self, intent: Intent, step: int, done: Json) -> None:
        """Take one step back."""
        what = cast("Any", intent.steps[step])
        if "parked" not in what:
            await self._decisions.take_back(intent, step, done)
        elif intent.kind == DECIDE:
            await self._take_back(intent, WriteStep.unpacked(done), step)
        else:
            given = ApprovalAnswer(what["verdict"], what["who"])
            await self._writes.decide(WriteStep.unpacked(done), given, again=True)

    async def _take_back(self, intent: Intent, write: WriteStep, step: int) -> None:
        what = cast("Any", intent.steps[step])
        await self._writes.take_back(write, what["verdict"], what["who"], intent.steps)

    async def close(self, intent: Intent, done: Mapping[int, Json]) -> Sequence[Record]:
        """Put a decision on record with the way back, or let go of it when it is undone."""
        one = SetDecision(**cast("Any", intent.steps[0]["decision"]))
        if intent.kind == UNDO:
            deeds = [NoteDecision.unpacked(step) for step in intent.steps if "parked" not in step]
            (await self.all()).pop(one.id, None)
            return [*await self._decisions.enter_undone(deeds), *_gone(one.id)]
        return await self.entered(one, [done[step] for step in sorted(done)])

    async def entered(
        self, one: SetDecision, made: Sequence[Json], *, new: bool = True
    ) -> list[Record]:
        """Remember a decision; return what is to be saved of it, and of what its steps did.

        Its suggestions are on record already if it is not `new`.
        """
        kept = await self.all()
        deeds = [NoteDecision.unpacked(each) for each in made if "parked" not in each]
        count = sum(len(deed.decisions) for deed in deeds) + len(made) - len(deeds)
        kept[one.id] = one = replace(one, count=count)
        entered = await self._decisions.enter(deeds) if new else []
        deeds_kept = Record(DEEDS, str(one.id), json.dumps(made, ensure_ascii=False))
        old = list(kept)[:-_DECISIONS_MAX]
        for id in old:
            del kept[id]
        forgotten = [record for id in old for record in _gone(id)]
        return [*entered, Record(_DECIDED, str(one.id), one.packed()), deeds_kept, *forgotten]

    # -- one note

    async def _decide_note(self, intent: Intent, step: int, what: Mapping[str, Any]) -> None:
        path = await self._notes.ids.path_of(str(what["document"])) or str(what["path"])
        try:
            await self._decisions.decide_note(intent, step, {**what, "path": path})
        except Conflict:
            # Refused as a whole: nothing has been changed by it.
            await self._decisions.decide_note(intent, step, await self._named_now(what))

    async def _named_now(self, what: Mapping[str, Any]) -> Mapping[str, Any]:
        """Name suggestions as they are named now: a rename mends links inside them too."""
        document, ids = str(what["document"]), cast("list[str]", what["ids"])
        path = await self._notes.ids.path_of(document) or str(what["path"])
        # After a crash the file may be behind the log: what counts is the document.
        await self._notes.open(document)
        async with self._notes.documents.hold(document) as held:
            text = held.text
        there = [name for name, _, _ in await aside_if_long(critic.places, text)]
        if set(ids) <= set(there):
            return {**what, "path": path}  # refused for another reason, which is then said again
        await self._ledger.load()
        made = {(actor, time) for actor, time in what["made"]}
        found = [
            id
            for id in there
            if id not in what["others"] and _made(self._ledger.credit(document, id)) in made
        ]
        if len(found) != len(ids):
            raise Conflict(f"{path}: a suggestion was changed or decided meanwhile.")
        return {**what, "path": path, "ids": found}


def _made(credit: Credit | None) -> tuple[str, float] | None:
    return (credit.actor, credit.time) if credit else None


def _holds(deed: Json, passage: str, document: str) -> bool:
    if "parked" not in deed:
        return holds(deed, passage, document)
    return any(reads(text, passage) for text in _texts(deed))


def _texts(value: object) -> Iterator[str]:
    """Yield every text in a plain value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, object]", value).values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _texts(each)


def _gone(id: int) -> list[Record]:
    return [Record(_DECIDED, str(id), None), Record(DEEDS, str(id), None)]
