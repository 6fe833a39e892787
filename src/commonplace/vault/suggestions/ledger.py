"""Who suggested what, and how each suggestion ended: kept in the log, mirrored in memory.

A suggestion in a file carries no name, so that the file stays plain; its author and time are kept
here, by the document and the suggestion's own id, but for how many twins it has: see
`core.critic.listing`.
"""

import asyncio
import json
import sys
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from operator import attrgetter
from typing import Any, Literal

from commonplace.core.critic import rank
from commonplace.core.scopes import HOLDER_PREFIX, assistant_of
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.log import Record
from commonplace.vault.suggestions.suspected_rejections import SuspectedRejections

_SUGGESTED = "suggested"
_DECIDED = "decided"
_TOLD = "decided-told"
_DECISIONS_MAX = 10_000
_TIME = attrgetter("time")
_CHARACTERS_MAX = 8_000_000  # of all that was suggested; the latest is there always
_COMMON = ("who", "decision", "document", "path", "author", "actor", "reason", "by")


End = Literal[
    "accept",
    "modified",
    "reject",
    "superseded",
    "withdrawn",
    "edited away",
    "gone with the note",
    "undone",
]
"""How a suggestion can end: by a person's decision (`modified`: with other words), by another that
took its place, by whoever made it, by a person's edit of the text itself, with its note. `undone`
takes the end before back.
"""


@dataclass(frozen=True, slots=True)
class Credit:
    """Who made a suggestion, and when (seconds since 1970).

    `earlier` are those whose suggestions it took the place of: actor, if that is known, and name.
    `created` tells that the note is there for this suggestion alone.
    """

    actor: str
    name: str
    time: float
    earlier: tuple[tuple[str | None, str], ...] = ()
    created: bool = False

    @property
    def names(self) -> str:
        """Everybody who wrote part of it, the latest last."""
        return ", ".join(dict.fromkeys([*(name for _, name in self.earlier), self.name]))

    @property
    def actors(self) -> tuple[str, ...]:
        """The ids of those of them that are known."""
        known = (actor for actor, _ in self.earlier if actor is not None)
        return tuple(dict.fromkeys([*known, self.actor]))

    def is_of(self, actor: str) -> bool:
        """Tell whether nobody else wrote part of it."""
        return all(each == actor for each, _ in [*self.earlier, (self.actor, "")])


@dataclass(frozen=True, slots=True)
class Decision:
    """The end of a suggestion, which `who` brought about."""

    time: float
    who: str
    decision: End
    document: str
    path: str
    id: str
    old: str
    new: str
    author: str | None
    actor: str | None
    reason: str
    actors: tuple[str, ...] = ()
    """All whose text it was, where that is known."""
    by: str | None = None
    """The assistant that brought it about, if one did."""
    made: float | None = None
    """When it was suggested: the time of its credit."""

    def of(self, credit: Credit | None) -> "Decision":
        """Return the same with those who made the suggestion, as far as they are known."""
        if credit is None:
            return self
        return replace(
            self,
            author=credit.names,
            actor=credit.actor,
            actors=credit.actors,
            made=credit.time,
        )

    @property
    def length(self) -> int:
        """How many characters are its own, which no other decision shares."""
        return len(self.old) + len(self.new) + len(self.reason)

    def concerns(self, actor: str, name: str) -> bool:
        """Tell whether others brought about the end of an assistant's suggestion.

        An access token tells who it is; without one an assistant is known by its name.
        """
        if self.by is not None and (actor == self.by or name == self.who):
            return False
        actors = {self.actor, *self.actors}
        if actor in actors:
            return True
        held = any(each and each.startswith(HOLDER_PREFIX) for each in (actor, *actors))
        return not held and name in (self.author or "").split(", ")


def plain(one: Credit | Decision) -> dict[str, Any]:
    """Return the fields as they are: a copy of each, as `asdict` makes, is dear for thousands."""
    return {name: getattr(one, name) for name in one.__slots__}


class Ledger:
    """The two lists, with what is asked of them."""

    def __init__(self, kept: Afterwards) -> None:
        self._kept = kept
        self.doubts = SuspectedRejections(kept)
        self._credits: dict[tuple[str, str], Credit] | None = None
        self._decisions: deque[Decision] = deque()
        self._length = 0
        self._told: dict[tuple[str, str], float] = {}
        self._listeners: list[Callable[[str], None]] = []

    async def load(self) -> None:
        """Read both lists, once."""
        if self._credits is not None:
            return
        kept = await self._kept.records(_SUGGESTED)
        self._credits = {
            (key.partition(" ")[0], key.partition(" ")[2]): _credit_of(value)
            for key, value in kept.items()
        }
        decided = [
            decision_of(row)
            for value in (await self._kept.records(_DECIDED)).values()
            for row in json.loads(value)
        ]
        self._add(decided)
        told = await self._kept.records(_TOLD)
        self._told = {_pair(key): float(value) for key, value in told.items()}
        await self.doubts.load()

    def credit(self, document: str, id: str) -> Credit | None:
        """Tell who made a suggestion, if it was made here."""
        return (self._credits or {}).get((document, rank(id)))

    async def credit_to(
        self, document: str, made: Mapping[str, Credit], carried: Mapping[str, str] | None = None
    ) -> None:
        """Remember who made suggestions, and that others go by other ids now (old to new)."""
        await self.load()
        assert self._credits is not None
        await self.doubts.carry(document, carried or {})
        await self.doubts.drop(document, made)
        changes = {rank(new): self.credit(document, old) for old, new in (carried or {}).items()}
        changes |= {rank(id): credit for id, credit in made.items()}
        changes = {at: c for at, c in changes.items() if c != self._credits.get((document, at))}
        for at, credit in changes.items():
            if credit is None:
                del self._credits[document, at]
            else:
                self._credits[document, at] = credit
        # All at once, for one commit to save them.
        await asyncio.gather(*(self._put(document, at, credit) for at, credit in changes.items()))
        for listener in list(self._listeners) if changes else ():
            listener(document)

    def follow(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Hear in which documents suggestions got other authors; call what is returned to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def _put(self, document: str, at: str, credit: Credit | None) -> None:
        value = None if credit is None else json.dumps(plain(credit), ensure_ascii=False)
        await self._kept.put(_SUGGESTED, f"{document} {at}", value)

    async def decide(self, decisions: Collection[Decision]) -> None:
        """Remember how suggestions ended, in one step."""
        await self.load()
        if not decisions:
            return
        await self._end_doubts(decisions)
        value = json.dumps([plain(one) for one in decisions], ensure_ascii=False)
        await self._kept.put(_DECIDED, uuid.uuid4().hex, value)
        self._add(decisions)

    async def enter(self, decisions: Collection[Decision]) -> list[Record]:
        """Remember how suggestions ended, and return what the caller has to save of that."""
        await self.load()
        if not decisions:
            return []
        await self._end_doubts(decisions)
        value = json.dumps([plain(one) for one in decisions], ensure_ascii=False)
        self._add(decisions)
        return [Record(_DECIDED, uuid.uuid4().hex, value)]

    async def rewrite(self, remade: Callable[[Decision], Decision]) -> int:
        """Let rows be others from now on, on record too; return how many are."""
        await self.load()
        rows, self._length = list(map(remade, self._decisions)), 0
        self._decisions.clear()
        self._add(rows)
        changed = 0
        for key, value in (await self._kept.records(_DECIDED)).items():
            rows = [decision_of(row) for row in json.loads(value)]
            fresh = [remade(row) for row in rows]
            if fresh != rows:
                changed += sum(one != other for one, other in zip(rows, fresh, strict=True))
                kept = json.dumps([plain(one) for one in fresh], ensure_ascii=False)
                await self._kept.put(_DECIDED, key, kept)
        return changed

    def _add(self, decisions: Iterable[Decision]) -> None:
        """Keep decisions in memory, in the order of their times, as far as there is room for them.

        One that a crash cut short is entered after others that were made later.
        """
        added = sorted(decisions, key=_TIME)
        if added and self._decisions and added[0].time < self._decisions[-1].time:
            added, self._length = sorted([*self._decisions, *added], key=_TIME), 0
            self._decisions.clear()
        for one in added:
            self._decisions.append(one)
            self._length += one.length
            while len(self._decisions) > _DECISIONS_MAX or (
                self._length > _CHARACTERS_MAX and len(self._decisions) > 1
            ):
                self._length -= self._decisions.popleft().length

    async def _end_doubts(self, decisions: Collection[Decision]) -> None:
        for document in {one.document for one in decisions}:
            ids = [one.id for one in decisions if one.document == document]
            await self.doubts.drop(document, ids)

    def decisions(self, limit: int) -> list[Decision]:
        """Return the latest decisions, newest first."""
        return list(islice(reversed(self._decisions), limit))

    def ended(self, document: str, path: str, since: float) -> list[Decision]:
        """Return the ends of suggestions in one document, or at its path, since a time."""
        recent = takewhile(lambda one: one.time >= since, reversed(self._decisions))
        return [one for one in recent if one.document == document or one.path == path]

    async def tell(self, actor: str, name: str, document: str) -> list[Decision]:
        """Return what was decided about an assistant's suggestions in one document, once."""
        await self.load()
        whose = assistant_of(actor, name)
        since = self._told.get((whose, document), 0.0)
        found = [
            one
            for one in self._decisions
            if one.document == document and one.time > since and one.concerns(actor, name)
        ]
        if found:
            self._told[whose, document] = found[-1].time
            key = json.dumps([whose, document], ensure_ascii=False)
            await self._kept.put(_TOLD, key, repr(found[-1].time))
        return found


def _pair(key: str) -> tuple[str, str]:
    whose, document = json.loads(key)
    return whose, document


def _credit_of(value: str) -> Credit:
    return credit_of(json.loads(value))


def credit_of(kept: Mapping[str, Any]) -> Credit:
    """Return a credit that was kept as plain values."""
    fields = dict(kept)
    earlier = tuple((actor, name) for actor, name in fields.pop("earlier", ()))
    return Credit(**fields, earlier=earlier)


def decision_of(kept: Mapping[str, Any]) -> Decision:
    """Return a decision that was kept as plain values.

    Of texts that thousands of decisions have in common, all hold the same one.
    """
    fields = dict(kept)
    common = {name: fields[name] for name in _COMMON if fields.get(name) is not None}
    fields |= {name: sys.intern(text) for name, text in common.items()}
    fields["actors"] = tuple(map(sys.intern, fields.get("actors", ())))
    return Decision(**fields)
