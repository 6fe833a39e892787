"""Whose suggestions a write touches: what it may do to them, and what is put on record.

A write that touches suggestions becomes one with them, in their place. All who wrote part of it
stay its authors, and the ledger tells that the former ones were superseded. Where it restores the
base text instead, it takes them back: only an assistant that wrote all of them may.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from commonplace.core import critic
from commonplace.core.critic import EndedSuggestion, Signature, Suggested, Suggestion
from commonplace.errors import Conflict
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.settings import SuggestionStyle
from commonplace.vault.suggestions.ledger import Credit, Decision, End, Ledger


@dataclass(frozen=True, slots=True)
class Suggester:
    """An assistant that suggests: who it is to the server, and its name for people."""

    id: str
    name: str


class NotYours(Conflict):
    """The write would take back what somebody else suggested."""


class Authorship:
    """Knows whose suggestions are whose, and keeps the record of them."""

    def __init__(
        self,
        notes: LiveNotes,
        ledger: Ledger,
        style: SuggestionStyle,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._notes = notes
        self._ledger = ledger
        self.style = style
        self._clock = clock
        self._listeners: list[Callable[[str, str, Suggester, float], Awaitable[None]]] = []
        self._followers: list[Callable[[str, str, Collection[str]], Awaitable[None]]] = []

    def listen(self, listener: Callable[[str, str, Suggester, float], Awaitable[None]]) -> None:
        """Hear of each call that makes suggestions: in which document, at which path, whose, when.

        Those are what the suggestions are credited with.
        """
        self._listeners.append(listener)

    def follow_suggestions(
        self, follower: Callable[[str, str, Collection[str]], Awaitable[None]]
    ) -> None:
        """Hear of every suggestion made, at once: the note, its marked text, the ids.

        What it returns is saved with the record of whose they are.
        """
        self._followers.append(follower)

    async def ready(self, path: str) -> str:
        """Get ready to check writes to a note; returns its document's id."""
        await self._ledger.load()
        return await self._notes.ids.id_of(path)

    def signature(self, by: Suggester) -> Signature:
        """Return what a suggestion says of who made it."""
        return Signature(self.style.name(by.name), self._clock(), self.style.metadata)

    def check(self, document: str, made: Suggested, by: Suggester) -> None:
        """Refuse a write that takes back what somebody else has written.

        Raises:
            NotYours: it would.

        """
        for id, successor in made.ended.items():
            credit = self._ledger.credit(document, id)
            if successor is None and not (credit and credit.is_of(by.id)):
                whose = f" ({credit.names})" if credit else ""
                raise NotYours(
                    f"This would take back somebody else's suggestion{whose}, which waits for a"
                    " person's decision. Leave that text as it reads, or ask a person to reject"
                    " the suggestion."
                )

    async def record(
        self, path: str, before: str, made: Suggested, by: Suggester, *, created: bool = False
    ) -> list[str]:
        """Put on record whose the suggestions of a write are, and what it ended; returns their ids.

        `before` is the marked text that it was made in; `created` tells that the note is new.
        """
        document = await self.ready(path)
        fresh = critic.written(made.text, made.edits) if made.count else []
        carried = critic.carried(before, made.text, made.edits)
        heard = [each(path, made.text, fresh) for each in self._followers if fresh]
        now = self._clock()
        credited: dict[str, Credit] = {}
        ended = {each.id: each for each in critic.some(before, made.ended)}
        for id in fresh:
            touched = [ended[old] for old, new in made.ended.items() if new == id]
            earlier = [each for one in touched for each in self._authors(document, one)]
            others = tuple(dict.fromkeys(each for each in earlier if each[0] != by.id))
            former = (self._ledger.credit(document, one.id) for one in touched)
            alone = created or any(credit and credit.created for credit in former)
            credited[id] = Credit(by.id, self.style.name(by.name), now, others, alone)
        ends = [
            replace(
                self._end(
                    document,
                    path,
                    each,
                    "superseded" if made.ended[each.id] else "withdrawn",
                    by.name,
                ),
                by=by.id,
            )
            for each in ended.values()
        ]
        # Together, for one commit to save them.
        await asyncio.gather(
            self._ledger.decide(ends),
            self._ledger.credit_to(document, credited, carried),
            *heard,
            *(each(document, path, by, now) for each in self._listeners if fresh),
        )
        return fresh

    async def follow(self, path: str, ended: Sequence[EndedSuggestion], who: str) -> None:
        """Put on record that suggestions were changed in their places; their authors stay."""
        document = await self.ready(path)
        credited = {
            new: credit
            for one, new in ended
            if new is not None and (credit := self._ledger.credit(document, one.id))
        }
        ends = [self._end(document, path, one, "superseded", who) for one, _ in ended]
        await asyncio.gather(self._ledger.decide(ends), self._ledger.credit_to(document, credited))

    async def leaving(self, path: str, marked: str, who: str) -> list[Decision]:
        """Return the ends of the suggestions in a note that is about to go."""
        waiting = critic.suggestions(marked)
        document = await self.ready(path) if waiting else ""
        return [self._end(document, path, each, "gone with the note", who) for each in waiting]

    async def withdraw(self, path: str, given: Sequence[Suggestion], by: Suggester) -> None:
        """Put on record that an assistant took suggestions of its own back."""
        document = await self.ready(path)
        ends = [self._end(document, path, each, "withdrawn", by.name) for each in given]
        await self._ledger.decide([replace(one, by=by.id) for one in ends])

    async def end(self, ends: list[Decision]) -> None:
        """Put ends on record."""
        await self._ledger.decide(ends)

    def _authors(self, document: str, one: Suggestion) -> Iterator[tuple[str | None, str]]:
        if (credit := self._ledger.credit(document, one.id)) is not None:
            yield from (*credit.earlier, (credit.actor, credit.name))
            return
        meta = one.marks[0].meta
        yield from ((None, name) for name in (meta.authors if meta else ()))

    def _end(self, document: str, path: str, one: Suggestion, end: End, who: str) -> Decision:
        ended = Decision(
            self._clock(), who, end, document, path, one.id, one.old, one.new, one.author, None, ""
        )
        return ended.of(self._ledger.credit(document, one.id))
