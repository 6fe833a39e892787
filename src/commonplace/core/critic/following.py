"""Which suggestion is which, once edits were made to the text.

An id changes when equal suggestions come or go (see `listing`), so whoever remembers something by
id asks here what became of it.
"""

from bisect import bisect_left
from collections.abc import Sequence

from commonplace.core.critic.pages import places
from commonplace.core.edits import Edit


def written(after: str, edits: Sequence[Edit]) -> list[str]:
    """Name the suggestions that edits wrote, in the text that they made."""
    stretches: list[tuple[int, int]] = []
    moved = 0
    for edit in edits:
        stretches.append((edit.start + moved, edit.start + moved + len(edit.text)))
        moved += len(edit.text) - (edit.end - edit.start)
    return [id for id, start, end in places(after) if _meets(start, end, stretches)]


def carried(before: str, after: str, edits: Sequence[Edit]) -> dict[str, str]:
    """Tell the new ids of suggestions that edits left alone, where they are others."""
    ids = {start: id for id, start, _ in places(after)}
    renamed: dict[str, str] = {}
    moved = at = 0
    for id, start, end in places(before):
        while at < len(edits) and edits[at].end <= start:
            moved += len(edits[at].text) - (edits[at].end - edits[at].start)
            at += 1
        touched = at < len(edits) and edits[at].start < end
        now = None if touched else ids.get(start + moved)
        if now is not None and now != id:
            renamed[id] = now
    return renamed


def _meets(start: int, end: int, stretches: list[tuple[int, int]]) -> bool:
    """Tell whether `[start:end]` overlaps one of the stretches, which are sorted and apart."""
    last = bisect_left(stretches, (end,)) - 1
    return last >= 0 and stretches[last][1] > start
