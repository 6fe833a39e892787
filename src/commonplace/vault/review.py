"""Suggestions decided: by people, here on the server alone.

Deciding in the browser would lose text when two decide at once. A decision names suggestions by
note and id; one that changed or is gone is a conflict, and then nothing at all is decided. A
decision deletes only markers and the discarded side, so that kept text keeps its author.
"""

import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from commonplace.core import critic, edits
from commonplace.core.critic import Undecidable
from commonplace.core.edits import Edit
from commonplace.core.render import Decided
from commonplace.errors import Conflict, NotFound
from commonplace.vault.ledger import Credit, Decision, Ledger
from commonplace.vault.readings import Readings
from commonplace.vault.shelf import Shelf

UNDO_MAX = 200
_ANCHOR = 40

Verdict = Literal["accept", "reject"]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a request decided, and how to take it back."""

    decided: list[tuple[str, str]]
    undo: str


@dataclass(frozen=True, slots=True)
class _Undoing:
    """One note before and after a decision, and whose suggestions were decided."""

    path: str
    before: str
    after: str
    edits: Sequence[Edit]
    credits: dict[str, Credit] = field(default_factory=dict[str, Credit])


class Review:
    """Decides suggestions, and tells what was decided."""

    def __init__(
        self,
        shelf: Shelf,
        ledger: Ledger,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._shelf = shelf
        self.ledger = ledger
        self.readings = Readings()
        self._clock = clock
        self._undo: OrderedDict[str, list[_Undoing]] = OrderedDict()

    async def pending_in(self, path: str, marked: str) -> list[critic.Suggestion]:
        """List what waits in a text that was just read, with the authors known."""
        found = critic.suggestions(marked)
        if not found:
            return []
        await self.ledger.load()
        document = await self._shelf.id_of(path)
        return [_with_credit(each, self.ledger.credit(document, each.id)) for each in found]

    async def decided_for(self, actor: str, path: str, since: float) -> list[Decided]:
        """Tell an assistant what became of its suggestions in a note since it last read it."""
        await self.ledger.load()
        document = self._shelf.known_id(path)
        if document is None:
            return []
        return [
            Decided(one.decision, one.old, one.new, one.who, one.reason)
            for one in self.ledger.decided_for(actor, document, since)
        ]

    async def decide(
        self, verdict: Verdict, chosen: Mapping[str, Collection[str]], who: str, reason: str = ""
    ) -> Reviewed:
        """Decide suggestions, by note and id: all of them, or none and a Conflict."""
        if not chosen:
            raise NotFound("There is nothing to decide.")
        choose = critic.accept if verdict == "accept" else critic.reject
        done: list[_Undoing] = []
        decisions: list[Decision] = []
        try:
            for path, ids in chosen.items():
                done.append(await self._change(path, partial(choose, ids=ids), who, ids))
                decisions += await self._entries(done[-1], verdict, ids, who, reason)
        except (Conflict, NotFound) as error:
            for undoing in reversed(done):
                await self._take_back(undoing)
            raise Conflict(f"{error} Nothing was decided.") from error
        return await self._reviewed(done, decisions)

    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed:
        """Accept a suggestion with another text than was suggested."""

        def plan(marked: str) -> list[Edit]:
            for name, start, end in critic.places(marked):
                if name == id:
                    return [Edit(start, end, text)]
            raise Conflict(f"{path}: the suggestion is gone or has changed.")

        undoing = await self._change(path, plan, who, [id])
        entries = await self._entries(undoing, "accept", [id], who, "with other words")
        return await self._reviewed([undoing], entries)

    async def _change(
        self, path: str, decide: Callable[[str], Sequence[Edit]], who: str, ids: Collection[str]
    ) -> _Undoing:
        """Decide in one note; what is remembered of the suggestions that stay follows them."""
        planned: list[tuple[str, Sequence[Edit]]] = []

        def plan(text: str) -> Sequence[Edit]:
            planned.append((text, decide(text)))
            return planned[-1][1]

        try:
            edited = await self._shelf.edit(path, plan, f"person:{who}")
        except Undecidable as error:
            raise Conflict(f"{path}: {error}") from error
        before, made = planned[-1]
        document = await self._shelf.id_of(path)
        await self.ledger.load()
        found = {id: credit for id in ids if (credit := self.ledger.credit(document, id))}
        await self.ledger.credit_to(document, {}, critic.carried(before, edited.text, made))
        return _Undoing(path, before, edited.text, made, found)

    async def _reviewed(self, done: list[_Undoing], decisions: list[Decision]) -> Reviewed:
        await self.ledger.decide(decisions)
        token = uuid.uuid4().hex
        self._undo[token] = done
        while len(self._undo) > UNDO_MAX:
            self._undo.popitem(last=False)
        return Reviewed([(one.path, one.id) for one in decisions], token)

    async def _entries(
        self, undoing: _Undoing, verdict: Verdict, ids: Collection[str], who: str, reason: str
    ) -> list[Decision]:
        """Write the rows of the ledger for one note."""
        document = await self._shelf.id_of(undoing.path)
        now = self._clock()
        return [
            Decision(
                time=now,
                who=who,
                decision=verdict,
                document=document,
                path=undoing.path,
                id=each.id,
                old=each.old,
                new=each.new,
                author=credit.name if credit else each.author,
                actor=credit.actor if credit else None,
                reason=reason,
            )
            for each in critic.suggestions(undoing.before)
            if each.id in ids
            for credit in [undoing.credits.get(each.id)]
        ]

    async def undo(self, token: str) -> int:
        """Take a decision back; Conflict where the text has changed since."""
        undoing = self._undo.pop(token, None)
        if undoing is None:
            raise NotFound("There is no such decision to undo, or it was undone already.")
        for one in undoing:
            await self._take_back(one)
        return len(undoing)

    async def _take_back(self, undoing: _Undoing) -> None:
        back = edits.diff(undoing.after, undoing.before)
        planned: list[tuple[str, list[Edit]]] = []

        def plan(text: str) -> list[Edit]:
            planned.append((text, _rebased(text, undoing.after, back)))
            return planned[-1][1]

        edited = await self._shelf.edit(undoing.path, plan, "review:undo")
        carried = critic.carried(planned[-1][0], edited.text, planned[-1][1])
        document = await self._shelf.id_of(undoing.path)
        await self.ledger.credit_to(document, undoing.credits, carried)


def _with_credit(each: critic.Suggestion, credit: Credit | None) -> critic.Suggestion:
    return each if credit is None else replace(each, author=credit.name, time=credit.time)


def _rebased(text: str, expected: str, changes: list[Edit]) -> list[Edit]:
    """Make changes that were meant for one text in another, where their places still stand."""
    if text == expected:
        return changes
    moved = edits.diff(expected, text)
    rebased: list[Edit] = []
    for change in changes:
        low, high = max(0, change.start - _ANCHOR), min(len(expected), change.end + _ANCHOR)
        if any(edit.start < high and edit.end > low for edit in moved if edit.end > edit.start):
            raise Conflict("The text has changed since; it cannot be taken back.")
        start = edits.shift(change.start, moved, after=True)
        end = start + change.end - change.start
        if text[start:end] != expected[change.start : change.end]:
            raise Conflict("The text has changed since; it cannot be taken back.")
        rebased.append(Edit(start, end, change.text))
    return rebased
