"""What became of the suggestions in a note between two looks at it, as rows of the index: pure."""

from collections.abc import Collection, Iterable
from difflib import SequenceMatcher

from commonplace.core import critic, digest
from commonplace.core.critic import rank
from commonplace.core.critic.decide import accepted_as, outcome
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.suggestions.ledger import End

_COMPARED_MAX = 2_000


def pending_rows(
    path: str, marked: str, suggestions: Iterable[critic.Suggestion]
) -> list[PendingRow]:
    """Return suggestions in a text as the index has them."""
    return [(path, *digest.suggestion_row(marked, each)) for each in suggestions]


def decided(
    before: list[PendingRow], now: list[PendingRow], by_hand: Collection[str]
) -> tuple[list[PendingRow], list[PendingRow]]:
    """Tell suggestions that are known to have ended in a save from all others."""
    there = {rank(row[1]) for row in now}
    ended = [row for row in before if rank(row[1]) in by_hand and rank(row[1]) not in there]
    return ended, [row for row in before if row not in ended]


def compared(
    before: list[PendingRow], now: list[PendingRow]
) -> tuple[list[PendingRow], list[tuple[PendingRow, PendingRow]]]:
    """Tell which suggestions are gone, and which stand in the places of others."""
    old, new = [rank(row[1]) for row in before], [rank(row[1]) for row in now]
    if old == new:
        return [], []
    if max(len(old), len(new)) > _COMPARED_MAX:
        return [row for row in before if rank(row[1]) not in set(new)], []
    gone: list[PendingRow] = []
    carried: list[tuple[PendingRow, PendingRow]] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            carried += zip(before[a:b], now[c:d], strict=False)
            gone += before[a + min(b - a, d - c) : b]
    return gone, carried


def end_of(text: str, row: PendingRow, who: str) -> tuple[End, str, str]:
    """Tell from the accepted view how a suggestion ended, who ended it, and what was made of it."""
    _, _, _, _, old, new, _, _, before, after = row
    if end := outcome(text, before, after, old, new):
        return end, who, ""
    made = accepted_as(text, before, after, old, new)
    return ("modified", who, f"accepted as: {made}") if made else ("edited away", who, "")
