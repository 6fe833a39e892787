"""The parts of change sets, put together."""

from dataclasses import dataclass

from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Intents
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.log import Log
from commonplace.vault.notes.trash import Trash
from commonplace.vault.notes.write import NoteWriter
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.sets.approve import WriteAnswers
from commonplace.vault.sets.assess import Assessor
from commonplace.vault.sets.contents import SetReader
from commonplace.vault.sets.decide import SetDecisions
from commonplace.vault.sets.feedback import Feedback
from commonplace.vault.sets.old_records import OldRecords
from commonplace.vault.sets.parked_writes import NoteRenames, ParkedWrites, Texts
from commonplace.vault.sets.remarks import SetRemarks
from commonplace.vault.sets.sets import Sets
from commonplace.vault.sets.steps import Steps
from commonplace.vault.suggestions.authorship import Authorship
from commonplace.vault.suggestions.comments import Comments
from commonplace.vault.suggestions.decisions import Decisions
from commonplace.vault.suggestions.ledger import Ledger
from commonplace.vault.suggestions.pending import PendingSuggestions
from commonplace.vault.undo.write_lock import WriteLock


@dataclass(frozen=True, slots=True)
class ChangeSets:
    """What the sets are, what they hold, how they are decided, and what is risky in them.

    `answers` are for what waits, whichever set it is in.
    """

    kept: Sets
    reader: SetReader
    decisions: SetDecisions
    answers: WriteAnswers
    assessor: Assessor
    feedback: Feedback
    threads: SetRemarks


def change_sets(
    log: Log,
    late: Afterwards,
    intents: Intents,
    notes: LiveNotes,
    texts: Texts,
    ledger: Ledger,
    decided: Decisions,
    pending: PendingSuggestions,
    authorship: Authorship,
    permissions: Permissions,
    write: NoteWriter,
    trash: Trash,
    renames: NoteRenames,
    assessor: Assessor,
    comments: Comments,
    write_lock: WriteLock,
) -> ChangeSets:
    """Wire the parts; from now on sets hear of what assistants write."""
    kept = Sets(late, notes.ids.known_path)
    authorship.listen(kept.suggested)
    permissions.follow_writes(kept.written)
    reader = SetReader(kept, pending, ledger, notes, permissions)
    writes = ParkedWrites(permissions, write, notes, texts, trash, renames)
    steps = Steps(log, intents, decided, writes, notes, ledger)
    old = OldRecords(log, intents, steps, notes)
    decisions = SetDecisions(steps, old, kept, reader, writes, ledger, notes, texts, write_lock)
    answers = WriteAnswers(permissions, writes, intents)
    threads = SetRemarks(texts, comments)
    feedback = Feedback(kept, reader, ledger, late, threads)
    return ChangeSets(kept, reader, decisions, answers, assessor, feedback, threads)
