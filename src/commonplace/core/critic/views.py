"""The three texts in one: as marked, as if all were accepted, as if all were rejected.

A marked text is a list of runs; a view keeps some of them, whole and in order. So each character
of a view has one place in the marked text, and the maps between them are two sorted lists.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import accumulate
from typing import NamedTuple

from commonplace.core.critic.marks import DIVIDER, Kind, Mark, Marked
from commonplace.core.critic.parse import parse


class Role(Enum):
    """What a run of characters is."""

    PLAIN = auto()
    OLD = auto()
    NEW = auto()
    DELIMITER = auto()
    """Of a suggestion: its delimiters, its metadata, the divider."""
    COMMENT = auto()
    EDGE = auto()
    """Of a highlight: its delimiters, its metadata."""


class Run(NamedTuple):
    """Characters of one role; `side` says where a comment or an edge stands."""

    start: int
    end: int
    role: Role
    side: Role


@dataclass(frozen=True, slots=True)
class TextView:
    """The characters of some runs, and where each stands in the marked text."""

    text: str
    _here: list[int] = field(repr=False)
    _there: list[int] = field(repr=False)

    def marked(self, position: int) -> int:
        """Return where the view's character at `position` stands in the marked text."""
        if not 0 <= position < len(self.text):
            raise IndexError(position)
        run = bisect_right(self._here, position) - 1
        return self._there[run] + position - self._here[run]

    def position(self, place: int) -> int:
        """Return how many of the view's characters stand before a place in the marked text."""
        run = bisect_right(self._there, place) - 1
        if run < 0:
            return 0
        after = self._here[run + 1] if run + 1 < len(self._here) else len(self.text)
        return min(self._here[run] + place - self._there[run], after)


def accepted(text: str) -> str:
    """Return the text as it reads if everything suggested were accepted."""
    return text if "{" not in text else accepted_view(parse(text)).text


def base(text: str) -> str:
    """Return the text as it reads if everything suggested were rejected."""
    return text if "{" not in text else base_view(parse(text)).text


def accepted_view(marked: Marked) -> TextView:
    """Return the accepted text with its map. It is shared, and not to be changed."""
    return marked.keep(Role.NEW, lambda: _view(marked, Role.NEW))


def base_view(marked: Marked) -> TextView:
    """Return the base text with its map. It is shared, and not to be changed."""
    return marked.keep(Role.OLD, lambda: _view(marked, Role.OLD))


def render(marked: Marked) -> str:
    """Put the runs together again: the inverse of `parse`."""
    return "".join(marked.text[run.start : run.end] for run in runs(marked))


def runs(marked: Marked, start: int = 0, end: int | None = None) -> list[Run]:
    """Divide a marked text, or the stretch `[start:end]` of it, into runs."""
    stop = len(marked.text) if end is None else end
    around = _around(marked, start, stop)
    if not (around.suggested or around.comments or around.highlights):
        return [Run(start, stop, Role.PLAIN, Role.PLAIN)] if start < stop else []
    found: list[Run] = []
    at, side = min([start, *(mark.start for mark in around.suggested[:1])]), Role.PLAIN
    for a, b, role, then in [*_cuts(around), (stop, stop, Role.PLAIN, None)]:
        found.append(Run(max(at, start), min(a, stop), side, side))
        found.append(Run(max(a, start), min(b, stop), role, side))
        at, side = max(at, b), then or side
    return [run for run in found if run.start < run.end]


def _around(marked: Marked, start: int, end: int) -> Marked:
    """Leave only the marks that `[start:end]` reaches into."""
    if start == 0 and end == len(marked.text):
        return marked
    return Marked(
        marked.text,
        between(marked.suggested, start, end),
        between(marked.comments, start, end),
        [mark for mark in marked.highlights if mark.start < end and start < mark.end],
        marked.fences,
    )


def between(marks: list[Mark], start: int, end: int) -> list[Mark]:
    """Return those of some marks, sorted and apart, that `[start:end]` reaches into."""
    first = bisect_right(marks, start, key=lambda mark: mark.end)
    return marks[first : bisect_left(marks, end, key=lambda mark: mark.start)]


def text_between(marked: Marked, start: int, end: int, side: Role) -> str:
    """Return what a view shows of the stretch `[start:end]`."""
    return "".join(marked.text[a:b] for a, b in _kept(marked, start, end, side))


def _view(marked: Marked, side: Role) -> TextView:
    text = marked.text
    kept = _kept(marked, 0, len(text), side)
    if kept == [(0, len(text))]:
        return TextView(text, [0], [0])
    parts = [text[start:end] for start, end in kept]
    here = list(accumulate(map(len, parts), initial=0))[:-1]
    return TextView("".join(parts), here, [start for start, _ in kept])


def _kept(marked: Marked, start: int, end: int, side: Role) -> list[tuple[int, int]]:
    """Return the plain stretches, and those of one side, inside `[start:end]`."""
    around = _around(marked, start, end)
    shown = _shown(around.suggested, start, end, side)
    hidden = [(mark.start, mark.end) for mark in around.comments]
    hidden += [(mark.start, mark.body) for mark in around.highlights]
    hidden += [(mark.tail, mark.end) for mark in around.highlights]
    return list(_less(shown, sorted(hidden))) if hidden else shown


def _shown(suggested: list[Mark], start: int, end: int, side: Role) -> list[tuple[int, int]]:
    shown: list[tuple[int, int]] = []
    is_new = side is Role.NEW
    at = start
    for mark in suggested:
        begin = mark.start
        if at < begin:
            shown.append((at, begin))
        a, b = mark.new if is_new else mark.old
        if a < b:  # most marks have one side
            a, b = max(a, start), min(b, end)
            if a < b:
                shown.append((a, b))
        at = mark.end
    if at < end:
        shown.append((at, end))
    return shown


def _less(shown: list[tuple[int, int]], hidden: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Leave out of some stretches, sorted and apart, what others cover."""
    next_hidden = 0
    for start, end in shown:
        at = start
        while next_hidden < len(hidden) and hidden[next_hidden][0] < end:
            a, b = hidden[next_hidden]
            if at < a:
                yield at, a
            at = max(at, b)
            next_hidden += 1
        if at < end:
            yield at, end


def _cuts(marked: Marked) -> list[tuple[int, int, Role, Role | None]]:
    """List what no view shows, in order: start, end, role, and the side that begins behind it."""
    cuts: list[tuple[int, int, Role, Role | None]] = []
    for kind, start, body, middle, tail, end, _ in marked.suggested:
        first = Role.NEW if kind is Kind.INSERTED else Role.OLD
        cuts.append((start, body, Role.DELIMITER, first))
        if kind is Kind.REPLACED:
            cuts.append((middle, middle + len(DIVIDER), Role.DELIMITER, Role.NEW))
        cuts.append((tail, end, Role.DELIMITER, Role.PLAIN))
    cuts += [(mark.start, mark.end, Role.COMMENT, None) for mark in marked.comments]
    cuts += [(mark.start, mark.body, Role.EDGE, None) for mark in marked.highlights]
    cuts += [(mark.tail, mark.end, Role.EDGE, None) for mark in marked.highlights]
    # No two begin at the same place, so nothing but the first number is compared.
    cuts.sort()
    return cuts


_KINDS = {Role.OLD: Kind.DELETED, Role.NEW: Kind.INSERTED}


def marked_by_line(text: str) -> str:
    """Return a text whose suggestions are marked anew in each line; authors are left out.

    For people who see only some lines of a suggestion that runs over many, and whose delimiters
    stand at the first and the last:

        {++one        {++one++}
        two++}        {++two++}
    """
    return "".join(_parts(text)) if "{" in text else text


def _parts(text: str) -> Iterator[str]:
    for run in runs(parse(text)):
        part = text[run.start : run.end]
        if (kind := _KINDS.get(run.role)) is not None:
            yield "\n".join(
                f"{kind.opener}{line}{kind.closer}" if line else "" for line in part.split("\n")
            )
        elif run.role is not Role.DELIMITER:
            yield part
