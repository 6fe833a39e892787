"""Which stretch of the accepted view a call means, and what it changes there."""

from collections.abc import Iterator
from dataclasses import dataclass

from commonplace.core.critic.refusals import NoChange, NoMatch, NotUnique
from commonplace.core.edits import Edit, apply, common_prefix, common_suffix, diff

SLIDE_MAX = 200

_QUOTES = (("‘’‚‛", "'"), ("“”„‟", '"'))


@dataclass(frozen=True, slots=True)
class Match:
    """Where `old` stands in the accepted view, and the edit that makes it `new` there."""

    start: int
    end: int
    edit: Edit


def matches(text: str, old: str, new: str, *, replace_all: bool) -> list[Match]:
    """Return what a call changes in the accepted view, one match an occurrence.

    `old` is found exactly or else with curly quotes taken as straight; then the document's own
    characters stay wherever `new` keeps what `old` had.

    Raises:
        NoMatch: it is not there.
        NotUnique: it is there more than once and not all shall be replaced.
        NoChange: the document says `new` already.

    """
    starts = list(occurrences(text, old)) or list(occurrences(straight(text), straight(old)))
    if not starts:
        raise NoMatch
    if len(starts) > 1 and not replace_all:
        raise NotUnique(len(starts))
    found = [Match(at, at + len(old), _change(text, at, old, new)) for at in starts]
    found = [match for match in found if match.edit.start < match.edit.end or match.edit.text]
    if not found:
        raise NoChange
    return found


def occurrences(text: str, part: str) -> Iterator[int]:
    """Find a part from left to right, as `str.replace` does."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def narrow(old: str, new: str) -> tuple[int, int, str]:
    """Return the part of `old` that goes (start, end) and what comes in its place.

    Where text is only added, or only removed, that is the part alone; a replacement stays whole.
    """
    head = common_prefix(old, new)
    short, long = sorted((old, new), key=len)
    tail = min(common_suffix(old, new), len(short) - head)
    if head + tail < len(short):
        return 0, len(old), new
    extra = len(long) - len(short)
    head = _settled(long, head, extra)
    if long is old:
        return head, head + extra, ""
    return head, head, long[head : head + extra]


def _change(text: str, start: int, old: str, new: str) -> Edit:
    found = text[start : start + len(old)]
    wanted = new if found == old else apply(found, diff(old, new, bridge=0))
    first, last, insert = narrow(found, wanted)
    return Edit(start + first, start + last, insert)


def _settled(long: str, at: int, extra: int) -> int:
    """Slide a stretch to the left, within what reads the same, to where a line or word begins."""
    best, rank = at, _rank(long, at)
    for place in range(at - 1, max(-1, at - 1 - SLIDE_MAX), -1):
        if rank > 1 or long[place] != long[place + extra]:
            break
        if _rank(long, place) > rank:
            best, rank = place, _rank(long, place)
    return best


def _rank(long: str, place: int) -> int:
    before = long[place - 1 : place] if place else " "
    return 2 if before == "\n" else int(before.isspace())


def straight(text: str) -> str:
    """Take curly quotes as straight ones, character for character."""
    for curly, straight in _QUOTES:
        for quote in curly:
            text = text.replace(quote, straight)
    return text
