"""Two texts compared: which stretches of one differ from which of the other.

Lines that stand once in both anchor the comparison; between anchors lines are compared, then the
characters of each changed block. A block that has little in common is replaced whole, and so is
what remains when the work is used up: its cost has a bound.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

PAIRS_MAX = 400_000_000
COMPARED_BLOCK_MAX = 20_000
_ALIKE = 0.5
WORD = re.compile(r"\w+")

MatchingStretch = tuple[int, int, int, int]
"""What differs: start and end in the old text, start and end in the new one."""


def common_prefix(one: str, other: str) -> int:
    """Return how many characters the two texts share at their start."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle)
    return low


def common_suffix(one: str, other: str) -> int:
    """Return how many characters the two texts share at their end."""
    low, high = 0, min(len(one), len(other))
    if one[len(one) - high :] == other[len(other) - high :]:
        return high
    while low < high - 1:
        middle = (low + high) // 2
        ends = len(one) - low, len(other) - low
        same = one[len(one) - middle : ends[0]] == other[len(other) - middle : ends[1]]
        low, high = (middle, high) if same else (low, middle)
    return low


@dataclass(slots=True)
class Comparison:
    """Two texts, and how many pairs of lines or characters may still be compared."""

    old: str
    new: str
    pairs_left: int = field(default=PAIRS_MAX)

    def blocks(self) -> Iterator[MatchingStretch]:
        """Give the changed lines, without what they share at their start and end."""
        for block in self._lines():
            yield self._trimmed(*block)

    def characters(self, *, by_words: bool) -> Iterator[MatchingStretch]:
        """Give the changed characters; by words, those of each changed word."""
        blocks = self._words() if by_words else self.blocks()
        for a, b, c, d in blocks:
            if a == b and c == d:
                continue
            old, new = self.old[a:b], self.new[c:d]
            if self._comparable(old, new):
                for stretch in _changes(old, new):
                    yield a + stretch[0], a + stretch[1], c + stretch[2], c + stretch[3]
            else:
                yield a, b, c, d

    def _lines(self) -> Iterator[MatchingStretch]:
        one, other = self.old.splitlines(keepends=True), self.new.splitlines(keepends=True)
        here = list(accumulate(map(len, one), initial=0))
        there = list(accumulate(map(len, other), initial=0))
        for a, b, c, d in _gaps(one, other):
            whole = [(0, b - a, 0, d - c)]
            afforded = self.affords(b - a, d - c)
            for e, f, g, h in sequence_changes(one[a:b], other[c:d]) if afforded else whole:
                yield here[a + e], here[a + f], there[c + g], there[c + h]

    def _words(self) -> Iterator[MatchingStretch]:
        """Give what lies between the words that stay."""
        for a, b, c, d in self._lines():
            one = [match.span() for match in WORD.finditer(self.old, a, b)]
            other = [match.span() for match in WORD.finditer(self.new, c, d)]
            if max(b - a, d - c) <= COMPARED_BLOCK_MAX and self.affords(len(one), len(other)):
                for i, j in self._same_words(one, other):
                    yield self._trimmed(a, one[i][0], c, other[j][0])
                    a, c = one[i][1], other[j][1]
            yield self._trimmed(a, b, c, d)

    def _same_words(
        self, one: list[tuple[int, int]], other: list[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        changes = sequence_changes(
            [self.old[start:end] for start, end in one],
            [self.new[start:end] for start, end in other],
        )
        i = j = 0
        for a, b, c, d in [*changes, (len(one), 0, len(other), 0)]:
            yield from zip(range(i, a), range(j, c), strict=True)
            i, j = b, d

    def _trimmed(self, a: int, b: int, c: int, d: int) -> MatchingStretch:
        """Leave out what two versions of a block share at their start and end."""
        if a == b or c == d:
            return a, b, c, d
        head = common_prefix(self.old[a:b], self.new[c:d])
        tail = common_suffix(self.old[a + head : b], self.new[c + head : d])
        return a + head, b - tail, c + head, d - tail

    def _comparable(self, old: str, new: str) -> bool:
        from rapidfuzz.distance import Indel  # late: most calls need none

        if not old or not new or max(len(old), len(new)) > COMPARED_BLOCK_MAX:
            return False
        if not self.affords(len(old), len(new)):
            return False
        return Indel.normalized_similarity(old, new, score_cutoff=_ALIKE) >= _ALIKE

    def affords(self, old: int, new: int) -> bool:
        """Tell whether so many pairs may still be compared; from then on they have been."""
        if old * new > self.pairs_left:
            return False
        self.pairs_left -= old * new
        return True


def _gaps(one: list[str], other: list[str]) -> Iterator[MatchingStretch]:
    """Give what lies between the lines that stand once in each text, in the same order."""
    counts, others = Counter(one), Counter(other)
    place = {line: row for row, line in enumerate(other) if others[line] == 1}
    once = [row for row, line in enumerate(one) if counts[line] == 1 and line in place]
    a = c = 0
    for row in _rising(once, [place[one[row]] for row in once]):
        b, d = row, place[one[row]]
        if b > a or d > c:
            yield a, b, c, d
        a, c = b + 1, d + 1
    if a < len(one) or c < len(other):
        yield a, len(one), c, len(other)


def _rising(rows: list[int], places: list[int]) -> list[int]:
    """Return the longest choice of rows whose places rise."""
    tops: list[int] = []
    lasts: list[int] = []
    before: list[int] = []
    for index, place in enumerate(places):
        pile = bisect_left(tops, place)
        before.append(lasts[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [place]
        lasts[pile : pile + 1] = [index]
    chosen: list[int] = []
    index = lasts[-1] if lasts else -1
    while index >= 0:
        chosen.append(rows[index])
        index = before[index]
    return chosen[::-1]


def sequence_changes(old: list[str], new: list[str]) -> list[MatchingStretch]:
    """Compare lists of lines or words."""
    # Numbers, because the comparison trusts hashes and two lines may share one.
    names: dict[str, int] = {}
    return _changes(
        [names.setdefault(line, len(names)) for line in old],
        [names.setdefault(line, len(names)) for line in new],
    )


def _changes(old: Sequence[int] | str, new: Sequence[int] | str) -> list[MatchingStretch]:
    """Compare exactly, joining neighbouring deletions and insertions."""
    from rapidfuzz.distance import Indel  # late: most calls need none

    found: list[MatchingStretch] = []
    for code in Indel.opcodes(old, new):
        a, b, c, d = code.src_start, code.src_end, code.dest_start, code.dest_end
        if code.tag == "equal":
            continue
        if found and found[-1][1] == a and found[-1][3] == c:
            a, _, c, _ = found.pop()
        found.append((a, b, c, d))
    return found
