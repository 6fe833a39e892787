"""Changes of many notes that are made whole or not at all, whatever stops them.

An intent is committed to the log first. Each step is then carried out; that it is done, and how to
take it back, is saved in the same transaction as the edit itself, so after a crash it is known
exactly which steps were made. An intent that was begun is finished at the next start. If a step
cannot be made, as its text has changed, the intent turns: what was made is taken back, step by
step, and after a crash in the middle of that the rest of it is.
"""

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

import anyio

from commonplace.errors import CommonplaceError, Conflict, NotFound, Unavailable
from commonplace.vault.documents.changes import Edited
from commonplace.vault.log.log import Log, Record

TOGETHER_MAX = 32
ALL = 2**31
INTENT = "intent"
STEP = "intent-step"

_logger = logging.getLogger(__name__)

Json = Mapping[str, object]
Records = Callable[[Edited], Sequence[Record]]


@dataclass(frozen=True, slots=True)
class Intent:
    """What somebody decided to do to several notes.

    A step is plain JSON that its kind understands: the note, what to do, what is expected there.
    The first `ordered` steps are carried out one after the other, then others together, then the
    `last` ones one after the other. `back` once it is being taken back.
    """

    id: str
    kind: str
    actor: str
    time: float
    steps: tuple[Json, ...]
    set: str = ""
    back: bool = False
    ordered: int = ALL
    last: int = 0

    @classmethod
    def new(
        cls,
        kind: str,
        actor: str,
        steps: Sequence[Json],
        *,
        set: str = "",  # noqa: A002 (the domain's word)
        ordered: int = ALL,
        last: int = 0,
    ) -> "Intent":
        """Make an intent that is not begun."""
        id = uuid.uuid4().hex
        return cls(id, kind, actor, time.time(), tuple(steps), set, ordered=ordered, last=last)

    def packed(self) -> str:
        """Return it as text."""
        # Not by `asdict`, which copies all steps.
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return json.dumps(plain, ensure_ascii=False)

    @classmethod
    def unpacked(cls, text: str) -> "Intent":
        """Return what was packed."""
        kept = json.loads(text)
        steps = tuple(kept.pop("steps"))
        known = {each.name for each in fields(cls)}  # one of a newer program may say more
        return cls(**{name: kept[name] for name in kept if name in known}, steps=steps)


class Carrier(Protocol):
    """Knows how to carry out the intents of a kind."""

    async def carry_out(self, intent: Intent, step: int) -> None:
        """Make one step, saving `Intents.done` with it; `Conflict` if it cannot be made."""
        ...

    async def take_back(self, intent: Intent, step: int, done: Json) -> None:
        """Take one step back, given what was saved with it; save `Intents.back` with that."""
        ...

    async def close(self, intent: Intent, done: Mapping[int, Json]) -> Sequence[Record]:
        """Return what to remember in the same transaction that closes a whole intent."""
        ...


class Intents:
    """Begins, finishes and takes back changes of many notes."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._carriers: dict[str, Carrier] = {}
        self._late: set[str] = set()
        self._running: set[str] = set()
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def is_idle(self) -> bool:
        """Whether none is carried out now: the edits of one are ahead of what it puts on record."""
        return self._idle.is_set()

    async def until_idle(self) -> None:
        """Wait until none is carried out; not for somebody whom an intent waits for."""
        await self._idle.wait()

    def register(self, kind: str, carrier: Carrier, *, late: bool = False) -> None:
        """Say who carries out intents of a kind; `late`, if that takes an index that is current."""
        self._carriers[kind] = carrier
        if late:
            self._late.add(kind)

    def done(self, intent: Intent, step: int, value: Callable[[Edited], Json]) -> Records:
        """Return what to save with the edit of a step, so that it is known to be done."""

        def records(edited: Edited) -> Sequence[Record]:
            packed = json.dumps(value(edited), ensure_ascii=False)
            return (Record(STEP, _key(intent, step), packed),)

        return records

    def back(self, intent: Intent, step: int) -> Records:
        """Return what to save with the edit that takes a step back."""
        return lambda _: (Record(STEP, _key(intent, step), None),)

    async def note(self, intent: Intent, step: int, value: Json) -> None:
        """Save that a step that is no edit is done; it must be safe to make twice."""
        packed = json.dumps(value, ensure_ascii=False)
        await self._log.put_records([Record(STEP, _key(intent, step), packed)])

    async def run(self, intent: Intent, recorded: asyncio.Event | None = None) -> dict[int, Json]:
        """Carry out an intent from its record to its end, whether or not the caller still waits.

        Return what was saved with each step; `recorded` is set once the intent is on record.

        Raises:
            Conflict: a step could not be made, and nothing is changed.
            NotFound: the same.

        """
        made: list[dict[int, Json]] = []
        self._running.add(intent.id)
        try:
            with anyio.CancelScope(shield=True):
                await self._log.put_records([Record(INTENT, intent.id, intent.packed())])
                if recorded is not None:
                    recorded.set()
                made.append(await self._finish(intent))
        finally:
            self._running.discard(intent.id)
        return made[0]

    def resumes(self, intent: Intent) -> bool:
        """Tell whether an intent goes on that a crash cut short: a step may have been made."""
        return intent.id not in self._running

    async def recover(self, *, late: bool = False) -> None:
        """Finish what a crash cut short, or take it back; one that fails now waits for later.

        With `late`, those of the kinds that were registered so, and no others.
        """
        for text in (await self._log.records(INTENT)).values():
            intent = Intent.unpacked(text)
            if (intent.kind in self._late) != late or intent.id in self._running:
                continue
            try:
                await self._finish(intent)
            except (Conflict, NotFound) as error:
                _logger.warning("A change that a crash cut short was taken back: %s", error)
            except (CommonplaceError, OSError) as error:  # nothing here keeps a vault closed
                _logger.warning("A change could not be finished; it is tried again: %s", error)

    async def open(self) -> list[Intent]:
        """List the intents that are neither finished nor taken back."""
        return [Intent.unpacked(text) for text in (await self._log.records(INTENT)).values()]

    async def _finish(self, intent: Intent) -> dict[int, Json]:
        self._under_way += 1
        self._idle.clear()
        try:
            return await self._complete_or_turn(intent)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    async def _complete_or_turn(self, intent: Intent) -> dict[int, Json]:
        carrier = self._carriers.get(intent.kind)
        if carrier is None:
            raise Unavailable(
                f"This version cannot carry out a change of kind {intent.kind!r}. Update it."
            )
        if not intent.back:
            try:
                return await self._complete(intent, carrier)
            except CommonplaceError:
                await self._turn(intent, carrier)
                raise
        await self._turn(intent, carrier)
        return {}

    async def _complete(self, intent: Intent, carrier: Carrier) -> dict[int, Json]:
        made = await self._made(intent)
        left = [step for step in range(len(intent.steps)) if step not in made]
        end = max(intent.ordered, len(intent.steps) - intent.last)
        for step in (step for step in left if step < intent.ordered):
            await carrier.carry_out(intent, step)
        rest = [step for step in left if intent.ordered <= step < end]
        for at in range(0, len(rest), TOGETHER_MAX):
            some = [carrier.carry_out(intent, step) for step in rest[at : at + TOGETHER_MAX]]
            for failed in await asyncio.gather(*some, return_exceptions=True):
                if failed is not None:
                    raise failed
        for step in (step for step in left if step >= end):
            await carrier.carry_out(intent, step)
        made = await self._made(intent)
        try:
            await self._close(intent, made, await carrier.close(intent, made))
        except Unavailable as error:  # all is done; it is put on record at the next start
            _logger.warning("What was done to several notes will be put on record later. %s", error)
        return made

    async def _turn(self, intent: Intent, carrier: Carrier) -> None:
        """Take back what was made of an intent."""
        await self._log.put_records(
            [Record(INTENT, intent.id, replace(intent, back=True).packed())]
        )
        made = await self._made(intent)
        for step in sorted(made, reverse=True):
            try:
                await carrier.take_back(intent, step, made[step])
            except (Conflict, NotFound) as error:
                _logger.warning("A step of a change cannot be taken back any more: %s", error)
        await self._close(intent, made, ())

    async def _close(
        self, intent: Intent, made: Mapping[int, Json], more: Sequence[Record]
    ) -> None:
        gone = [Record(STEP, _key(intent, step), None) for step in made]
        await self._log.put_records([Record(INTENT, intent.id, None), *gone, *more])

    async def _made(self, intent: Intent) -> dict[int, Json]:
        found = await self._log.records_of(STEP, f"{intent.id} ")
        return {int(key.partition(" ")[2]): json.loads(value) for key, value in found.items()}


def _key(intent: Intent, step: int) -> str:
    return f"{intent.id} {step}"
