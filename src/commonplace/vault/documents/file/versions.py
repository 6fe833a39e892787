"""What a document's file held, and from which of its states another program made its text.

A program that read the file just before we wrote it, and saved just after, has not seen what we
wrote. Its text is nearer to the file as it was; taken as a change of what we wrote, the save would
take that back. A text in which somebody accepted suggestions by hand was made from the marked one,
however near to the older. A rejection by hand is the same text as a save that has not seen the
suggestion: it is taken as that, which loses nothing, and as a *doubt*. Else a file put back exactly
as it was is a wish, and is left so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.core.text.edits import Edit
from commonplace.vault.documents.engine.replica import text_of
from commonplace.vault.documents.file.beside_marks import tied_elsewhere
from commonplace.vault.documents.file.decided_by_hand import HandEnd, nearest
from commonplace.vault.log.log import FileRecord

OVERLAP_SECONDS = 5.0
# While no server runs nobody else changes the file, and an editor has nothing to notice.
AWAY_SECONDS = 60.0
STATES_MAX = 12


@dataclass(frozen=True, slots=True)
class Held:
    """A state that the file held, its text, and when we wrote another."""

    base: bytes
    text: str
    time: float


def recent(held: Iterable[Held], looked: float) -> list[Held]:
    """Keep the states that a program may have read which saves after this look, newest last.

    Only a look makes states too old: while nobody looks, saves may have come on top of saves.
    """
    return [one for one in held if looked - one.time <= OVERLAP_SECONDS][-STATES_MAX:]


def remembered(disk: FileRecord, saved: float, now: float) -> list[Held]:
    """Return the state that the file had before a restart, if its save may be made from that."""
    if disk.before is None or saved - disk.before_time > AWAY_SECONDS:
        return []
    return [Held(disk.before, text_of(disk.before), now)]


@dataclass(frozen=True, slots=True)
class Origin:
    """The state that a save was made from, by which edits, and how suggestions in it ended.

    `doubts` are suggestions that came after it, which the save perhaps rejects.
    """

    base: bytes
    ends: Mapping[str, HandEnd] = field(default_factory=dict[str, HandEnd])
    edits: Sequence[Edit] = ()
    doubts: frozenset[str] = frozenset()


def made_from(base: bytes, base_text: str, before: Iterable[Held], text: str) -> Origin:
    """Tell from which state another program made its text: the nearest, of those it can know.

    Of stories that give the same text, the one that rejects least; of those, the latest.
    """
    known = [(one.base, one.text) for one in before]
    last = nearest(base_text, text)
    if not known or (any(text == held for _, held in known) and any(last.far)):
        return Origin(base, last.ends(), last.edits())
    told = {held: nearest(held, text) for _, held in known} | {base_text: last}
    least = min(story.far for story in told.values())
    near = [
        (len(told[held].rejected), -at, state)
        for at, (state, held) in enumerate([*known, (base, base_text)])
        if told[held].far == least
    ]
    _, at, chosen = min(near)
    if -at == len(known):
        return Origin(base, last.ends(), last.edits())
    held = known[-at][1]
    story = told[held]
    doubts = last.rejected - story.rejected if last.far == least else frozenset[str]()
    edits = tied_elsewhere(story.edits(), held, base_text, story.decisions())
    return Origin(chosen, story.ends(), edits, doubts)


def settled_intent(disk: FileRecord, sha: bytes, text: str, written: float) -> FileRecord:
    """Settle which text the file was last given, when a swap may have been cut short.

    `written` is the time of the file.
    """
    if disk.intent is None or disk.intent_sha is None:
        return disk
    done = replace(
        disk,
        base_sha=disk.intent_sha,
        base=disk.intent,
        intent_sha=None,
        intent=None,
        before=disk.base,
        before_time=written,
    )
    undone = replace(disk, intent_sha=None, intent=None)
    if sha == disk.intent_sha:
        return done
    if sha == disk.base_sha:
        return undone
    # Another program wrote since: on top of the one that its text is nearer to.
    origin = made_from(
        undone.base, text_of(undone.base), [Held(done.base, text_of(done.base), 0.0)], text
    )
    return done if origin.base is done.base else undone
