"""Ends of suggestions that nobody decided through us, put on record: each once."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from commonplace.core import critic
from commonplace.core.critic import rank
from commonplace.vault.documents.file.decided_by_hand import HandEnd
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.suggestions.ends.row_changes import end_of
from commonplace.vault.suggestions.ledger import Credit, Decision, End, Ledger

ANOTHER_PROGRAM = "another program"
IN_THE_FILE = f"{ANOTHER_PROGRAM}, in the file"

_Told = dict[tuple[str, str], list[float]]
"""When ends were put on record, the latest first, by the two sides of what ended."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What is not in a note any more, what stands in the place of others, and since when."""

    path: str
    ended: list[PendingRow]
    carried: list[tuple[PendingRow, PendingRow]]
    since: float


class EndRecord:
    """Puts ends into the ledger."""

    def __init__(self, ledger: Ledger, clock: Callable[[], float] = time.time) -> None:
        self._ledger = ledger
        self._clock = clock

    async def since(self, document: str, rows: Iterable[PendingRow]) -> float:
        """Tell when the first of some suggestions was made."""
        await self._ledger.load()
        made = (self._ledger.credit(document, row[1]) for row in rows)
        return min((credit.time for credit in made if credit), default=0.0)

    async def add_gone(
        self, document: str, path: str, rows: Iterable[PendingRow], since: float
    ) -> None:
        """Put on record what is gone with its note, as far as it is not yet."""
        told = self._told(document, path, since)
        left = [row for row in rows if not self._is_on_record(told, document, row)]
        ends = [self._end(document, row, "gone with the note", ANOTHER_PROGRAM) for row in left]
        await self._ledger.decide(ends)

    async def add(
        self,
        document: str,
        found: Ended,
        who: str,
        marked: str,
        by_hand: Mapping[str, HandEnd] | None = None,
    ) -> None:
        """Put ends on record that are not yet, and who has a part in what goes on.

        Whose author is known came back, or followed a rename, and stands in no other's place.
        """
        told = self._told(document, found.path, found.since)
        credited = {
            new[1]: _with_author(credit, who)
            for old, new in found.carried
            if not self._is_on_record(told, document, old)
            and self._ledger.credit(document, new[1]) is None
            and (credit := self._ledger.credit(document, old[1]))
        }
        await self._ledger.credit_to(document, credited)
        text = critic.accepted(marked)
        decisions: list[Decision] = []
        for row in found.ended:
            if self._is_on_record(told, document, row):
                continue
            if (hand := (by_hand or {}).get(rank(row[1]))) is not None:
                reason = f"accepted as: {hand.text}" if hand.end == "modified" else ""
                decisions.append(self._end(document, row, hand.end, IN_THE_FILE, reason))
            else:
                decisions.append(self._end(document, row, *end_of(text, row, who)))
        await self._ledger.decide(decisions)

    def _told(self, document: str, path: str, since: float) -> _Told:
        told: _Told = {}
        for one in self._ledger.ended(document, path, since):
            told.setdefault((one.old, one.new), []).append(one.time)
        return told

    def _is_on_record(self, told: _Told, document: str, row: PendingRow) -> bool:
        """Tell whether the end of a suggestion is on record already; each record counts for one.

        What was put on record before it was made is the end of another that said the same.
        """
        times = told.get((row[4], row[5]), [])
        credit = self._ledger.credit(document, row[1])
        if not times or (credit is not None and times[0] < credit.time):
            return False
        times.pop(0)
        return True

    def _end(
        self, document: str, row: PendingRow, end: End, who: str, reason: str = ""
    ) -> Decision:
        path, id, _, _, old, new, author, _, _, _ = row
        ended = Decision(
            self._clock(), who, end, document, path, id, old, new, author, None, reason
        )
        return ended.of(self._ledger.credit(document, id))


def _with_author(credit: Credit, who: str) -> Credit:
    if (None, who) in credit.earlier:
        return credit
    return replace(credit, earlier=(*credit.earlier, (None, who)))
