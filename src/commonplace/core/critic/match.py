"""Whether a call repeats one that was made already, as when a client sends it again.

The markup that a call left is its *footprint*:

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

from commonplace.core.critic.matching import narrow, occurrences, straight
from commonplace.core.critic.pages import Page
from commonplace.core.critic.views import between

_Stretch = tuple[int, int]


def footprints(page: Page, old: str, new: str) -> int:
    """Return how many footprints of the call there are if it is a repetition, else 0."""
    if not page.groups:
        return 0
    found = _footprints(page, old, new, str)
    if found or straight(page.text) == page.text:
        return found
    return _footprints(page, old, new, straight)


def _footprints(page: Page, old: str, new: str, spell: Callable[[str], str]) -> int:
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
    page: Page, text: str, old: str, new: str, spell: Callable[[str], str]
) -> Iterator[_Stretch]:
    first, last, insert = narrow(old, new)
    before, gone, behind = old[:first], old[first:last], old[last:]
    for group, characters in zip(page.groups, page.raws, strict=True):
        raw = spell(characters)
        if len(group.marks) < 3 and (insert not in raw or gone not in raw):
            continue
        start, end = page.accepted.position(group.start), page.accepted.position(group.end)
        base, now = spell(page.base_between(group.start, group.end)), text[start:end]
        low = max(0, start - len(before))
        near = text[low : end + len(behind)]
        if base == gone and now == insert and near == before + now + behind:
            yield start - len(before), end + len(behind)
        elif new in near and _leads(
            [(base, now), (near[: start - low] + base + near[end - low :], near)],
            [(old, new), (gone, insert)],
        ):
            yield start, end


def _leads(texts: list[tuple[str, str]], changes: list[tuple[str, str]]) -> bool:
    """Tell whether one of the changes leads from one of the texts to the other beside it."""
    return any(
        part and part in base and base.replace(part, other) == now
        for base, now in texts
        for part, other in changes
    )


def _added(page: Page, text: str, new: str) -> Iterator[_Stretch]:
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
