"""What is in a change set now: what waits, how the rest ended, and what it comes to in all.

Which set a suggestion belongs to is told by its credit. What was suggested by hand, or before there
were sets, is in none: number 0 stands for all of it.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from commonplace.core.critic import rank
from commonplace.core.text.word_diff import changed_words
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.index.queries.suggestions import PendingSuggestion
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.sets.change_set import ChangeSet, Counts, SetState, Write, state_of
from commonplace.vault.sets.sets import Sets
from commonplace.vault.suggestions.ledger import Decision, Ledger
from commonplace.vault.suggestions.pending import PendingSuggestions, SuggestionFilter

NO_SET = 0
_COUNTED_MAX = 20_000


@dataclass(frozen=True, slots=True)
class Summary:
    """A set in a list."""

    set: ChangeSet
    last: float
    state: SetState
    counts: Counts
    notes: int
    added: int
    removed: int
    parked: int


@dataclass(frozen=True, slots=True)
class SetContents:
    """A set with all that it refers to: what waits, what was done at once, and what was decided."""

    summary: Summary
    pending: list[PendingSuggestion]
    parked: list[Parked]
    done: list[Write]
    ended: list[Decision]
    decided: list[Write]


class SetReader:
    """Works out what sets hold."""

    def __init__(
        self,
        sets: Sets,
        waiting: PendingSuggestions,
        ledger: Ledger,
        notes: LiveNotes,
        permissions: Permissions,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._sets = sets
        self._waiting = waiting
        self._ledger = ledger
        self._notes = notes
        self._permissions = permissions
        self._clock = clock
        self._words: dict[str, tuple[int, int]] = {}

    async def listed(self) -> list[Summary]:
        """Return every set that refers to anything, the latest first; then what is in none."""
        found = await self._found()
        numbers = [n for n in self._sets.store.sets if self._sets.store.of_set(n)]
        rows = [self._summary(self._sets.store.sets[n], found) for n in numbers]
        rows.sort(key=lambda row: -row.last)
        return [*rows, *self._outside(found)]

    async def get(self, number: int) -> SetContents:
        """Return one set with all that it refers to."""
        found = await self._found()
        if number == NO_SET:
            (summary,) = self._outside(found) or [_nothing_outside()]
        else:
            summary = self._summary(await self._sets.get(number), found)
        writes = self._sets.store.of_set(number)
        return SetContents(
            summary,
            found.pending.get(number, []),
            found.parked.get(number, []),
            [each for each in writes if each.kind == "done"],
            found.ended.get(number, []),
            [each for each in writes if each.kind == "parked" and each.outcome],
        )

    async def set_of(self, document: str, id: str) -> int:
        """Return the number of the set that a suggestion belongs to."""
        await self._ledger.load()
        await self._sets.store.load()
        return self._number(document, id)

    async def parked(self, number: int) -> dict[int, Parked]:
        """Return the writes of a set that wait, by their numbers in the queue."""
        await self._sets.store.load()
        return {
            one.id: one
            for one in await self._permissions.waiting()
            if (write.set if (write := self._sets.store.parked(one.id)) else NO_SET) == number
        }

    async def _found(self) -> "_Found":
        await self._ledger.load()
        await self._sets.store.load()
        found = _Found({}, {}, {})
        for each in (await self._waiting.page(SuggestionFilter()))[0]:
            document = self._notes.ids.known_id(each.path) or ""
            found.pending.setdefault(self._number(document, each.id), []).append(each)
        for one in await self._permissions.waiting():
            write = self._sets.store.parked(one.id)
            found.parked.setdefault(write.set if write else NO_SET, []).append(one)
        for number, decision in self._ended():
            found.ended.setdefault(number, []).append(decision)
        return found

    def _number(self, document: str, id: str) -> int:
        credit = self._ledger.credit(document, id)
        write = credit and self._sets.store.at(document, credit.actor, credit.time)
        return write.set if write else NO_SET

    def _ended(self) -> Iterator[tuple[int, Decision]]:
        """Yield how each suggestion ended that ended for good."""
        last: dict[tuple[str, str | None, float, str], Decision] = {}
        for one in reversed(self._ledger.decisions(len(self._sets.store.writes) + _COUNTED_MAX)):
            if one.made is not None:
                last[one.document, one.actor, one.made, rank(one.id)] = one
        for (document, actor, made, _), one in last.items():
            write = self._sets.store.at(document, actor or "", made)
            if write is not None and one.decision not in ("undone", "superseded"):
                yield write.set, one

    def _summary(self, one: ChangeSet, found: "_Found") -> Summary:
        number = one.number
        pending, parked = found.pending.get(number, []), found.parked.get(number, [])
        writes = self._sets.store.of_set(number)
        counts = _counted(found.ended.get(number, []), writes, len(pending) + len(parked))
        last = self._sets.store.last(number)
        held = self._sets.holds(number)
        state = state_of(one, last, counts, self._clock(), held=held)
        notes = {each.path for each in [*pending, *parked]} or {each.path for each in writes}
        added, removed = self._changed(pending)
        return Summary(one, last, state, counts, len(notes), added, removed, len(parked))

    def _outside(self, found: "_Found") -> list[Summary]:
        pending, parked = found.pending.get(NO_SET, []), found.parked.get(NO_SET, [])
        if not pending and not parked:
            return []
        times = [each.time for each in [*pending, *parked] if each.time is not None]
        began, last = min(times, default=0.0), max(times, default=0.0)
        added, removed = self._changed(pending)
        counts = Counts(waiting=len(pending) + len(parked))
        notes = len({each.path for each in [*pending, *parked]})
        outside = ChangeSet(NO_SET, "", "", began)
        return [Summary(outside, last, "ready", counts, notes, added, removed, len(parked))]

    def _changed(self, pending: list[PendingSuggestion]) -> tuple[int, int]:
        words = [self._changed_words(each) for each in pending]
        return sum(added for added, _ in words), sum(removed for _, removed in words)

    def _changed_words(self, each: PendingSuggestion) -> tuple[int, int]:
        # An id is a hash of the suggestion's characters.
        if each.id not in self._words:
            if len(self._words) >= _COUNTED_MAX:
                self._words.clear()
            self._words[each.id] = changed_words(each.old, each.new)
        return self._words[each.id]


@dataclass(frozen=True, slots=True)
class _Found:
    """Everything that sets refer to, by the number of the set."""

    pending: dict[int, list[PendingSuggestion]]
    parked: dict[int, list[Parked]]
    ended: dict[int, list[Decision]]


def _counted(ended: list[Decision], writes: list[Write], waiting: int) -> Counts:
    accepted = modified = rejected = withdrawn = other = 0
    for one in ended:
        match one.decision:
            case "accept":
                accepted += 1
            case "modified":
                modified += 1
            case "reject":
                rejected += 1
            case "withdrawn":
                withdrawn += 1
            case _:
                other += 1
    for write in writes:
        accepted += write.outcome == "accepted"
        rejected += write.outcome == "rejected"
        withdrawn += write.outcome == "withdrawn"
        other += write.outcome == "failed"
    return Counts(waiting, accepted, modified, rejected, withdrawn, other)


def _nothing_outside() -> Summary:
    return Summary(ChangeSet(NO_SET, "", "", 0.0), 0.0, "accepted", Counts(), 0, 0, 0, 0)
