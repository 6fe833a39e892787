"""Passages taken out of what is remembered of decisions: the ledger, and the way back.

A row of the ledger stays, with the passage masked. A decision whose way back holds it cannot be
taken back any more: texts are compared then, and a masked one would never fit.
"""

import json
from dataclasses import replace

from commonplace.core import critic
from commonplace.core.history.forget import unreadable
from commonplace.vault.history.intents import Json
from commonplace.vault.log.log import Log, Record
from commonplace.vault.suggestions.decisions import DECIDED
from commonplace.vault.suggestions.ends.unseen_suggestions import UnseenSuggestions
from commonplace.vault.suggestions.ledger import Decision, Ledger
from commonplace.vault.suggestions.note_decision import NoteDecision


class ForgottenDecisions:
    """Forgets passages in the records of decisions on suggestions."""

    def __init__(self, ledger: Ledger, log: Log, unseen: UnseenSuggestions) -> None:
        self._ledger = ledger
        self._unseen = unseen
        self._log = log

    async def forget(self, passage: str, document: str) -> int:
        """Forget a passage, in the records of one note or of all; return how many held it."""
        masked = await self._ledger.rewrite(lambda one: _masked(one, passage, document))
        gone = [
            Record(DECIDED, key, None)
            for key, kept in (await self._log.records(DECIDED)).items()
            if any(holds(deed, passage, document) for deed in json.loads(kept)["deeds"])
        ]
        await self._log.put_records(gone)
        return masked + len(gone) + await self._unseen.forget_passage(passage)


def _masked(one: Decision, passage: str, document: str) -> Decision:
    if document not in ("", one.document):
        return one
    old, new, reason = (unreadable(text, passage) for text in (one.old, one.new, one.reason))
    return replace(one, old=old, new=new, reason=reason)


def holds(packed: Json, passage: str, document: str) -> bool:
    """Tell whether what takes a decision back in one note holds a passage."""
    deed = NoteDecision.unpacked(packed)
    if document not in ("", deed.document):
        return False
    rows = (text for one in deed.decisions for text in (one.old, one.new, one.reason))
    texts = (deed.before, deed.after, *(each.text for each in deed.changes), *rows)
    return any(reads(text, passage) or unreadable(text, passage) != text for text in texts)


def reads(marked: str, passage: str) -> bool:
    """Tell whether a text has a passage, be it among the marks of suggestions."""
    return any(passage in text for text in (marked, critic.accepted(marked), critic.base(marked)))
