"""Suggestions: made by assistants, decided by people, here on the server alone.

Deciding in the browser would lose text when two decide at once. A decision names suggestions by
note and id; one that changed or is gone is a conflict, and then nothing at all is decided. A
decision deletes only markers and the discarded side, so that kept text keeps its author.
"""

import time
import uuid
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from commonplace.core import critic, edits
from commonplace.core.critic import NoMatch, NotUnique, Suggested, Undecidable
from commonplace.core.edits import Edit
from commonplace.core.render import Decided
from commonplace.errors import BadArgument, Conflict, NotFound
from commonplace.vault.index import Index, Pending
from commonplace.vault.ledger import Credit, Decision, Ledger
from commonplace.vault.readings import Readings
from commonplace.vault.settings import SuggestionStyle
from commonplace.vault.shelf import Shelf

UNDO_MAX = 200
CALLS_MAX = 1000
_ANCHOR = 40

Verdict = Literal["accept", "reject"]

CHANGED = "Document changed since last read. Please re-read and try again."


@dataclass(frozen=True, slots=True)
class Suggester:
    """An assistant that suggests: who it is to the server, and its name for people."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a request decided, and how to take it back."""

    decided: list[tuple[str, str]]
    undo: str


@dataclass(frozen=True, slots=True)
class _Undoing:
    """One note before and after a decision."""

    path: str
    before: str
    after: str


_Call = tuple[str, str, str, str, bool]


@dataclass(frozen=True, slots=True)
class _Made:
    """What a call came to, and the suggestions that it wrote."""

    made: Suggested
    ids: frozenset[str]


class Review:
    """Makes, lists and decides suggestions."""

    def __init__(
        self,
        shelf: Shelf,
        index: Index,
        ledger: Ledger,
        style: SuggestionStyle,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._style = style
        self._shelf = shelf
        self._index = index
        self.ledger = ledger
        self.readings = Readings()
        self._clock = clock
        self._undo: OrderedDict[str, list[_Undoing]] = OrderedDict()
        self._calls: OrderedDict[_Call, _Made] = OrderedDict()

    async def suggest(
        self, path: str, old: str, new: str, actor: Suggester, *, replace_all: bool = False
    ) -> Suggested:
        """Replace a passage, as a suggestion; the same call again changes nothing more."""
        self.readings.require(actor.id, path)
        made: list[Suggested] = []
        name, now = self._style.name(actor.name), self._clock()
        call = (actor.id, path, old, new, replace_all)

        def plan(text: str) -> list[Edit]:
            if (before := self._calls.get(call)) and before.ids <= _ids(text):
                made.append(replace(before.made, edits=[], text=text, repeated=True))
                return []
            made.append(
                critic.suggest(
                    text,
                    old,
                    new,
                    replace_all=replace_all,
                    author=name,
                    time=now,
                    metadata=self._style.metadata,
                )
            )
            return made[-1].edits

        try:
            edited = await self._shelf.edit(path, plan, f"assistant:{actor.name}")
        except (NoMatch, NotUnique) as error:
            raise self._worded(error, path, old, actor) from error
        fresh = _new_in(edited.text, made[-1].edits)
        self._remember(call, made[-1], fresh)
        credit = Credit(actor.id, name, now)
        await self.ledger.credit_to(await self._shelf.id_of(path), fresh, credit)
        return made[-1]

    def _remember(self, call: _Call, made: Suggested, ids: list[str]) -> None:
        """Keep a call that wrote something, to know it when a client sends it once more."""
        if ids:
            self._calls[call] = _Made(made, frozenset(ids))
            while len(self._calls) > CALLS_MAX:
                self._calls.popitem(last=False)

    def _worded(
        self, error: NoMatch | NotUnique, path: str, old: str, actor: Suggester
    ) -> BadArgument | Conflict:
        if isinstance(error, NotUnique):
            return BadArgument(
                f"old_string is not unique in {path} ({error.count} occurrences found). Include"
                " more surrounding context to make it unique, or set replace_all."
            )
        if self.readings.had(actor.id, path, old):
            return Conflict(CHANGED)
        return BadArgument(f"old_string not found in {path}. Make sure it matches exactly.")

    async def pending(self, path: str | None = None) -> list[Pending]:
        """List what waits, with the authors that the ledger knows."""
        await self.ledger.load()
        await self._shelf.learn()
        return [self._credited(each) for each in self._index.suggestions(path)]

    async def pending_in(self, path: str, marked: str) -> list[critic.Suggestion]:
        """List what waits in a text that was just read, with the authors known."""
        found = critic.suggestions(marked)
        if not found:
            return []
        await self.ledger.load()
        document = await self._shelf.id_of(path)
        return [_with_credit(each, self.ledger.credit(document, each.id)) for each in found]

    def _credited(self, each: Pending) -> Pending:
        document = self._shelf.known_id(each.path)
        credit = self.ledger.credit(document, each.id) if document else None
        if credit is None:
            return each
        return replace(each, author=credit.name, time=credit.time)

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
        """Decide suggestions, by note and id: all of them, or none and a Conflict.

        Where ids are mapped to numbers, each says how many suggestions of the note had the same
        texts when the person looked (0: not known). If that is not so any more, the id may mean
        another of them by now, and nothing is decided.
        """
        if not chosen:
            raise NotFound("There is nothing to decide.")
        done: list[_Undoing] = []
        decisions: list[Decision] = []
        try:
            for path, ids in chosen.items():
                done.append(await self._decide_in(path, verdict, ids, who))
                decisions += await self._entries(done[-1], verdict, ids, who, reason)
        except (Conflict, NotFound) as error:
            for undoing in reversed(done):
                await self._take_back(undoing)
            raise Conflict(f"{error} Nothing was decided.") from error
        return await self._reviewed(done, decisions)

    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed:
        """Accept a suggestion with another text than was suggested."""
        before: list[str] = []

        def plan(marked: str) -> list[Edit]:
            before.append(marked)
            each = next((s for s in critic.suggestions(marked) if s.id == id), None)
            if each is None:
                raise Conflict(f"{path}: the suggestion is gone or has changed.")
            return [Edit(each.start, each.end, text)]

        edited = await self._shelf.edit(path, plan, f"person:{who}")
        undoing = _Undoing(path, before[-1], edited.text)
        entries = await self._entries(undoing, "accept", [id], who, "with other words")
        return await self._reviewed([undoing], entries)

    async def _reviewed(self, done: list[_Undoing], decisions: list[Decision]) -> Reviewed:
        await self.ledger.decide(decisions)
        token = uuid.uuid4().hex
        self._undo[token] = done
        while len(self._undo) > UNDO_MAX:
            self._undo.popitem(last=False)
        return Reviewed([(one.path, one.id) for one in decisions], token)

    async def _decide_in(
        self, path: str, verdict: Verdict, ids: Collection[str], who: str
    ) -> _Undoing:
        before: list[str] = []

        def plan(text: str) -> Sequence[Edit]:
            before.append(text)
            _refuse_shifted(text, ids)
            return (critic.accept if verdict == "accept" else critic.reject)(text, ids)

        try:
            edited = await self._shelf.edit(path, plan, f"person:{who}")
        except Undecidable as error:
            raise Conflict(f"{path}: {error}") from error
        return _Undoing(path, before[-1], edited.text)

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
            for credit in [self.ledger.credit(document, each.id)]
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
        await self._shelf.edit(
            undoing.path, lambda text: _rebased(text, undoing.after, back), "review:undo"
        )


def _ids(text: str) -> set[str]:
    return {id for id, _, _ in critic.places(text)}


def _new_in(text: str, made: list[Edit]) -> list[str]:
    """Name the suggestions that edits wrote, in the text that they made."""
    written: list[tuple[int, int]] = []
    moved = 0
    for edit in made:
        written.append((edit.start + moved, edit.start + moved + len(edit.text)))
        moved += len(edit.text) - (edit.end - edit.start)
    return [
        id
        for id, start, end in critic.places(text)
        if any(low < end and high > start for low, high in written)
    ]


def _refuse_shifted(text: str, ids: Collection[str]) -> None:
    """Refuse what was chosen among like ones if there are more or fewer of them by now.

    Ids count like ones from the first, so that once one is decided, the next goes by its id.
    """
    if not isinstance(ids, Mapping):
        return
    seen = cast("Mapping[str, int]", ids)
    found = critic.suggestions(text)
    alike = Counter((each.old, each.new) for each in found)
    if any(seen.get(each.id, 0) not in (0, alike[each.old, each.new]) for each in found):
        raise Undecidable(
            "One of several like suggestions was decided or made meanwhile. Look at them again."
        )


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
