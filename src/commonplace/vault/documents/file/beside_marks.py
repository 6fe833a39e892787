"""A save merged with suggestions that came after its program read the file.

Their marks stand around words, or behind them. What the person wrote right beside such a word
would meet the mark at one place, and might end up inside it; so it is tied to its other neighbour.
Where the words on both sides of an added mark were changed, it stays between those that took their
places, counted from the nearer end of what is as it was, and never comes to stand inside a word;
a line that was added stays at the start of one.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from commonplace.core.critic import rank
from commonplace.core.critic.decide import choices
from commonplace.core.text import edits
from commonplace.core.text.edits import Edit

COMPARED_CHARS_MAX = 400_000
_PAIRS_MAX = 1_000_000
_WORD = re.compile(r"\w+")
Span = tuple[int, int]
_Stretch = tuple[int, int, list[int], list[Edit]]
"""Start and end of what is written anew, the points in it, and the edits."""


def tied_elsewhere(
    made: Sequence[Edit], held: str, now: str, decided: Sequence[Edit] = ()
) -> list[Edit]:
    """Return edits of a text that was held, none of which writes where a mark has come since.

    `decided` are those of them that decide suggestions: what these take away was no word that
    another took the place of.
    """
    spans = _marked_since(held, now)
    if not spans:
        return list(made)
    points = {start for start, end in spans if start == end}
    starts, ends = {start for start, end in spans if start < end}, {end for _, end in spans}
    done: list[Edit] = []
    words = _blanked(held, decided)
    for stretch in _stretches(made, held, sorted(points)):
        for edit, first, last in _by_side(words, held, stretch):
            behind = edit.start in ends if edit.start not in points else edit.start == first
            before = edit.end in starts or (edit.end == last and last in points)
            done += _moved(edit, held, behind=behind, before=before)
    return done


def _marked_since(held: str, now: str) -> list[Span]:
    """Tell which words suggestions that came since are about; none if more has changed."""
    if max(len(held), len(now)) > COMPARED_CHARS_MAX:
        return []
    known = {rank(each.id) for each in choices(held)}
    fresh = [each for each in choices(now) if rank(each.id) not in known]
    if edits.apply(now, [edit for each in fresh for edit in each.reject]) != held:
        return []
    spans: list[Span] = []
    gone = 0
    for each in fresh:
        less = sum(edit.end - edit.start for edit in each.reject)
        spans.append((each.start - gone, each.end - gone - less))
        gone += less
    return spans


def _stretches(made: Sequence[Edit], held: str, points: list[int]) -> Iterator[_Stretch]:
    """Put edits together that touch the words on both sides of the same point, with such points."""
    words: list[tuple[int, int, int]] = [
        (_word_start(held, at), _word_end(held, at), at) for at in points
    ]
    rest = deque(made)
    while rest:
        edit = rest.popleft()
        start, end, inside, cuts = edit.start, edit.end, [edit], list[int]()
        while near := [one for one in words if one[0] <= end and one[1] >= start]:
            words = [one for one in words if one[2] not in {at for _, _, at in near}]
            cuts += [at for _, _, at in near]
            start = _word_start(held, min(start, near[0][0]))
            end = _word_end(held, max(end, near[-1][1]))
            while rest and rest[0].start <= end:
                inside.append(rest.popleft())
                end = _word_end(held, max(end, inside[-1].end))
        yield start, end, cuts, inside


def _by_side(words: str, held: str, stretch: _Stretch) -> Iterator[tuple[Edit, int, int]]:
    """Give edits with the sides of their points: no edit reaches over one."""
    start, end, cuts, inside = stretch
    if not cuts:
        yield from ((edit, start, end) for edit in inside)
        return
    shifted = [Edit(each.start - start, each.end - start, each.text) for each in inside]
    new = edits.apply(held[start:end], shifted)
    places = [start, *cuts, end]
    then = [0, *_cut_alike(words[start:end], new, [at - start for at in cuts]), len(new)]
    for (first, last), (a, b) in zip(pairwise(places), pairwise(then), strict=True):
        for edit in edits.diff(held[first:last], new[a:b], bridge=0, by_words=True):
            yield Edit(first + edit.start, first + edit.end, edit.text), first, last


def _blanked(text: str, gone: Sequence[Edit]) -> str:
    """Return a text with spaces in the places of what is taken away."""
    return edits.apply(text, [Edit(e.start, e.end, " " * (e.end - e.start)) for e in gone])


def _cut_alike(old: str, new: str, cuts: list[int]) -> Iterator[int]:
    """Tell where in a text the places lie that are known in the one before."""
    was = [match.span() for match in _WORD.finditer(old)]
    now = [match.span() for match in _WORD.finditer(new)]
    same = _same_words([old[a:b] for a, b in was], [new[a:b] for a, b in now])
    last = 0
    for at in cuts:
        words = sum(start < at for start, _ in was)
        left, right = _same_beside(same, words)
        count = _words_before(left, right, words)
        if at and _is_word(old[at - 1]):
            place = now[count - 1][1] if count else 0
        else:
            place = now[count][0] if count < len(now) else len(new)
        if old[at - 1 : at] == "\n":
            first = now[left[1]][1] if left[1] >= 0 else 0
            end = now[right[1]][0] if right[1] < len(now) else len(new)
            place = _line_start(new, first, end, place)
        last = max(last, place)
        yield last


def _line_start(text: str, first: int, end: int, place: int) -> int:
    """Return the start of a line between two places that is nearest to one; this, if none is."""
    starts = [first + match.end() for match in re.finditer("\n", text[first:end])]
    return min(starts, key=lambda start: abs(start - place), default=place)


def _same_words(was: list[str], now: list[str]) -> list[Span]:
    """Pair the places of words that stay, and of both ends."""
    few = len(was) * len(now) <= _PAIRS_MAX
    blocks = SequenceMatcher(None, was, now, autojunk=False).get_matching_blocks() if few else ()
    pairs = [(one.a + at, one.b + at) for one in blocks for at in range(one.size)]
    return [(-1, -1), *pairs, (len(was), len(now))]


def _same_beside(same: list[Span], count: int) -> tuple[Span, Span]:
    """Return the words that stay, before and behind a place that had so many before it."""
    left = next((i, j) for i, j in reversed(same) if i < count)
    right = next((i, j) for i, j in same if i >= count)
    return left, right


def _words_before(left: Span, right: Span, count: int) -> int:
    """Tell how many words stand before a place that had so many, between words that stay."""
    before, behind, now = count - 1 - left[0], right[0] - count, right[1] - left[1] - 1
    if before + behind != now and not behind:
        before = now
    return left[1] + 1 + min(before, now)


def _moved(edit: Edit, held: str, *, behind: bool, before: bool) -> Iterator[Edit]:
    """Tie an edit to what it is to stand beside, if a mark ends where it starts, or begins."""
    start, end, text = edit.start, edit.end, edit.text
    if not text or not (behind or before):
        yield edit
    elif behind and before and end > start + 1:
        yield Edit(start, start + 1)
        yield Edit(start + 1, end, text)
    elif behind and end > start:
        yield Edit(start, end)
        yield Edit(end, end, text)
    elif behind and start < len(held):
        yield Edit(start, start + 1)  # typed anew behind the mark
        yield Edit(start + 1, start + 1, text + held[start])
    elif before and start == end and start:
        yield Edit(start - 1, start, held[start - 1] + text)
    else:
        yield edit


def _word_start(text: str, at: int) -> int:
    while at and _is_word(text[at - 1]):
        at -= 1
    return at


def _word_end(text: str, at: int) -> int:
    while at < len(text) and _is_word(text[at]):
        at += 1
    return at


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
