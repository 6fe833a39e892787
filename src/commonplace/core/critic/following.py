"""Which suggestion is which, once edits were made to the text.

An id changes when equal suggestions come or go (see `listing`), so whoever remembers something by
id asks here what became of it. Ids are worked out for those alone that may have got another: a
long note has thousands.
"""

from collections.abc import Sequence

from commonplace.core.critic.listing import named
from commonplace.core.critic.pages import Page, read
from commonplace.core.edits import Edit


def written(after: str, edits: Sequence[Edit]) -> list[str]:
    """Name the suggestions that edits wrote, in the text that they made."""
    page = read(after)
    found: set[int] = set()
    moved = 0
    for edit in edits:
        start = edit.start + moved
        found.update(page.reached(start, start + len(edit.text)))
        moved += len(edit.text) - (edit.end - edit.start)
    ids = named(page.raws, {page.raws[at] for at in found})
    return [ids[at] for at in sorted(found)]


def carried(before: str, after: str, edits: Sequence[Edit]) -> dict[str, str]:
    """Tell the new ids of suggestions that edits left alone, where they are others."""
    then, now = read(before), read(after)
    pairs = _left_alone(then, now, edits)
    same = {one: other for one, other in pairs.items() if then.raws[one] == now.raws[other]}
    still = set(same.values())
    gone = {raw for at, raw in enumerate(then.raws) if at not in same}
    come = {raw for at, raw in enumerate(now.raws) if at not in still}
    # Of other characters the same ones stand there in the same order, so they keep their ids.
    old, new = named(then.raws, gone | come), named(now.raws, gone | come)
    return {old[at]: new[pairs[at]] for at in old if at in pairs and old[at] != new[pairs[at]]}


def _left_alone(then: Page, now: Page, edits: Sequence[Edit]) -> dict[int, int]:
    """Pair the suggestions that no edit touched with those that begin in their places now."""
    places = {group.start: at for at, group in enumerate(now.groups)}
    pairs: dict[int, int] = {}
    at = moved = 0
    end = len(then.text)
    for edit in [*edits, Edit(end, end, "")]:
        touched = then.reached(edit.start, edit.end)
        for one in range(at, touched.start):
            other = places.get(then.groups[one].start + moved)
            if other is not None:
                pairs[one] = other
        at = touched.stop
        moved += len(edit.text) - (edit.end - edit.start)
    return pairs
