"""The change sets of a vault: filled as assistants write, named by them, rearranged by people."""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from commonplace.errors import BadArgument, Conflict, NotFound
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.permissions.permissions import WriteStatus
from commonplace.vault.sets.change_set import (
    ChangeSet,
    Write,
    WriteOutcome,
    assistant_key,
    joins,
)
from commonplace.vault.sets.store import SetStore
from commonplace.vault.suggestions.authorship import Suggester

_TITLE_CHARS_MAX = 200
WHY_CHARS_MAX = 4_000

_OUTCOMES: dict[str, WriteOutcome] = {
    "approved": "accepted",
    "denied": "rejected",
    "failed": "failed",
    "withdrawn": "withdrawn",
}


class Sets:
    """Keeps sets."""

    def __init__(
        self,
        kept: Afterwards,
        path_of: Callable[[str], str | None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = SetStore(kept)
        self._path_of = path_of
        self._clock = clock
        self._turn = asyncio.Lock()
        self._held: dict[str, int] = {}
        self.sent = 0
        """How many times a set was sent back, since the start."""
        self.answered = 0
        """How many writes that waited were decided, since the start."""
        self._listeners: list[Callable[[int], None]] = []

    def follow(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Hear the number of each set that changes; call what is returned to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # -- as assistants write

    async def suggested(self, document: str, path: str, by: Suggester, at: float) -> None:
        """Take up suggestions that an assistant made in a note, in one call."""
        async with self._turn:
            await self.store.load()
            if self.store.at(document, by.id, at) is None:
                one = await self._current(by.id, by.name, at)
                await self._add(
                    Write(0, one.number, "suggested", "edit", document, path, by.id, at)
                )

    async def written(self, event: WriteStatus) -> None:
        """Take up a write that waits, was done, or was decided."""
        async with self._turn:
            await self.store.load()
            if event.number is not None and (known := self.store.parked(event.number)):
                outcome = _OUTCOMES.get(event.state, "")
                await self.store.put([replace(known, outcome=outcome, reason=event.reason)])
                self.answered += 1
                self._tell(known.set)
            elif event.state in ("waits", "done"):
                await self._take_up(event)

    async def _take_up(self, event: WriteStatus) -> None:
        one = await self._current(event.actor, event.name, event.time)
        done = event.state == "done"
        await self._add(
            Write(
                id=0,
                set=one.number,
                kind="done" if done else "parked",
                operation=event.operation,
                document="",
                path=event.path,
                actor=event.actor,
                time=event.time,
                parked=event.number,
                outcome="accepted" if done else "",
            )
        )

    async def describe(
        self, actor: str, name: str, title: str, why: str, *, ready: bool = False
    ) -> ChangeSet:
        """Name the set that an assistant is working on; it begins one if there is none."""
        title, why = _line(title, _TITLE_CHARS_MAX, "title"), _within(why, WHY_CHARS_MAX, "why")
        if not title:
            raise BadArgument("title is empty: say in a few words what these changes are for.")
        async with self._turn:
            await self.store.load()
            now = self._clock()
            one = await self._current(actor, name, now)
            named = replace(one, title=title, why=why, named=now, said_ready=ready)
            await self.store.change(named)
            self._tell(named.number)
            return named

    async def begin(
        self, actor: str, name: str, title: str, why: str = "", *, conversation: str = ""
    ) -> ChangeSet:
        """Begin a set for all that an assistant writes from now until `finish`, however slowly.

        `actor` and `name` are those under which it writes: an actor that is an access token is one
        assistant whatever its name. What it wrote before is finished by this. `conversation` is
        kept with the set for whoever began it. A set that nothing was written to is not listed.
        """
        title, why = _line(title, _TITLE_CHARS_MAX, "title"), _within(why, WHY_CHARS_MAX, "why")
        async with self._turn:
            await self.store.load()
            key, now = assistant_key(actor, name), self._clock()
            if (before := self._joined(key, now)) is not None:
                await self.store.change(replace(before, said_ready=True))
                self._tell(before.number)
            one = ChangeSet(0, key, name, now, title, why, now, conversation=conversation)
            one = await self.store.begin(one)
            self._held[key] = one.number
            self._tell(one.number)
            return one

    async def finish(self, number: int) -> ChangeSet:
        """Say that nothing more comes to a set, for the assistant: it is ready for review."""
        async with self._turn:
            one = replace(await self.get(number), said_ready=True)
            if self._held.get(one.key) == number:
                del self._held[one.key]
            await self.store.change(one)
            self._tell(number)
            return one

    def holds(self, number: int) -> bool:
        """Tell whether a set was begun for what is still being written."""
        return number in self._held.values()

    async def current(self, actor: str, name: str) -> ChangeSet | None:
        """Return the set that an assistant's next write would join."""
        await self.store.load()
        return self._joined(assistant_key(actor, name), self._clock())

    async def _current(self, actor: str, name: str, now: float) -> ChangeSet:
        key = assistant_key(actor, name)
        return self._joined(key, now) or await self.store.begin(ChangeSet(0, key, name, now))

    def _joined(self, key: str, now: float) -> ChangeSet | None:
        if (held := self.store.sets.get(self._held.get(key, 0))) is not None:
            return held
        mine = [one for one in self.store.of_assistant(key) if not one.said_ready]
        if not mine:
            return None
        latest = max(mine, key=self._active)
        return latest if joins(self._active(latest), now) else None

    def _active(self, one: ChangeSet) -> float:
        return max(self.store.last(one.number), one.named)

    async def _add(self, write: Write) -> None:
        await self.store.add(write)
        self._tell(write.set)

    # -- as people arrange

    async def get(self, number: int) -> ChangeSet:
        """Return a set.

        Raises:
            NotFound: there is none of that number.

        """
        await self.store.load()
        if (one := self.store.sets.get(number)) is None:
            raise NotFound(f"There is no change set {number}. `commonplace sets list` lists them.")
        return one

    async def rename(self, number: int, title: str) -> ChangeSet:
        """Give a set another title."""
        title = _line(title, _TITLE_CHARS_MAX, "title")
        async with self._turn:
            renamed = replace(await self.get(number), title=title)
            await self.store.change(renamed)
            self._tell(number)
            return renamed

    async def send_back(self, number: int, reason: str) -> ChangeSet:
        """Let a set wait for its assistant, who is told why; an empty reason takes that back."""
        reason = _within(reason, WHY_CHARS_MAX, "reason")
        async with self._turn:
            self.sent += 1
            sent = replace(await self.get(number), sent_back=reason)
            await self.store.change(sent)
            self._tell(number)
            return sent

    async def split(self, number: int, paths: Collection[str], title: str = "") -> ChangeSet:
        """Make a set of its own of what was written to some of its notes."""
        async with self._turn:
            one = await self.get(number)
            writes = self.store.of_set(number)
            taken = [each for each in writes if self._path(each) in paths]
            if not taken:
                raise NotFound(f"Nothing in set {number} was written to these notes.")
            if len(taken) == len(writes):
                raise Conflict(f"Those are all changes of set {number}. Name only some of them.")
            title = _line(title, _TITLE_CHARS_MAX, "title")
            # Finished by this: what the assistant writes next joins what is left.
            apart = replace(one, began=taken[0].time, title=title, why="", said_ready=True)
            fresh = await self.store.begin(apart)
            await self.store.put([replace(each, set=fresh.number) for each in taken])
            self._tell(number, fresh.number)
            return fresh

    async def merge(self, numbers: Sequence[int]) -> ChangeSet:
        """Put all writes of several sets of one assistant into the first of them."""
        async with self._turn:
            first, *others = [await self.get(number) for number in dict.fromkeys(numbers)]
            if not others:
                raise BadArgument("Name two sets at least.")
            if any(each.who != first.who for each in others):
                raise Conflict("Sets of different assistants stay apart. Decide them one by one.")
            writes = [each for other in others for each in self.store.of_set(other.number)]
            await self.store.put([replace(each, set=first.number) for each in writes])
            for other in others:
                await self.store.drop(other.number)
            began = min(each.began for each in (first, *others))
            await self.store.change(replace(first, began=began))
            self._tell(*numbers)
            return self.store.sets[first.number]

    def _path(self, write: Write) -> str:
        """Return the path that a note has now."""
        return (write.document and self._path_of(write.document)) or write.path

    def _tell(self, *numbers: int) -> None:
        for listener in list(self._listeners):
            for number in numbers:
                listener(number)


def _line(text: str, most: int, name: str) -> str:
    return " ".join(_within(text, most, name).split())


def _within(text: str, most: int, name: str) -> str:
    if len(text) > most:
        raise BadArgument(f"{name} is over {most:,} characters. Say it shorter.")
    return text.strip()
