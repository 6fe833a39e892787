"""Suggestions decided: by people, here on the server alone.

Deciding in the browser would lose text when two decide at once. A decision names suggestions by
note and id; one that changed or is gone is a conflict, and then nothing at all is decided. A
decision deletes only markers and the discarded side, so that kept text keeps its author.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from commonplace.core import critic
from commonplace.core.render.remarks import Decided
from commonplace.errors import Conflict, NotFound
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Json
from commonplace.vault.suggestions.decisions import Decisions
from commonplace.vault.suggestions.ledger import Credit, Ledger
from commonplace.vault.threads import aside_if_long

Verdict = Literal["accept", "reject"]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a request decided, how to take it back, and the notes whose files have yet to follow."""

    decided: list[tuple[str, str]]
    undo: str
    late: tuple[str, ...] = ()


class Review:
    """Decides suggestions, and tells what was decided."""

    def __init__(
        self,
        notes: LiveNotes,
        ledger: Ledger,
        decisions: Decisions,
    ) -> None:
        self._notes = notes
        self._ledger = ledger
        self._decisions = decisions

    async def pending_in(self, path: str, marked: str) -> list[tuple[critic.Suggestion, bool]]:
        """List what waits in a text that was just read, with the authors known.

        With each comes whether it was perhaps rejected in the file.
        """
        found = await aside_if_long(critic.suggestions, marked)
        if not found:
            return []
        await self._ledger.load()
        document = await self._notes.ids.id_of(path)
        return [
            (
                _with_credit(each, self._ledger.credit(document, each.id)),
                self._ledger.doubts.concern(document, each.id),
            )
            for each in found
        ]

    async def decided_for(self, actor: str, name: str, path: str) -> list[Decided]:
        """Tell an assistant, once, what became of its suggestions in a note."""
        document = self._notes.ids.known_id(path)
        if document is None:
            await self._notes.ids.learn()
            document = self._notes.ids.known_id(path)
        if document is None:
            return []
        return [
            Decided(one.decision, one.old, one.new, one.who, one.reason)
            for one in await self._ledger.tell(actor, name, document)
        ]

    async def decide(
        self, verdict: Verdict, chosen: Mapping[str, Collection[str]], who: str, reason: str = ""
    ) -> Reviewed:
        """Let a person decide suggestions, by note and id: all of them, or none and a Conflict."""
        self._notes.refuse_read_only()
        if not chosen:
            raise NotFound("There is nothing to decide.")
        common = {"verdict": verdict, "who": who, "reason": reason}
        steps = [{"path": path, "ids": sorted(ids), **common} for path, ids in chosen.items()]
        try:
            return await self._decide(steps, who)
        except (Conflict, NotFound) as error:
            raise Conflict(f"{error} Nothing was decided.") from error

    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed:
        """Let a person accept a suggestion with another text than was suggested."""
        self._notes.refuse_read_only()
        common = {"verdict": "accept", "end": "modified", "who": who}
        step = {"path": path, "ids": [id], "text": text, "reason": f"accepted as: {text}"}
        return await self._decide([{**step, **common}], who)

    async def undo(self, token: str) -> int:
        """Take a decision back, in all its notes; Conflict where the text has changed since."""
        self._notes.refuse_read_only()
        paths = await self._decisions.undo(token)
        await self._notes.late_files(paths)
        return len(paths)

    async def _decide(self, steps: Sequence[Json], who: str) -> Reviewed:
        token, rows = await self._decisions.decide(steps, who)
        late = await self._notes.late_files({one.path for one in rows})
        return Reviewed([(one.path, one.id) for one in rows], token, late)


def _with_credit(each: critic.Suggestion, credit: Credit | None) -> critic.Suggestion:
    return each if credit is None else replace(each, author=credit.names, time=credit.time)
