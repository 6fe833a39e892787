"""Who suggested what, and who decided it how: kept in the log, mirrored in memory.

A suggestion in a file carries no name, so that the file stays plain; its author and time are kept
here, by the document and the suggestion's own id, but for how many twins it has: see
`core.critic.listing`.
"""

import asyncio
import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass

from commonplace.core.critic import rank
from commonplace.vault.afterwards import Afterwards

_SUGGESTED = "suggested"
_DECIDED = "decided"
DECISIONS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Credit:
    """Who made a suggestion, and when (seconds since 1970)."""

    actor: str
    name: str
    time: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a suggestion."""

    time: float
    who: str
    decision: str
    document: str
    path: str
    id: str
    old: str
    new: str
    author: str | None
    actor: str | None
    reason: str


class Ledger:
    """The two lists, with what is asked of them."""

    def __init__(self, kept: Afterwards) -> None:
        self._kept = kept
        self._credits: dict[tuple[str, str], Credit] | None = None
        self._decisions: list[Decision] = []

    async def load(self) -> None:
        """Read both lists, once."""
        if self._credits is not None:
            return
        kept = await self._kept.records(_SUGGESTED)
        self._credits = {
            (key.partition(" ")[0], key.partition(" ")[2]): Credit(**json.loads(value))
            for key, value in kept.items()
        }
        decided = [
            Decision(**row)
            for value in (await self._kept.records(_DECIDED)).values()
            for row in json.loads(value)
        ]
        self._decisions = sorted(decided, key=lambda one: one.time)[-DECISIONS_MAX:]

    def credit(self, document: str, id: str) -> Credit | None:
        """Tell who made a suggestion, if it was made here."""
        return (self._credits or {}).get((document, rank(id)))

    async def credit_to(
        self, document: str, made: Mapping[str, Credit], carried: Mapping[str, str] | None = None
    ) -> None:
        """Remember who made suggestions, and that others go by other ids now (old to new)."""
        await self.load()
        assert self._credits is not None
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

    async def _put(self, document: str, at: str, credit: Credit | None) -> None:
        value = None if credit is None else json.dumps(asdict(credit), ensure_ascii=False)
        await self._kept.put(_SUGGESTED, f"{document} {at}", value)

    async def decide(self, decisions: Collection[Decision]) -> None:
        """Remember what was decided, in one step."""
        await self.load()
        value = json.dumps([asdict(one) for one in decisions], ensure_ascii=False)
        await self._kept.put(_DECIDED, uuid.uuid4().hex, value)
        self._decisions = [*self._decisions, *decisions][-DECISIONS_MAX:]

    def decisions(self, limit: int) -> list[Decision]:
        """Return the latest decisions, newest first."""
        return self._decisions[: -limit - 1 : -1]

    def decided_for(self, actor: str, document: str, since: float) -> list[Decision]:
        """Return what was decided about an actor's suggestions in one document since a time."""
        return [
            one
            for one in self._decisions
            if one.document == document and one.actor == actor and one.time > since
        ]
