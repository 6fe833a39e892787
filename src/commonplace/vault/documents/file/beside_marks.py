"""A save merged with suggestions that came after its program read the file.

Their marks stand around words, or behind them. What the person wrote right beside such a word
would meet the mark at one place, and might end up inside it; so it is tied to its other neighbour.
"""

from collections.abc import Iterator, Sequence

from commonplace.core.critic import rank
from commonplace.core.critic.decide import choices
from commonplace.core.text.edits import Edit, apply

_CHARS_MAX = 400_000
Span = tuple[int, int]


def tied_elsewhere(made: Sequence[Edit], held: str, now: str) -> list[Edit]:
    """Return edits of a text that was held, none of which writes where a mark has come since."""
    spans = _marked_since(held, now)
    starts, ends = {start for start, end in spans if start < end}, {end for _, end in spans}
    return [one for edit in made for one in _moved(edit, held, starts, ends)]


def _marked_since(held: str, now: str) -> list[Span]:
    """Tell which words suggestions that came since are about; none if more has changed."""
    if max(len(held), len(now)) > _CHARS_MAX:
        return []
    known = {rank(each.id) for each in choices(held)}
    fresh = [each for each in choices(now) if rank(each.id) not in known]
    if apply(now, [edit for each in fresh for edit in each.reject]) != held:
        return []
    spans: list[Span] = []
    gone = 0
    for each in fresh:
        less = sum(edit.end - edit.start for edit in each.reject)
        spans.append((each.start - gone, each.end - gone - less))
        gone += less
    return spans


def _moved(edit: Edit, held: str, starts: set[int], ends: set[int]) -> Iterator[Edit]:
    start, end, text = edit.start, edit.end, edit.text
    if not text or not (start == end in starts or start in ends):
        yield edit
    elif start in ends and end > start:
        yield Edit(start, end)
        yield Edit(end, end, text)
    elif start in ends and start < len(held):
        yield Edit(start, start + 1)  # typed anew behind the mark
        yield Edit(start + 1, start + 1, text + held[start])
    elif start in starts and start:
        yield Edit(start - 1, start, held[start - 1] + text)
    else:
        yield edit
