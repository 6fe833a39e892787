"""Change sets decided, by people: all that was asked or nothing, also after a crash, and undone.

The one who decides names what was seen. A decision is an intent: it is on record before the first
note is changed, and whatever ends the process, the next start goes on with it. So is its undoing.
Whoever does not want to wait for many notes is answered once it is on record (`decide_soon`).
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial

from commonplace.core import critic
from commonplace.core.critic import Undecidable
from commonplace.core.text import edits
from commonplace.errors import Conflict, NotFound
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Intent, Json
from commonplace.vault.sets.contents import SetReader
from commonplace.vault.sets.decision import Ordered, SetDecision, in_order
from commonplace.vault.sets.old_records import OldRecords
from commonplace.vault.sets.parked_writes import ParkedWrites, Texts, WriteStep
from commonplace.vault.sets.sets import Sets
from commonplace.vault.sets.steps import DECIDE, UNDO, Steps
from commonplace.vault.suggestions.decisions import rebased
from commonplace.vault.suggestions.ledger import Ledger
from commonplace.vault.suggestions.note_decision import NoteDecision
from commonplace.vault.suggestions.review import Verdict
from commonplace.vault.threads import aside_if_long
from commonplace.vault.undo.write_lock import WriteLock

logger = logging.getLogger(__name__)

# So long is waited for all of a decision; who asked is answered then, if it is on record.
PATIENCE_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Following:
    """What is yet to follow of the last decision on a set, in how many notes.

    `refused` says why it was taken back after it had been answered.
    """

    carried_out: bool
    notes: int
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of a set is decided: suggestions by note and id, parked writes by number.

    With `words`, the one suggestion is accepted as these.
    """

    changes: Mapping[str, Collection[str]]
    writes: Collection[int] = ()
    words: str | None = None


class SetDecisions:
    """Decides sets, one decision at a time."""

    def __init__(
        self,
        steps: Steps,
        old: OldRecords,
        sets: Sets,
        reader: SetReader,
        writes: ParkedWrites,
        ledger: Ledger,
        notes: LiveNotes,
        texts: Texts,
        write_lock: WriteLock,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._steps = steps
        self._old = old
        self._sets = sets
        self._write_lock = write_lock
        self._reader = reader
        self._writes = writes
        self._ledger = ledger
        self._notes = notes
        self._texts = texts
        self._clock = clock
        self._turn = asyncio.Lock()
        self._under_way: dict[asyncio.Task[SetDecision], int] = {}
        self._documents: dict[int, list[str]] = {}
        """The notes of the last decision on each set."""
        self._refused: dict[int, str] = {}

    async def decide_soon(
        self, number: int, verdict: Verdict, chosen: Chosen, who: str, reason: str = ""
    ) -> SetDecision:
        """Decide as `decide` does; answer once that is on record, if the notes take longer.

        The decision has no id then. `following` tells how it goes on.
        """
        recorded = asyncio.Event()
        task = asyncio.create_task(self.decide(number, verdict, chosen, who, reason, recorded))
        self._under_way[task] = number
        task.add_done_callback(self._under_way.pop)
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        if not task.done():
            on_record = asyncio.create_task(recorded.wait())
            await asyncio.wait({task, on_record}, return_when=asyncio.FIRST_COMPLETED)
            on_record.cancel()
        if task.done():
            return task.result()
        task.add_done_callback(partial(self._carried_out, number))
        count = sum(map(len, chosen.changes.values())) + len(chosen.writes)
        return SetDecision(0, number, verdict, who, reason, self._clock(), count)

    def _carried_out(self, number: int, task: "asyncio.Task[SetDecision]") -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.warning("A decision on set %d was taken back: %s", number, error)
            self._refused[number] = str(error)

    def following(self, number: int) -> Following:
        """Tell what is yet to be done of the last decision on a set, and in the files."""
        documents = self._documents.get(number, [])
        if number in self._under_way.values():
            return Following(carried_out=False, notes=len(documents))
        behind = sum(map(self._notes.queue.is_behind, documents))
        return Following(carried_out=True, notes=behind, refused=self._refused.get(number, ""))

    async def close(self) -> None:
        """Finish what was answered, and is yet to be carried out."""
        while self._under_way:
            await asyncio.wait(list(self._under_way))

    async def decide(
        self,
        number: int,
        verdict: Verdict,
        chosen: Chosen,
        who: str,
        reason: str = "",
        recorded: asyncio.Event | None = None,
    ) -> SetDecision:
        """Decide what was chosen of a set; `recorded` is set once that is sure to be done.

        Raises:
            Conflict: part of it was changed or decided meanwhile, or cannot be done. Nothing is
                decided then.

        """
        self._notes.refuse_read_only()
        async with self._turn:
            id = max(await self._steps.all(), default=0) + 1
            one = SetDecision(id, number, verdict, who, reason, self._clock(), 0)
            self._refused.pop(number, None)
            try:
                found = in_order(await self._planned(one, chosen))
                self._documents[number] = [str(step["document"]) for step in found.notes]
                await self._run(DECIDE, one, found, f"person:{who}", recorded)
            except (Conflict, NotFound) as error:
                raise Conflict(f"{error} Nothing was decided.") from error
            return (await self._steps.all())[id]

    async def undo(self, number: int, who: str, id: int | None = None) -> SetDecision:
        """Take back a decision on a set: the last one, or one that is named.

        Raises:
            NotFound: there is none that could be.
            Conflict: what it decided has been changed since. Nothing is undone then.

        """
        self._notes.refuse_read_only()
        async with self._held_back(number), self._turn:
            found = [one for one in await self.listed(number) if id in (None, one.id)]
            if not found:
                raise NotFound(
                    f"Set {number} has no such decision to undo, or it was undone already."
                )
            one = found[0]
            deeds = await self._steps.deeds(one)
            await self._check(one, deeds)
            common = {"verdict": one.verdict, "who": who}
            back = in_order([{**deed, **common} for deed in deeds]).back
            try:
                await self._run(UNDO, one, back, "review:undo")
            except (Conflict, NotFound) as error:
                raise Conflict(f"{error} Nothing was undone.") from error
            logger.info("%s undid a decision on set %d", who, number)
            return one

    @asynccontextmanager
    async def _held_back(self, number: int) -> AsyncGenerator[None]:
        """Let the assistant of a set wait with its writes, as any undo does; set 0 has none."""
        async with AsyncExitStack() as held:
            with suppress(NotFound):
                whose = (await self._sets.get(number)).who
                await held.enter_async_context(self._write_lock.hold(whose))
            yield

    async def listed(self, number: int | None = None) -> list[SetDecision]:
        """Return the decisions that can be undone, of one set or of all, the latest first."""
        kept = (await self._steps.all()).values()
        return sorted((one for one in kept if number in (None, one.set)), key=lambda one: -one.id)

    async def forget(self, passage: str, document: str) -> int:
        """Forget how to take decisions back that held a passage; return how many did."""
        async with self._turn:
            return await self._steps.forget(passage, document)

    async def recover(self) -> None:
        """Finish what a crash cut short."""
        async with self._turn:
            await self._old.convert()
            await self._steps.recover()

    async def _run(
        self,
        kind: str,
        one: SetDecision,
        found: Ordered,
        actor: str,
        recorded: asyncio.Event | None = None,
    ) -> None:
        first, *others = found.steps
        intent = Intent.new(
            kind,
            actor,
            [{**first, "decision": asdict(one)}, *others],
            set=str(one.set),
            ordered=len(found.first),
            last=len(found.last),
        )
        await self._steps.run(intent, recorded)

    # -- what is to be done

    async def _planned(self, one: SetDecision, chosen: Chosen) -> list[Json]:
        waiting = await self._reader.parked(one.set)
        if missing := [str(id) for id in chosen.writes if id not in waiting]:
            raise Conflict(f"These writes of set {one.set} are not waiting: {', '.join(missing)}.")
        common = {"verdict": one.verdict, "who": one.who, "reason": one.reason}
        if chosen.words is not None:
            common |= {"text": chosen.words, "end": "modified"}
        notes = [
            {**await self._note(path, list(ids), one), **common}
            for path, ids in chosen.changes.items()
            if ids
        ]
        writes = [
            {**(await self._writes.plan(waiting[id])).packed(), **common}
            for id in dict.fromkeys(chosen.writes)
        ]
        if not notes and not writes:
            raise NotFound("There is nothing to decide.")
        return [*notes, *writes]

    async def _note(self, path: str, ids: list[str], one: SetDecision) -> Json:
        """Plan the decision in one note, and try it on the text as it is."""
        document = await self._notes.ids.id_of(path)
        if any([await self._reader.set_of(document, id) != one.set for id in ids]):
            raise Conflict(f"{path}: a suggestion was changed or decided meanwhile.")
        text = await self._texts.marked(path)
        try:
            (critic.accept if one.verdict == "accept" else critic.reject)(text, ids)
        except Undecidable as error:
            raise Conflict(f"{path}: {error}") from error
        there = await aside_if_long(critic.places, text)
        made = [credit for id in ids if (credit := self._ledger.credit(document, id))]
        return {
            "document": document,
            "path": path,
            "ids": ids,
            "others": [name for name, _, _ in there if name not in ids],
            "made": [[credit.actor, credit.time] for credit in made],
        }

    async def _check(self, one: SetDecision, deeds: Collection[Json]) -> None:
        """Refuse to undo what has been changed since; the notes are named."""
        writes = [WriteStep.unpacked(deed) for deed in deeds if "parked" in deed]
        notes = [NoteDecision.unpacked(deed) for deed in deeds if "parked" not in deed]
        changed: list[str] = []
        gone = set[str]()
        before = dict[str, str]()  # what notes say without what was decided of their suggestions
        if one.verdict == "accept":
            # What the decision deleted comes back first, as it was; nobody could write there.
            gone = {step.parked.path for step in writes if step.parked.operation == "delete"}
        for deed in notes:
            path = await self._notes.ids.path_of(deed.document) or deed.path
            if deed.path in gone:
                continue
            try:
                before |= await self._without(deed, path)
            except (Conflict, NotFound):
                changed.append(path)
        if one.verdict == "accept":
            standing = partial(self._writes.stands, writes, before)
            asked = [
                one for one in writes if one.path not in gone or one.parked.operation == "delete"
            ]
            changed += [step.path for step in asked if not await standing(step)]
        if changed:
            raise Conflict(
                f"Changed since, so that it cannot be taken back: {', '.join(sorted(changed))}."
                " Nothing was undone."
            )

    async def _without(self, deed: NoteDecision, path: str) -> dict[str, str]:
        """Return what a note says once a decision is taken back; `Conflict` if it cannot be."""
        if deed.removed:
            if self._texts.exists(deed.path):
                raise Conflict(f"{deed.path} exists again.")
            return {}
        text = await self._texts.marked(path)
        back = edits.diff(deed.after, deed.before)
        return {path: edits.apply(text, rebased(text, deed.after, back))}
