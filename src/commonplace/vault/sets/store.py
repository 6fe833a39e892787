"""Where change sets are kept: as records of the log, mirrored in memory.

Each write is a record of its own, so that a write costs the same however large its set has grown.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.sets.change_set import ChangeSet, Write

WRITES_MAX = 50_000

_SET = "set"
_WRITE = "set-write"
_NEXT = "set-next"


class SetStore:
    """Sets by number, and their writes."""

    def __init__(self, kept: Afterwards) -> None:
        self._kept = kept
        self._loaded = False
        self.sets: dict[int, ChangeSet] = {}
        self.writes: dict[int, Write] = {}
        self._of_set: dict[int, list[int]] = {}
        self._of_key: dict[str, set[int]] = {}
        self._at: dict[tuple[str, str, float], int] = {}
        self._parked: dict[int, int] = {}
        self._next_set = self._next_write = 1

    async def load(self) -> None:
        """Read what is kept, once."""
        if self._loaded:
            return
        kept, writes, numbers = await asyncio.gather(
            *(self._kept.records(kind) for kind in (_SET, _WRITE, _NEXT))
        )
        if self._loaded:
            return
        self._loaded = True
        self.sets = {one.number: one for one in (ChangeSet(**json.loads(v)) for v in kept.values())}
        for one in self.sets.values():
            self._of_key.setdefault(one.key, set()).add(one.number)
        for value in sorted((Write(**json.loads(v)) for v in writes.values()), key=lambda w: w.id):
            self._take(value)
        self._next_set = int(numbers.get("set", "1"))
        self._next_write = max(self.writes, default=0) + 1

    def of_set(self, number: int) -> list[Write]:
        """Return the writes of a set, in the order in which they were made."""
        return [self.writes[id] for id in self._of_set.get(number, ())]

    def of_assistant(self, key: str) -> list[ChangeSet]:
        """Return the sets of an assistant."""
        return [self.sets[number] for number in self._of_key.get(key, ())]

    def last(self, number: int) -> float:
        """Return when a set was last written to; when it began, if it never was."""
        ids = self._of_set.get(number)
        return self.writes[ids[-1]].time if ids else self.sets[number].began

    def at(self, document: str, actor: str, time: float) -> Write | None:
        """Find the write that suggestions belong to."""
        id = self._at.get((document, actor, time))
        return None if id is None else self.writes[id]

    def parked(self, number: int) -> Write | None:
        """Find the write that waits in the queue under a number."""
        id = self._parked.get(number)
        return None if id is None else self.writes[id]

    async def begin(self, one: ChangeSet) -> ChangeSet:
        """Add a set, under a number of its own that is never given again."""
        numbered = replace(one, number=self._next_set)
        self._next_set += 1
        await asyncio.gather(
            self._kept.put(_NEXT, "set", str(self._next_set)), self.change(numbered)
        )
        return numbered

    async def change(self, one: ChangeSet) -> None:
        """Keep a set as it is now."""
        self.sets[one.number] = one
        self._of_key.setdefault(one.key, set()).add(one.number)
        await self._kept.put(_SET, str(one.number), json.dumps(asdict(one), ensure_ascii=False))

    async def add(self, write: Write) -> Write:
        """Add a write to its set."""
        numbered = replace(write, id=self._next_write)
        self._next_write += 1
        self._take(numbered)
        await self._put([numbered])
        await self._forget_oldest()
        return numbered

    async def put(self, writes: Sequence[Write]) -> None:
        """Keep writes as they are now, in another set perhaps; a set without any is dropped."""
        left = {self.writes[each.id].set for each in writes}
        for write in writes:
            self._of_set[self.writes[write.id].set].remove(write.id)
            self._take(write)
        for number in {each.set for each in writes}:
            self._of_set[number].sort()
        empty = [number for number in left if not self._of_set.get(number)]
        await asyncio.gather(self._put(writes), *(self.drop(number) for number in empty))

    def _take(self, write: Write) -> None:
        self.writes[write.id] = write
        self._of_set.setdefault(write.set, []).append(write.id)
        self._at[write.place] = write.id
        if write.parked is not None:
            self._parked[write.parked] = write.id

    async def _put(self, writes: Iterable[Write]) -> None:
        await asyncio.gather(
            *(
                self._kept.put(_WRITE, str(each.id), json.dumps(asdict(each), ensure_ascii=False))
                for each in writes
            )
        )

    async def drop(self, number: int) -> None:
        """Let go of a set and of what it refers to."""
        if (one := self.sets.pop(number, None)) is not None:
            self._of_key[one.key].discard(number)
        gone = [self.writes.pop(id) for id in self._of_set.pop(number, [])]
        for write in gone:
            self._at.pop(write.place, None)
            if write.parked is not None:
                self._parked.pop(write.parked, None)
        await asyncio.gather(
            self._kept.put(_SET, str(number), None),
            *(self._kept.put(_WRITE, str(each.id), None) for each in gone),
        )

    async def _forget_oldest(self) -> None:
        """Drop whole sets, the oldest first; what waits of them is then in no set."""
        while len(self.writes) > WRITES_MAX and len(self.sets) > 1:
            await self.drop(min(self.sets))
