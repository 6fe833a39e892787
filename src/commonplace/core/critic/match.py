"""Which stretch of the accepted view a call means, and whether it repeats an earlier call.

A client may send a call again. The markup that the first one left is its *footprint*:

- where the document holds a pending suggestion from exactly `old` to exactly `new`, less what the
  two have in common when text is only added or only removed;
- where the accepted view reads `new` already, and part of that is pending insertion.

A call is a repetition if `old` is gone and a footprint of the first sort is there (or of the
second, if text was only added), or if `old` is still there, but only where it meets a footprint:
`cat` in the `cat dog` that the first call made. So of two honest calls that are alike to the letter
and mean the same place, the second counts as a repetition. Failing that, the same is asked with
curly quotes taken as straight.

A text cannot remember everything: where the first call superseded other suggestions, their inserted
text is gone, and its repetition may be refused as not found, or find `old` anew in what it left.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from commonplace.core.critic.marks import Kind, cuts
from commonplace.core.critic.page import MarkedText
from commonplace.core.critic.refusals import NoChange, NoMatch, NotUnique
from commonplace.core.critic.views import between
from commonplace.core.text.comparison import common_prefix, common_suffix
from commonplace.core.text.edits import Edit, apply, diff

SLIDE_MAX = 200

_WHOLE_LINES = 3

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


def narrow(old: str, new: str, *, begins_line: bool = False) -> tuple[int, int, str]:
    """Return the part of `old` that goes (start, end) and what comes in its place.

    Where text is only added, or only removed, that is the part alone; a replacement stays whole.
    What `begins_line` stands at the beginning of one.
    """
    head = common_prefix(old, new)
    short, long = sorted((old, new), key=len)
    tail = min(common_suffix(old, new), len(short) - head)
    if head + tail < len(short):
        return 0, len(old), new
    extra = len(long) - len(short)
    head = _settled(long, head, extra, "\n" if begins_line else " ")
    if long is old:
        return head, head + extra, ""
    return head, head, long[head : head + extra]


def _change(text: str, start: int, old: str, new: str) -> Edit:
    found = text[start : start + len(old)]
    wanted = new if found == old else apply(found, diff(old, new, bridge=0))
    begins_line = not start or text[start - 1] == "\n"
    first, last, insert = narrow(found, wanted, begins_line=begins_line)
    return Edit(start + first, start + last, insert)


def _settled(long: str, at: int, extra: int, before: str) -> int:
    """Slide a stretch to the left, within what reads the same, to where lines or words begin."""
    best, rank = at, _rank(long, at, extra, before)
    for place in range(at - 1, max(-1, at - 1 - SLIDE_MAX), -1):
        if rank == _WHOLE_LINES or long[place] != long[place + extra]:
            break
        if (other := _rank(long, place, extra, before)) > rank:
            best, rank = place, other
    return best


def _rank(long: str, place: int, extra: int, before: str) -> int:
    """Rank a place for a stretch: whole lines are best, then where a line or a word begins."""
    before = long[place - 1 : place] if place else before
    first, last = long[place : place + 1], long[place + extra - 1 : place + extra]
    if before == "\n":
        return _WHOLE_LINES if last == "\n" else 2
    return 2 if first == "\n" else int(before.isspace())


def straight(text: str) -> str:
    """Take curly quotes as straight ones, character for character."""
    for curly, straight in _QUOTES:
        for quote in curly:
            text = text.replace(quote, straight)
    return text


_Stretch = tuple[int, int]


def footprints(page: MarkedText, old: str, new: str) -> int:
    """Return how many footprints of the call there are if it is a repetition, else 0."""
    if not page.groups:
        return 0
    found = _footprints(page, old, new, str)
    if found or straight(page.text) == page.text:
        return found
    return _footprints(page, old, new, straight)


def _footprints(page: MarkedText, old: str, new: str, spell: Callable[[str], str]) -> int:
    """Count them, with all texts spelt alike: as they are, or with straight quotes."""
    text, old, new = spell(page.accepted.text), spell(old), spell(new)
    exact, added = list(_exact(page, text, old, new, spell)), list(_added(page, text, new))
    if not old:
        return len(added) if text == new else 0
    still = list(occurrences(text, old))
    if not still:
        first, last, _ = narrow(old, new)
        return len(exact) or (len(added) if first == last else 0)
    prints = _merged(exact + added)
    return len(prints) if all(_meets(at, at + len(old), prints) for at in still) else 0


def _exact(
    page: MarkedText, text: str, old: str, new: str, spell: Callable[[str], str]
) -> Iterator[_Stretch]:
    ways = _ways(old, new)
    for group, characters in zip(page.groups, page.raws, strict=True):
        raw = spell(characters)
        for before, gone, insert, behind, whole in ways:
            if whole and len(group.marks) < 3 and (insert not in raw or gone not in raw):
                continue
            start, end = page.accepted.position(group.start), page.accepted.position(group.end)
            base, now = spell(page.base_between(group.start, group.end)), text[start:end]
            low = max(0, start - len(before))
            near = text[low : end + len(behind)]
            if base == gone and now == insert and near == before + now + behind:
                yield start - len(before), end + len(behind)
                break
            if new in near and _leads(
                [(base, now), (near[: start - low] + base + near[end - low :], near)],
                [(old, new), (gone, insert)],
            ):
                yield start, end
                break


def _ways(old: str, new: str) -> list[tuple[str, str, str, str, bool]]:
    """Return how the call may have been written: at the beginning of a line, or elsewhere.

    Each is what stays before, what goes, what comes, what stays behind, and whether either needs
    but one mark.
    """
    found = dict.fromkeys(narrow(old, new, begins_line=begins) for begins in (False, True))
    return [
        (
            old[:first],
            old[first:last],
            insert,
            old[last:],
            not (cuts(Kind.DELETED, old[first:last]) or cuts(Kind.INSERTED, insert)),
        )
        for first, last, insert in found
    ]


def _leads(texts: list[tuple[str, str]], changes: list[tuple[str, str]]) -> bool:
    """Tell whether one of the changes leads from one of the texts to the other beside it."""
    return any(
        part and part in base and base.replace(part, other) == now
        for base, now in texts
        for part, other in changes
    )


def _added(page: MarkedText, text: str, new: str) -> Iterator[_Stretch]:
    if not new:
        return
    at = page.accepted.marked
    for start in occurrences(text, new):
        stop = start + len(new)
        low, high = at(start), at(stop - 1) + 1
        marks = between(page.marked.suggested, low, high)
        if any(mark.new[0] < high and low < mark.new[1] for mark in marks):
            yield start, stop


def _merged(stretches: Iterable[_Stretch]) -> list[_Stretch]:
    merged: list[_Stretch] = []
    for start, end in sorted(stretches):
        if merged and start < merged[-1][1]:
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged


def _meets(start: int, end: int, stretches: list[_Stretch]) -> bool:
    """Tell whether `[start:end]` overlaps one of the stretches, which are sorted and apart."""
    last = bisect_left(stretches, (end,)) - 1
    return last >= 0 and stretches[last][1] > start
