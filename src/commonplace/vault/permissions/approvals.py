"""The queue of writes that wait for a person, for clients that cannot ask one themselves.

A parked write is data, not code: the kind of the change and what its performer is given. So it
outlives the process, and whoever approves it, from the page or the command line, has it done. What
came of it is kept until the assistant calls again with the same arguments, and given to it once.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, Self, cast

from commonplace.errors import Conflict, Forbidden, NotFound, Unavailable
from commonplace.vault.log.log import Log
from commonplace.vault.permissions.requests import Asker, Operation, Wish

WAITING_SECONDS_MAX = 24 * 3600.0
WAITING_MAX = 200
WAITING_CHARS_MAX = 100_000_000

ParkedState = Literal["waiting", "approved", "denied", "failed"]

_KIND = "approval"
_NEXT = "approval-next"


@dataclass(frozen=True, slots=True)
class Parked:
    """A write that waits, or was decided and whose result was not fetched yet.

    `key` tells whether a call repeats the one that was parked. `change` is what the performer of
    this `kind` is given. `actor` and `who` are the assistant's id and name.
    """

    id: int
    key: str
    operation: str
    path: str
    kind: str
    change: Mapping[str, object]
    actor: str
    who: str
    time: float
    summary: str
    diff: str = ""
    state: ParkedState = "waiting"
    result: Mapping[str, object] | None = None
    error: str = ""

    @classmethod
    def of(cls, wish: Wish, asker: Asker, key: str, time: float) -> Self:
        """Return a wish as a write that is to wait; its number comes with the queue."""
        return cls(
            id=0,
            key=key,
            operation=wish.operation,
            path=wish.path,
            kind=wish.kind,
            change=wish.change,
            actor=asker.id,
            who=asker.name,
            time=time,
            summary=wish.summary,
            diff=wish.diff,
        )

    @property
    def wish(self) -> Wish:
        """What was wished for."""
        operation = cast("Operation", self.operation)
        return Wish(operation, self.path, self.kind, self.change, self.summary, self.diff)

    @property
    def asker(self) -> Asker:
        """Who wished for it."""
        return Asker(self.actor, self.who)


class Waiting(Forbidden):
    """A call's writes wait for a person; the message is for the assistant."""

    def __init__(self, *writes: Parked) -> None:
        several = len(writes) > 1
        what = " and ".join(f"this {one.operation}" for one in writes)
        numbers = " and ".join(str(one.id) for one in writes)
        super().__init__(
            f"Nothing was changed yet: {what} {'need' if several else 'needs'} a person's approval."
            f" {'They wait as numbers' if several else 'It waits as number'} {numbers}. Ask the"
            f" person to decide {'them' if several else 'it'} on the page, under Approvals; then"
            " call this tool again with the same arguments to get the result."
        )
        self.writes = writes


class Approvals:
    """Parked writes, in the log and mirrored in memory; `listeners` hear how many wait."""

    def __init__(self, log: Log, clock: Callable[[], float] = time.time) -> None:
        self._log = log
        self._clock = clock
        self._parked: dict[int, Parked] | None = None
        self._next = 1
        self.listeners: list[Callable[[int], None]] = []

    async def waiting(self) -> list[Parked]:
        """List what waits for a person, oldest first."""
        return [one for one in (await self._all()).values() if one.state == "waiting"]

    async def find(self, key: str) -> Parked | None:
        """Find the write that a call with this key asks for again."""
        return next((one for one in (await self._all()).values() if one.key == key), None)

    async def at(self, id: int) -> Parked | None:
        """Return a write by its number, whether it waits or was decided."""
        return (await self._all()).get(id)

    async def get(self, id: int) -> Parked:
        """Return a write that waits.

        Raises:
            NotFound: there is none of that number.
            Conflict: it was decided already.

        """
        one = (await self._all()).get(id)
        if one is None:
            raise NotFound(f"No write with the number {id} is waiting. It may have expired.")
        if one.state != "waiting":
            raise Conflict(f"The write of number {id} was decided already: {one.state}.")
        return one

    async def park(self, one: Parked) -> Parked:
        """Put a write into the queue, under a number of its own."""
        parked = await self._all()
        waiting = [other for other in parked.values() if other.state == "waiting"]
        size = sum(_size(other) for other in [*waiting, one])
        if len(waiting) >= WAITING_MAX or size > WAITING_CHARS_MAX:
            raise Unavailable(
                f"{len(waiting)} writes wait for a person's approval already; no more can be"
                " added. Ask the person to decide them on the page, under Approvals."
            )
        numbered = replace(one, id=self._next)
        self._next += 1
        await self._log.put_record(_NEXT, "next", str(self._next))
        await self._keep(numbered)
        return numbered

    async def decided(
        self,
        one: Parked,
        state: ParkedState,
        result: Mapping[str, object] | None = None,
        error: str = "",
    ) -> None:
        """Remember what became of a write, for the assistant to fetch."""
        await self._keep(replace(one, state=state, result=result, error=error, change={}, diff=""))

    async def show(self, one: Parked, diff: str) -> None:
        """Let a write wait on, with what it would change now."""
        await self._keep(replace(one, diff=diff))

    async def put_back(self, one: Parked) -> None:
        """Let a write wait again that was decided; its time begins anew."""
        await self._keep(replace(one, time=self._clock()))

    async def forget(self, id: int) -> None:
        """Let go of a write: its result was fetched, or it was decided in another way."""
        if (await self._all()).pop(id, None) is not None:
            await self._log.put_record(_KIND, str(id), None)
            await self._tell()

    async def _keep(self, one: Parked) -> None:
        (await self._all())[one.id] = one
        await self._log.put_record(_KIND, str(one.id), json.dumps(asdict(one)))
        await self._tell()

    async def _tell(self) -> None:
        count = len(await self.waiting())
        for listener in list(self.listeners):
            listener(count)

    async def _all(self) -> dict[int, Parked]:
        """Return all writes that have not expired."""
        if self._parked is None:
            kept = await self._log.records(_KIND)
            loaded = {int(id): Parked(**json.loads(value)) for id, value in kept.items()}
            self._next = int(await self._log.record(_NEXT, "next") or 1)
            self._parked = dict(sorted(loaded.items()))
        oldest = self._clock() - WAITING_SECONDS_MAX
        for id in [id for id, one in self._parked.items() if one.time < oldest]:
            del self._parked[id]
            await self._log.put_record(_KIND, str(id), None)
        return self._parked


def _size(one: Parked) -> int:
    return sum(len(value) for value in one.change.values() if isinstance(value, str))
