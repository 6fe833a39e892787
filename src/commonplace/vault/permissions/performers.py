"""How each kind of write is made: taught once, then done, put on record and told to listeners."""

import time
from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from commonplace.errors import CommonplaceError
from commonplace.vault.permissions.audit import Audit
from commonplace.vault.permissions.requests import Asker, Json, Wish, WriteStatus

WriteState = Literal["waits", "done", "approved", "denied", "failed", "withdrawn"]


class Perform(Protocol):
    """Makes a kind of change."""

    async def __call__(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        """Make it, and return JSON."""
        ...


class Performers:
    """Those who make changes, by kind."""

    def __init__(self, audit: Audit, clock: Callable[[], float] = time.time) -> None:
        self._audit = audit
        self._clock = clock
        self._taught: dict[str, tuple[Perform, bool]] = {}
        self._listeners: list[Callable[[WriteStatus], Awaitable[None]]] = []

    def teach(self, kind: str, perform: Perform, *, suggests: bool = True) -> None:
        """Say how a kind of change is made."""
        self._taught[kind] = (perform, suggests)

    def follow(self, listener: Callable[[WriteStatus], Awaitable[None]]) -> None:
        """Hear what becomes of each write that is asked for."""
        self._listeners.append(listener)

    def knows(self, kind: str) -> bool:
        """Tell whether a kind of change can be made here."""
        return kind in self._taught

    def suggests(self, kind: str) -> bool:
        """Tell whether a kind of change can be made as a suggestion."""
        return self._taught[kind][1]

    async def do_at_once(self, wish: Wish, asker: Asker, answer: str, by: str) -> Json:
        """Do what nobody has to be asked about any more; suggestions are on record elsewhere."""
        result = await self.do(wish, asker, answer, by)
        if result.get("status") != "suggested":
            await self.tell("done", wish, asker)
        return result

    async def do(self, wish: Wish, asker: Asker, answer: str, by: str) -> Json:
        """Do what was asked for; `answer` is what was said to it, and `by` whom."""
        perform, _ = self._taught[wish.kind]
        asked = answer in ("once", "session", "always")
        change = {**wish.change, "shown": wish.diff} if asked else wish.change
        try:
            result = await perform(change, asker, suggest=answer == "suggest")
        except CommonplaceError as error:
            await self.record(wish, asker, answer, by, f"failed: {error}")
            raise
        await self.record(wish, asker, answer, by, "done")
        return result

    async def tell(
        self,
        state: WriteState,
        wish: Wish,
        asker: Asker,
        number: int | None = None,
        reason: str = "",
    ) -> None:
        """Tell listeners what became of a write."""
        now, path = self._clock(), wish.path
        event = WriteStatus(state, wish.operation, path, asker.id, asker.name, now, number, reason)
        for listener in self._listeners:
            await listener(event)

    async def record(self, wish: Wish, asker: Asker, answer: str, by: str, outcome: str) -> None:
        """Put on record what was answered to a wish, by whom, and what came of it."""
        await self._audit.write(
            asker.name, wish.operation, wish.path, answer=answer, by=by, outcome=outcome
        )
