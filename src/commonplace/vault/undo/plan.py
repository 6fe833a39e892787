"""What undoing somebody's revisions would do to one note.

The text is worked out by `core.history`: what others wrote stays, to the letter. What happened to
the note as a whole is read from the revisions: who created it, deleted it, renamed it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from commonplace.core import critic
from commonplace.core.critic import Signature, revise
from commonplace.core.history import Blame, Passage, Step, Undone, apply, between, undo
from commonplace.errors import CommonplaceError
from commonplace.vault.history.history import Revision
from commonplace.vault.history.timeline import without_marks
from commonplace.vault.undo.properties import with_properties

Whole = Literal["", "trash", "restore", "rename"]
OFFER = "offer"
"""The cause of suggestions that an undo leaves for a person to decide."""
_SHOWN_MAX = 200
_PASSAGES_MAX = 50


@dataclass(frozen=True, slots=True)
class Past:
    """The history of one note from the first revision that is to be undone."""

    document: str
    path: str
    text: str
    blame: Blame
    revisions: Sequence[Revision]
    chosen: frozenset[int]
    actor: str = ""

    @property
    def whole(self) -> Whole:
        """What is to happen to the note as a whole, as far as its revisions tell."""
        last = next((each for each in reversed(self.revisions) if _is_whole(each)), None)
        if last is None or last.id not in self.chosen:
            return ""
        return _WHOLE[last.cause]

    @property
    def old_path(self) -> str:
        """Where the note was before the first of the chosen renames."""
        for each in self.revisions:
            if each.id in self.chosen and each.cause == "rename" and each.note:
                return each.note
        return self.path

    def undone(self, now: str) -> Undone:
        """Work out what to change in the text as it is now."""
        mine = {each.id for each in self.revisions if self._is_text(each)}
        found = self._without(mine, now)
        return with_properties(found, now, self.text, self.revisions, self._is_text)

    @property
    def came_back(self) -> bool:
        """Whether a chosen revision brought the note back, and nobody else wrote in it since."""
        whole = [each for each in self.revisions if _is_whole(each)]
        if not whole or whole[-1].cause != "restore" or whole[-1].id not in self.chosen:
            return False
        return all(
            each.id in self.chosen or _is_link(each)
            for each in self.revisions
            if each.id > whole[-1].id
        )

    @property
    def is_new(self) -> bool:
        """Whether a chosen revision created the note."""
        created = next((each for each in self.revisions if each.cause == "create"), None)
        return created is not None and created.id in self.chosen

    def leaves_nothing(self, now: str) -> bool:
        """Tell whether the note is new and nobody else wrote in it.

        A link that followed another note's rename is nobody's word in this one.
        """
        if not self.is_new:
            return False
        if not apply(now, self.undone(now).delta).strip():
            return True
        mine = {each.id for each in self.revisions if self._is_text(each) or _is_link(each)}
        return not apply(now, self._without(mine, now).delta).strip()

    def _without(self, mine: Collection[int], now: str) -> Undone:
        steps = [self._step(each, each.id in mine) for each in self.revisions]
        last = after(self.text, self.revisions)
        if last != now:  # saved by another program, and not taken in yet
            steps.append(Step(-1, between(last, now)))
        return undo(self.blame, self.text, steps, mine.__contains__)

    def _is_text(self, each: Revision) -> bool:
        """Tell whether the text of a revision is to be undone; links go back with the rename."""
        return each.id in self.chosen and each.cause != "rename"

    def _step(self, each: Revision, mine: bool) -> Step:
        return Step(
            each.id,
            each.delta,
            inserts=mine,
            deletes=mine,
            accepts=each.cause == "accept",
            revives=each.cause in ("undo", "restore"),
            redoes=each.cause == "undo",
            settles=each.cause == OFFER and bool(self.actor) and each.set.endswith(self.actor),
        )


_WHOLE: dict[str, Whole] = {"create": "trash", "delete": "restore", "rename": "rename"}
_WHOLE["restore"] = "trash"


def _is_whole(each: Revision) -> bool:
    """Tell whether a revision is of the note as a whole; links follow another note's rename."""
    return each.cause in _WHOLE and not _is_link(each)


def _is_link(each: Revision) -> bool:
    """Tell whether a revision let a link follow another note's rename."""
    return each.cause == "rename" and not each.note


def after(text: str, revisions: Sequence[Revision]) -> str:
    """Return what revisions make of a text."""
    for each in revisions:
        text = apply(text, each.delta)
    return text


def offered(text: str, passages: Sequence[Passage], by: Signature) -> tuple[str, list[Passage]]:
    """Return the text with unclear passages as suggestions, and those that could not be made one.

    The passages' places are in this text, from the first to the last.
    """
    failed: list[Passage] = []
    for passage in reversed(passages):
        view = critic.accepted_view(critic.parse(text))
        at = view.position(passage.place)
        wanted = view.text[:at] + critic.accepted(passage.text) + view.text[at:]
        try:
            text = revise.proposed(text, wanted, by).text
        except CommonplaceError:
            failed.append(passage)
    return text, failed[::-1]


def shown(path: str, past: Past, found: Undone, whole: Whole) -> dict[str, object]:
    """Return what would happen to a note, as plain values."""
    passages = found.passages[:_PASSAGES_MAX]
    return {
        "path": path,
        "document": past.document,
        "whole": whole,
        "to": past.old_path if whole == "rename" else "",
        "passages": [
            {"kind": each.kind, "text": text}
            for each in passages
            if (text := without_marks(each.text, _SHOWN_MAX))
        ],
        "more": len(found.passages) - len(passages),
        "needs_you": len(found.unclear),
    }
