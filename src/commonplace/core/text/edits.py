"""Changes to a text as values: what to replace, where, by what.

An `Edit` replaces `text[start:end]`; offsets count code points. A list of edits is sorted, its
edits do not overlap, and all of its offsets mean the text before the first of them, so a list is
made at once, in any order of work.

    apply(old, diff(old, new)) == new                      for every pair of texts

`diff` is small rather than minimal (see `comparison`), and its cost has a bound.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from commonplace.core.text.comparison import (
    COMPARED_BLOCK_MAX,
    PAIRS_MAX,
    WORD,
    Comparison,
    common_prefix,
    common_suffix,
    sequence_changes,
)

BRIDGE_MAX = 3


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace `text[start:end]` by `text`."""

    start: int
    end: int
    text: str = ""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits made.

    Raises:
        ValueError: the edits overlap, are out of order or reach outside the text.

    """
    parts: list[str] = []
    done = 0
    for edit in edits:
        if not done <= edit.start <= edit.end <= len(text):
            raise ValueError(f"edit {edit.start}-{edit.end} overlaps another or leaves the text")
        parts += (text[done : edit.start], edit.text)
        done = edit.end
    parts.append(text[done:])
    return "".join(parts)


def shift(position: int, edits: Iterable[Edit], *, after: bool = False) -> int:
    """Return where a position stands once the edits are made.

    Where text is inserted at the position, or it lies inside replaced text, it moves behind the
    new text (`after`) or stays before it.
    """
    delta = 0
    for edit in edits:
        if edit.start >= position and not (after and edit.end == position):
            break
        if edit.end > position:
            return edit.start + delta + (len(edit.text) if after else 0)
        delta += len(edit.text) - (edit.end - edit.start)
    return position + delta


def diff(old: str, new: str, *, bridge: int = BRIDGE_MAX, by_words: bool = False) -> list[Edit]:
    """Return a small list of edits that turns one text into the other.

    Equal stretches of at most `bridge` characters between two changes are replaced with them.
    `by_words` no edit reaches into a word that stays, although that may be smaller.
    """
    if old == new:
        return []
    # Whole lines: a line that was added stays one edit, although it may start as the next one does.
    head = old.rfind("\n", 0, common_prefix(old, new)) + 1
    tail = common_suffix(old[head:], new[head:])
    tail = len(old) - (old.find("\n", len(old) - tail) + 1 or len(old))
    comparison = Comparison(old[head : len(old) - tail], new[head : len(new) - tail])
    found = [
        Edit(head + a, head + b, comparison.new[c:d])
        for a, b, c, d in comparison.characters(by_words=by_words)
    ]
    return _bridged(old, found, bridge)


def distance(old: str, new: str) -> int:
    """Return how many characters are put in or taken out, each changed block at its smallest."""
    from rapidfuzz.distance import Indel  # late: it is slow to load, and most calls need none

    comparison, total = Comparison(old, new), 0
    for a, b, c, d in comparison.blocks():
        far = b - a + d - c
        if max(b - a, d - c) <= COMPARED_BLOCK_MAX and comparison.affords(b - a, d - c):
            far = Indel.distance(old[a:b], new[c:d])
        total += far
    return total


def word_distance(old: str, new: str) -> int:
    """Return how many words are put in or taken out, whatever stands between them."""
    one, other = WORD.findall(old), WORD.findall(new)
    if len(one) * len(other) > PAIRS_MAX:
        return len(one) + len(other)
    return sum(b - a + d - c for a, b, c, d in sequence_changes(one, other))


def _bridged(old: str, edits: list[Edit], bridge: int) -> list[Edit]:
    joined = edits[:1]
    for edit in edits[1:]:
        last = joined[-1]
        if edit.start - last.end > bridge:
            joined.append(edit)
        else:
            between = old[last.end : edit.start]
            joined[-1] = Edit(last.start, edit.end, last.text + between + edit.text)
    return joined
