"""An assistant takes back what it has waiting: its own suggestions and parked writes, no more.

Whose a suggestion is, the ledger says. One in which somebody else has written since is left to a
person, so that nobody's words go with it.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

from commonplace.core import critic
from commonplace.core.critic import Suggestion
from commonplace.core.text.edits import Edit
from commonplace.vault.documents.changes import Purpose
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.history import History
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.index.queries.suggestions import PendingSuggestion
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.search.texts import Texts
from commonplace.vault.suggestions.authorship import Authorship, Suggester
from commonplace.vault.suggestions.ledger import Ledger
from commonplace.vault.suggestions.pending import PendingSuggestions, SuggestionFilter

Json = Mapping[str, object]


class PendingChanges(Protocol):
    """What waits in a change set."""

    @property
    def pending(self) -> list[PendingSuggestion]: ...  # noqa: D102
    @property
    def parked(self) -> list[Parked]: ...  # noqa: D102


class ReadSets(Protocol):
    """Where change sets are read."""

    async def get(self, number: int) -> PendingChanges: ...  # noqa: D102


class Withdrawal:
    """Takes back an assistant's own waiting changes."""

    def __init__(
        self,
        history: History,
        recorder: Recorder,
        notes: LiveNotes,
        texts: Texts,
        pending: PendingSuggestions,
        ledger: Ledger,
        authorship: Authorship,
        permissions: Permissions,
        sets: ReadSets,
    ) -> None:
        self._history = history
        self._recorder = recorder
        self._notes = notes
        self._texts = texts
        self._pending = pending
        self._ledger = ledger
        self._authorship = authorship
        self._permissions = permissions
        self._sets = sets

    async def withdraw(self, by: Suggester, path: str = "", set: int = 0) -> Json:  # noqa: A002
        """Take back what waits: in one note or in all, of one change set or of all."""
        self._notes.refuse_read_only()
        found = self._texts.find(path) if path else None
        rows, writes = await self._waiting(found, set)
        gone: dict[str, int] = {}
        left: dict[str, int] = {}
        for note in dict.fromkeys(row.path for row in rows):
            ids = {row.id for row in rows if row.path == note} if set else None
            gone[note], left[note] = await self._withdraw(note, by, ids)
        parked = [one for one in writes if one.actor == by.id and found in (None, one.path)]
        for one in parked:
            await self._permissions.withdraw(one.id)
        return {
            "suggestions": {note: count for note, count in gone.items() if count},
            "left": {note: count for note, count in left.items() if count},
            "writes": [one.summary for one in parked],
        }

    async def _waiting(
        self, path: str | None, number: int
    ) -> tuple[list[PendingSuggestion], list[Parked]]:
        """Return the suggestions and the writes that wait, of all assistants."""
        if not number:
            rows, _ = await self._pending.page(SuggestionFilter(path))
            return rows, await self._permissions.waiting()
        contents = await self._sets.get(number)
        return [row for row in contents.pending if path in (None, row.path)], contents.parked

    async def _withdraw(
        self, path: str, by: Suggester, ids: Collection[str] | None
    ) -> tuple[int, int]:
        """Take back suggestions in one note; returns how many, and how many others wrote in."""
        document = await self._authorship.ready(path)
        await self._recorder.flush([document])
        ended: list[Suggestion] = []
        shared: list[Suggestion] = []
        head = await self._history.head(document)
        whose = await self._history.actors([n for _, n in head.blame]) if head else {}
        mine = {n for n, one in whose.items() if one.actor == f"assistant:{by.name}"}

        def plan(marked: str) -> list[Edit]:
            ended.clear()
            shared.clear()
            numbers = [n for length, n in head.blame for _ in range(length)] if head else []
            for each in critic.suggestions(marked):
                credit = self._ledger.credit(document, each.id)
                if credit is None or not credit.is_of(by.id) or each.id not in (ids or {each.id}):
                    continue
                alone = critic.reject(marked, [each.id])
                others = [
                    place
                    for edit in alone
                    for place in range(edit.start, edit.end)
                    if head is None or head.text != marked or numbers[place] not in mine
                ]
                (shared if others else ended).append(each)
            return critic.reject(marked, [each.id for each in ended]) if ended else []

        purpose = Purpose("withdraw")
        edited = await self._notes.edit(path, plan, f"assistant:{by.name}", purpose)
        if ended:
            carried = critic.carried(edited.before, edited.text, edited.edits)
            await self._ledger.credit_to(document, {}, carried)
            await self._authorship.withdraw(path, ended, by)
        return len(ended), len(shared)
