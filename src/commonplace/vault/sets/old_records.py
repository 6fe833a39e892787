"""Decisions on change sets as they were kept before they were intents, made into those.

Such a record says all that is to be done, with the texts of the notes before it, and how far it
came is read from the notes: what waits was not decided, or is undone again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from commonplace.core import critic
from commonplace.core.text.edits import Edit
from commonplace.errors import CommonplaceError
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import INTENT as INTENT, Intent, Intents, Json
from commonplace.vault.log.log import Log, Record
from commonplace.vault.sets.decision import SetDecision, in_order
from commonplace.vault.sets.steps import DECIDE, UNDO, Steps
from commonplace.vault.suggestions.ledger import Decision, credit_of
from commonplace.vault.suggestions.note_decision import NoteDecision

OLD = "set-decision"

Row = Mapping[str, Any]


class OldRecords:
    """Converts them, once."""

    def __init__(self, log: Log, intents: Intents, steps: Steps, notes: LiveNotes) -> None:
        self._log = log
        self._intents = intents
        self._steps = steps
        self._notes = notes

    async def convert(self) -> None:
        """Make intents of what was cut short, and records of intents of what can be undone."""
        for key, value in sorted(
            (await self._log.records(OLD)).items(), key=lambda row: int(row[0])
        ):
            row: Row = json.loads(value)
            records = await self._converted(row)
            await self._log.put_records([*records, Record(OLD, key, None)])

    async def _converted(self, row: Row) -> list[Record]:
        names = ("id", "set", "verdict", "who", "reason", "time")
        one = SetDecision(*(row[name] for name in names), count=0)
        deeds = [_deed(one, note).packed() for note in row["notes"]]
        made: list[Json] = [*deeds, *row["writes"]]
        match row["progress"]:
            case "decided":
                return await self._steps.entered(one, made, new=False)
            case "deciding":
                common = {"verdict": one.verdict, "who": one.who, "reason": one.reason}
                steps: list[Json] = [{**_step(note), **common} for note in row["notes"]]
                steps += [{**write, **common} for write in row["writes"]]
                return await self._begun(DECIDE, one, steps, made, waits=False)
            case _:
                kept = await self._steps.entered(one, made, new=False)
                common = {"verdict": one.verdict, "who": one.who}
                back: list[Json] = [{**deed, **common} for deed in made]
                return [*kept, *await self._begun(UNDO, one, back, made, waits=True)]

    async def _begun(
        self, kind: str, one: SetDecision, steps: Sequence[Json], made: list[Json], *, waits: bool
    ) -> list[Record]:
        """Return the intent, once it is on record which of its notes are done."""
        found = in_order(steps) if kind == DECIDE else in_order(steps).back
        first, *others = found.steps
        intent = Intent.new(
            kind,
            "review:undo" if kind == UNDO else f"person:{one.who}",
            [{**first, "decision": asdict(one)}, *others],
            set=str(one.set),
            ordered=len(found.first),
            last=len(found.last),
        )
        by_document = {deed["document"]: deed for deed in made if "parked" not in deed}
        for at, step in enumerate(intent.steps):
            if "parked" not in step and await self._waits(step) is waits:
                await self._intents.note(intent, at, by_document[step["document"]])
        return [Record(INTENT, intent.id, intent.packed())]

    async def _waits(self, step: Row) -> bool:
        """Tell whether suggestions of a note wait: those of the step, or of the same calls."""
        ids = step.get("ids") or [row["id"] for row in step["decisions"]]
        try:
            path = await self._notes.ids.path_of(step["document"]) or step["path"]
            text = (await self._notes.edit(path, lambda _: [], "review")).text
        except CommonplaceError:
            return False
        return set(ids) <= {name for name, _, _ in critic.places(text)}


def _step(note: Row) -> dict[str, Any]:
    there = [each.id for each in critic.suggestions(note["before"])]
    made = [[credit["actor"], credit["time"]] for credit in note["credits"].values()]
    others = [id for id in there if id not in note["ids"]]
    words = {} if note["words"] is None else {"text": note["words"], "end": "modified"}
    names = ("document", "path", "ids")
    return {**{name: note[name] for name in names}, "others": others, "made": made, **words}


def _deed(one: SetDecision, note: Row) -> NoteDecision:
    """Return what the decision made of a note, worked out from the text before it."""
    before, ids = str(note["before"]), cast("list[str]", note["ids"])
    whose = {id: credit_of(credit) for id, credit in note["credits"].items()}
    if note["words"] is None:
        changes = (critic.accept if one.verdict == "accept" else critic.reject)(before, ids)
    else:
        places = [(start, end) for name, start, end in critic.places(before) if name in ids]
        changes = [Edit(start, end, note["words"]) for start, end in places]
    rows = tuple(
        Decision(
            time=one.time,
            who=one.who,
            decision=one.verdict if note["words"] is None else "modified",
            document=note["document"],
            path=note["path"],
            id=each.id,
            old=each.old,
            new=each.new,
            author=credit.names if credit else each.author,
            actor=credit.actor if credit else None,
            reason=one.reason,
            actors=credit.actors if credit else (),
            made=credit.time if credit else None,
        )
        for each in critic.suggestions(before)
        if each.id in ids
        for credit in [whose.get(each.id)]
    )
    return NoteDecision(note["document"], note["path"], before, tuple(changes), whose, rows)
