"""Some revisions taken back, all others kept: the text as if those had never been.

The history is played over *pieces*: text that stands, and *ghosts*, passages of others that the
undone revisions deleted, which keep their place in the row while others write around them. At the
end the undone revisions' own pieces go and the ghosts come back. New text goes behind the ghosts
of its place, and text that came in the stead of another stands where that stood. Where somebody
else wrote right beside a ghost, its place is not known any more; nor is it when somebody else
deleted all around it. Such a ghost is unclear.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from commonplace.core.history.blame import BEFORE_HISTORY, Blame, BlameRun
from commonplace.core.history.deltas import Delta, PassageChange


@dataclass(frozen=True, slots=True)
class Step:
    """A revision of the history: what it changed, and how far it is to be undone.

    `inserts` if its new text is to go, `deletes` if what it took away is to come back. `accepts` if
    it accepted suggestions: what goes with the marks of one goes in the name of whoever set the
    marks. `revives` if it put back what was deleted before (an undo, a restoration): then it
    filled a ghost's place. `redoes` if it may have taken such a passage away again (an undo of an
    undo): then it is a ghost as before. `settles` if what was unclear was put to a person with it:
    that is not listed again.
    """

    revision: int
    delta: Delta
    inserts: bool = False
    deletes: bool = False
    accepts: bool = False
    revives: bool = False
    redoes: bool = False
    settles: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that goes or comes back: where in the text before the undo, its text, its author.

    `place` is where it is, or would be, in the text after.
    """

    kind: Literal["remove", "restore", "unclear"]
    start: int
    text: str
    revision: int
    place: int


@dataclass(frozen=True, slots=True)
class Undone:
    """What to change in the text, all passages of it, and those left for a person to decide."""

    delta: Delta
    passages: tuple[Passage, ...]

    @property
    def unclear(self) -> tuple[Passage, ...]:
        """The passages whose place nobody knows any more; the delta leaves them out."""
        return tuple(each for each in self.passages if each.kind == "unclear")


@dataclass(frozen=True, slots=True)
class _TextPiece:
    text: str
    author: int
    mine: bool
    ghost: bool = False
    unclear: bool = False
    loose: bool = False
    revived: bool = False


def undo(blame: Blame, text: str, steps: Iterable[Step], mine: Callable[[int], bool]) -> Undone:
    """Return what leads from the text after all steps to the text without some of them.

    `text` and `blame` are from before the first step; `mine` tells of a revision whether its text
    is to go, for passages that a later revision put back.
    """
    pieces = _pieces(blame, text, mine)
    for step in steps:
        pieces = _Player(pieces, step, mine).played()
    return _undone(pieces)


def _pieces(blame: Blame, text: str, mine: Callable[[int], bool]) -> list[_TextPiece]:
    found: list[_TextPiece] = []
    at = 0
    for length, revision in blame:
        found.append(_TextPiece(text[at : at + length], revision, mine(revision)))
        at += length
    if at < len(text):
        found.append(_TextPiece(text[at:], BEFORE_HISTORY, mine=False))
    return found


@dataclass(frozen=True, slots=True)
class _RemovedText:
    """Text that a change took away: whether it begins and ends with others', and in a ghost.

    `passed` are the ghosts that stood in it and have lost their neighbours with it.
    """

    begins: bool
    ends: bool
    leaves: bool
    passed: tuple[int, ...]


class _Player:
    """Plays one step over the pieces."""

    def __init__(
        self, pieces: Sequence[_TextPiece], step: Step, mine: Callable[[int], bool]
    ) -> None:
        self._rest = list(reversed(pieces))
        self._step = step
        self._mine = mine
        self._out: list[_TextPiece] = []
        self._at = 0

    def played(self) -> list[_TextPiece]:
        for change in self._step.delta:
            self._copy_to(change.start)
            left = len(self._out)
            taken = self._take_away(change.end)
            behind = self._copy_ghosts()
            if change.added:
                self._put_in(change, taken, left, len(self._out) - behind)
            for index in taken.passed:
                self._out[index] = replace(self._out[index], unclear=self._out[index].ghost)
        self._out += reversed(self._rest)
        if self._step.settles:
            self._out = [piece for piece in self._out if not piece.unclear]
        return _joined(self._out)

    def _next(self, upto: int) -> _TextPiece:
        """Take the next piece; of text that stands, no more than up to a place."""
        piece = self._rest.pop()
        if piece.ghost:
            return piece
        if (room := upto - self._at) < len(piece.text):
            self._rest.append(replace(piece, text=piece.text[room:]))
            piece = replace(piece, text=piece.text[:room])
        self._at += len(piece.text)
        return piece

    def _copy_to(self, upto: int) -> None:
        while self._at < upto:
            self._out.append(self._next(upto))
        self._copy_ghosts()

    def _copy_ghosts(self) -> int:
        before = len(self._out)
        while self._rest and self._rest[-1].ghost:
            self._out.append(self._rest.pop())
        return len(self._out) - before

    def _take_away(self, upto: int) -> "_RemovedText":
        """Take text away."""
        deletes, leaves = self._step.deletes, False
        if self._step.accepts and self._rest:
            deletes = deletes or self._rest[-1].mine
        mine: list[bool] = []
        passed: list[int] = []
        while self._at < upto:
            piece = self._next(upto)
            if piece.ghost:  # others deleted on both sides of it
                if not deletes:
                    passed.append(len(self._out))
                self._out.append(piece)
                leaves = False  # the new text came in the stead of what stood before this one
                continue
            mine.append(piece.mine)
            if not piece.mine and (deletes or (self._step.redoes and piece.revived)):
                self._out.append(replace(piece, ghost=True))
                leaves = True
        begins, ends = bool(mine) and not mine[0], bool(mine) and not mine[-1]
        return _RemovedText(begins, ends, leaves, tuple(passed))

    def _put_in(self, change: PassageChange, taken: "_RemovedText", left: int, right: int) -> None:
        """Put new text in; the ghosts from `left` on stood in what it replaces, or after `right`.

        Where it replaces text of others, it stands where that stood, on the same side of ghosts.
        """
        if self._step.revives and not self._step.inserts and self._revive(change.added):
            return
        fresh = list(self._fresh(change))
        unknown = list(range(left, right))
        if not taken.begins:
            unknown += self._gap(left)
        if not taken.ends:
            unknown += range(right, len(self._out))
        if any(not piece.mine for piece in fresh):
            for index in unknown:
                self._out[index] = replace(self._out[index], unclear=self._out[index].ghost)
        elif unknown and not (taken.leaves and (taken.ends or right == len(self._out))):
            fresh = [replace(piece, loose=True) for piece in fresh]
        at = right if taken.ends else len(self._out)
        self._out[at:at] = fresh

    def _fresh(self, change: PassageChange) -> Iterable[_TextPiece]:
        at = 0
        step = self._step
        for length, author in change.origins or ((len(change.added), step.revision),):
            mine = step.inserts or (bool(change.origins) and self._mine(author))
            yield _TextPiece(change.added[at : at + length], author, mine)
            at += length

    def _gap(self, end: int) -> range:
        """Return where the ghosts are between a place and the text that stands before.

        Text that is to go tells their place only if it came in their stead.
        """
        first = end
        while first and (self._out[first - 1].ghost or self._out[first - 1].loose):
            first -= 1
        return range(first, end)

    def _revive(self, added: str) -> bool:
        """Let ghosts stand again if this text is theirs: all of a place, or all but the unclear."""
        gap = self._gap(len(self._out))
        return any(
            self._revive_run(added, range(first, gap.stop), unclear=unclear)
            for unclear in (True, False)
            for first in gap
        )

    def _revive_run(self, added: str, run: range, *, unclear: bool) -> bool:
        text, found = "", list[int]()
        for index in run:
            piece = self._out[index]
            if not piece.ghost:
                return False
            if piece.unclear and not unclear:
                continue
            text += piece.text
            found.append(index)
            if text == added:
                for each in found:
                    self._out[each] = replace(
                        self._out[each], ghost=False, unclear=False, revived=True
                    )
                return True
        return False


def _joined(pieces: Sequence[_TextPiece]) -> list[_TextPiece]:
    """Join neighbours that differ in their text alone."""
    found: list[_TextPiece] = []
    for piece in pieces:
        if found and _alike(found[-1], piece):
            found[-1] = replace(piece, text=found[-1].text + piece.text)
        else:
            found.append(piece)
    return found


def _alike(one: _TextPiece, other: _TextPiece) -> bool:
    return (
        one.author == other.author
        and one.ghost == other.ghost
        and one.mine == other.mine
        and one.unclear == other.unclear
        and one.loose == other.loose
        and one.revived == other.revived
    )


@dataclass(slots=True)
class _Space:
    """What goes and comes back between two characters that stay."""

    start: int
    place: int
    removed: str = ""
    added: str = ""
    origins: list[BlameRun] = field(default_factory=list[BlameRun])
    passages: list[Passage] = field(default_factory=list[Passage])

    def take(self, piece: _TextPiece) -> None:
        start, place = self.start + len(self.removed), self.place + len(self.added)
        kind: Literal["remove", "restore", "unclear"] = "remove"
        if piece.ghost:
            kind = "unclear" if piece.unclear else "restore"
        self.passages.append(Passage(kind, start, piece.text, piece.author, place))
        if kind == "remove":
            self.removed += piece.text
        elif kind == "restore":
            self.added += piece.text
            self.origins.append((len(piece.text), piece.author))

    @property
    def change(self) -> PassageChange:
        return PassageChange(self.start, self.removed, self.added, tuple(self.origins))


def _undone(pieces: Sequence[_TextPiece]) -> Undone:
    changes: list[PassageChange] = []
    passages: list[Passage] = []
    group = _Space(0, 0)
    for piece in (*pieces, _TextPiece("", BEFORE_HISTORY, mine=False)):
        if piece.ghost or piece.mine:
            group.take(piece)
            continue
        if group.removed or group.added:
            changes.append(group.change)
        passages += group.passages
        start = group.start + len(group.removed) + len(piece.text)
        group = _Space(start, group.place + len(group.added) + len(piece.text))
    return Undone(tuple(changes), tuple(passages))
