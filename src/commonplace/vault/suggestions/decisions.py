"""Decisions over many notes, and their undoing, carried out whole or not at all.

A decision is an intent: it is on record before the first note is changed, and whether a note was
decided is saved with its edit. So a crash leaves no decision half done, and how to take one back
outlives the process. See `vault.history.intents`.
"""

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, cast

from commonplace.core import critic
from commonplace.core.critic import Undecidable
from commonplace.core.text import edits
from commonplace.core.text.edits import Edit
from commonplace.errors import Conflict, NotFound
from commonplace.vault.documents.changes import Edited, Plan, Purpose
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Intent, Intents, Json
from commonplace.vault.log.log import Log, Record
from commonplace.vault.suggestions.ledger import Credit, Decision, Ledger
from commonplace.vault.suggestions.note_decision import NoteDecision

DECISION, _UNDO = "decision", "undo-decision"
_UNDO_MAX = 200
UNDO_BYTES_MAX = 32 * 1024 * 1024
DECIDED = "undo"
_ANCHOR = 40


class RejectedNotes(Protocol):
    """Where a note goes that an assistant suggested to create, and a person rejected."""

    async def put(self, path: str, who: str) -> str:
        """Move a note away; returns where it lies now."""
        ...

    async def newest(self, path: str) -> str | None:
        """Return where the note lies that went last from a path."""
        ...

    async def restore(self, trash: str) -> str:
        """Bring it back."""
        ...


class Decisions:
    """Carries out decisions, and takes them back."""

    def __init__(
        self,
        notes: LiveNotes,
        ledger: Ledger,
        log: Log,
        intents: Intents,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._notes = notes
        self._ledger = ledger
        self._log = log
        self._intents = intents
        self._clock = clock
        self._sizes: dict[str, int] | None = None
        self._rejected: RejectedNotes | None = None
        intents.register(DECISION, self)
        intents.register(_UNDO, self)

    def teach(self, rejected: RejectedNotes) -> None:
        """Say where rejected notes go."""
        self._rejected = rejected

    async def decide(self, steps: Sequence[Json], who: str) -> tuple[str, list[Decision]]:
        """Decide in several notes; returns what takes it back, and the ledger's rows."""
        intent = Intent.new(DECISION, f"person:{who}", steps, ordered=0)
        made = await self._intents.run(intent)
        return intent.id, [
            one for step in sorted(made) for one in NoteDecision.unpacked(made[step]).decisions
        ]

    async def undo(self, token: str) -> list[str]:
        """Take a decision back, in all its notes; `Conflict` where the text has changed since.

        Return the paths of the notes.
        """
        kept = await self._log.record(DECIDED, token)
        if kept is None:
            raise NotFound("There is no such decision to undo, or it was undone already.")
        steps = [{"deed": deed, "token": token} for deed in json.loads(kept)["deeds"]]
        await self._intents.run(Intent.new(_UNDO, "review:undo", steps, ordered=0))
        return [NoteDecision.unpacked(cast("Json", step["deed"])).path for step in steps]

    # -- the steps of intents

    async def carry_out(self, intent: Intent, step: int) -> None:
        """Decide in one note, or take that back."""
        what = cast("Any", intent.steps[step])
        if intent.kind == _UNDO:
            await self.undo_note(intent, step, NoteDecision.unpacked(what["deed"]))
        else:
            await self.decide_note(intent, step, what)

    async def take_back(self, intent: Intent, step: int, done: Json) -> None:
        """Take back what was done in one note."""

        def records(_: Callable[[Edited], Json]) -> Callable[[Edited], Sequence[Record]]:
            return self._intents.back(intent, step)

        await self._reverse(intent, NoteDecision.unpacked(done), records)

    async def undo_note(self, intent: Intent, step: int, deed: NoteDecision) -> None:
        """Make a note as it was before a decision, as a step of an intent."""
        await self._reverse(intent, deed, partial(self._intents.done, intent, step))

    async def close(self, intent: Intent, done: Mapping[int, Json]) -> Sequence[Record]:
        """Put a decision on record, and how to take it back."""
        if intent.kind == _UNDO:
            token = str(intent.steps[0]["token"])
            (self._sizes or {}).pop(token, None)
            deeds = [NoteDecision.unpacked(cast("Json", step["deed"])) for step in intent.steps]
            return [*await self.enter_undone(deeds), Record(DECIDED, token, None)]
        entered = await self.enter([NoteDecision.unpacked(done[step]) for step in sorted(done)])
        kept = json.dumps({"time": intent.time, "deeds": [done[step] for step in sorted(done)]})
        rest = await self._make_room(intent.id, len(kept))
        return [*entered, Record(DECIDED, intent.id, kept), *rest]

    async def enter(self, deeds: Sequence[NoteDecision]) -> list[Record]:
        """Remember what deeds decided; return what is to be saved of that when an intent closes."""
        for deed in deeds:
            await self._move_away(deed)
        return await self._ledger.enter([one for deed in deeds for one in deed.decisions])

    async def enter_undone(self, deeds: Sequence[NoteDecision]) -> list[Record]:
        """Remember that what deeds decided waits again; return what is to be saved of that."""
        now, given = self._clock(), [one for deed in deeds for one in deed.decisions]
        undone = [replace(one, decision="undone", time=now, reason="") for one in given]
        return await self._ledger.enter(undone)

    async def _make_room(self, token: str, size: int) -> list[Record]:
        """Forget how to take back the oldest decisions, when there are too many."""
        if self._sizes is None:
            kept = (await self._log.records(DECIDED)).items()
            by_time = sorted(kept, key=lambda pair: json.loads(pair[1])["time"])
            self._sizes = {key: len(value) for key, value in by_time}
        self._sizes[token] = size
        gone: list[Record] = []
        while len(self._sizes) > 1 and (
            len(self._sizes) > _UNDO_MAX or sum(self._sizes.values()) > UNDO_BYTES_MAX
        ):
            oldest = next(iter(self._sizes))
            del self._sizes[oldest]
            gone.append(Record(DECIDED, oldest, None))
        return gone

    # -- one note

    async def decide_note(self, intent: Intent, step: int, what: Mapping[str, Any]) -> None:
        """Decide in one note, as a step of an intent; what is saved with it is a `NoteDecision`.

        `what` names `path`, `ids`, `verdict`, `who` and `reason`; with `text`, the one suggestion
        is accepted in these words, and `end` says so.

        Raises:
            Conflict: one is gone, or deciding these alone would change another.

        """
        path, ids = str(what["path"]), cast("list[str]", what["ids"])
        document = await self._notes.ids.id_of(path)
        await self._ledger.load()
        found = {id: credit for id in ids if (credit := self._ledger.credit(document, id))}

        def value(edited: Edited) -> Json:
            rows = tuple(self._rows(edited.before, document, found, what))
            return NoteDecision(
                document, path, edited.before, tuple(edited.edits), found, rows
            ).packed()

        if await self._goes_away(found, what):
            same = await self._notes.edit(path, _no_change, intent.actor)
            await self._intents.note(intent, step, {**value(same), "removed": True})
            return
        purpose = Purpose(what["verdict"], intent.set, self._intents.done(intent, step, value))
        try:
            edited = await self._notes.edit(path, _plan(what), intent.actor, purpose)
        except Undecidable as error:
            raise Conflict(f"{path}: {error}") from error
        await self._ledger.credit_to(document, {}, _carried(edited))

    async def _goes_away(self, whose: Mapping[str, Credit], what: Mapping[str, Any]) -> bool:
        """Tell whether a note is there for the rejected suggestions alone."""
        made = any(credit.created for credit in whose.values())
        if self._rejected is None or what["verdict"] != "reject" or not made:
            return False
        text = (await self._notes.edit(what["path"], _no_change, "review")).text
        waiting = {each.id for each in critic.suggestions(text)}
        return not critic.base(text) and waiting == set(what["ids"])

    async def _move_away(self, deed: NoteDecision) -> None:
        """Move a rejected note to the trash, unless it went there before a crash."""
        if deed.removed and self._rejected is not None and self._notes.exists(deed.path):
            await self._rejected.put(deed.path, deed.decisions[0].who)

    async def _bring_back(self, deed: NoteDecision) -> None:
        """Take a rejected note out of the trash, unless it is back."""
        if self._rejected is None or self._notes.exists(deed.path):
            return
        trash = await self._rejected.newest(deed.path)
        if trash is None:
            raise Conflict(f"{deed.path} is no longer in the trash; it cannot be taken back.")
        await self._rejected.restore(trash)

    def _rows(
        self, before: str, document: str, whose: Mapping[str, Credit], what: Mapping[str, Any]
    ) -> list[Decision]:
        """Return the rows of the ledger for one note."""
        now = self._clock()
        return [
            Decision(
                time=now,
                who=what["who"],
                decision=what.get("end", what["verdict"]),
                document=document,
                path=what["path"],
                id=each.id,
                old=each.old,
                new=each.new,
                author=each.author,
                actor=None,
                reason=what["reason"],
            ).of(whose.get(each.id))
            for each in critic.suggestions(before)
            if each.id in what["ids"]
        ]

    async def _reverse(
        self,
        intent: Intent,
        deed: NoteDecision,
        records: Callable[[Callable[[Edited], Json]], Callable[[Edited], Sequence[Record]]],
    ) -> None:
        """Make a note as it was before a decision."""
        if deed.removed:
            await self._bring_back(deed)
            same = await self._notes.edit(deed.path, _no_change, "review:undo")
            await self._log.put_records(records(lambda _: deed.packed())(same))
            return
        path = await self._notes.ids.path_of(deed.document) or deed.path

        def value(edited: Edited) -> Json:
            return replace(
                deed, before=edited.before, changes=tuple(edited.edits), decisions=()
            ).packed()

        plan = partial(rebased, expected=deed.after, changes=edits.diff(deed.after, deed.before))
        purpose = Purpose("undo", intent.set, records(value))
        edited = await self._notes.edit(path, plan, "review:undo", purpose)
        await self._ledger.credit_to(deed.document, deed.credits, _carried(edited))


def _no_change(_: str) -> list[Edit]:
    return []


def _plan(what: Mapping[str, Any]) -> Plan:
    """Return how to decide in one note."""
    ids = cast("Collection[str]", what["ids"])
    if "text" not in what:
        return partial(critic.accept if what["verdict"] == "accept" else critic.reject, ids=ids)

    def accept_as(marked: str) -> list[Edit]:
        for name, start, end in critic.places(marked):
            if name in ids:
                return [Edit(start, end, what["text"])]
        raise Conflict(f"{what['path']}: the suggestion is gone or has changed. Look again.")

    return accept_as


def _carried(edited: Edited) -> dict[str, str]:
    return critic.carried(edited.before, edited.text, edited.edits)


def rebased(text: str, expected: str, changes: list[Edit]) -> list[Edit]:
    """Make changes that were meant for one text in another, where their places still stand."""
    if text == expected:
        return changes
    moved = edits.diff(expected, text)
    rebased: list[Edit] = []
    for change in changes:
        low, high = max(0, change.start - _ANCHOR), min(len(expected), change.end + _ANCHOR)
        if any(edit.start < high and edit.end > low for edit in moved if edit.end > edit.start):
            raise Conflict("The text has changed since; it cannot be taken back.")
        start = edits.shift(change.start, moved, after=True)
        end = start + change.end - change.start
        if text[start:end] != expected[change.start : change.end]:
            raise Conflict("The text has changed since; it cannot be taken back.")
        rebased.append(Edit(start, end, change.text))
    return rebased
