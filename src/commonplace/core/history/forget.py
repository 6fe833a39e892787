"""A passage made unreadable in all of a history, whoever wrote it in however many pieces."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from commonplace.core.history.deltas import Delta, PassageChange, apply

MASK = "█"
# A word that is part of the passage may be anybody's; a longer piece of it is not.
_PART_MIN = 8

_Ids = list[int]


def masked(start: str, deltas: Sequence[Delta], passage: str) -> tuple[str, list[Delta]] | None:
    """Return a history in which no text has the passage; None if none ever had it.

    Each character that was ever part of it is masked wherever it stands, also in the revisions in
    which the passage was not whole yet. The first delta is the one after `start`.
    """
    hidden = _hidden(start, deltas, passage) if passage else set[int]()
    if not hidden:
        return None
    found: list[Delta] = []
    for delta, before, added in _numbered(start, deltas):
        changes = zip(delta, added, strict=True)
        found.append(tuple(_clean(change, before, fresh, hidden) for change, fresh in changes))
    return _masked(start, range(len(start)), hidden), found


def unreadable(text: str, passage: str) -> str:
    """Return a text with the passage masked; all of it, if it is no more than part of that."""
    if len(text.strip()) >= _PART_MIN and text.strip() in passage:
        return MASK * len(text)
    return text.replace(passage, MASK * len(passage))


def _hidden(start: str, deltas: Sequence[Delta], passage: str) -> set[int]:
    """Return the characters, numbered as they were written, that were ever part of the passage."""
    hidden = set(_places(start, passage))
    text, last = start, range(len(start))
    for delta, before, added in _numbered(start, deltas):
        text = apply(text, delta)
        last = _spliced(before, delta, added)
        hidden.update(last[at] for at in _places(text, passage))
    return hidden


def _numbered(start: str, deltas: Sequence[Delta]) -> Iterator[tuple[Delta, _Ids, list[_Ids]]]:
    """Yield each delta with the numbers of the characters before it, and of those it adds."""
    ids = list(range(len(start)))
    count = len(start)
    for delta in deltas:
        added: list[_Ids] = []
        for change in delta:
            added.append(list(range(count, count + len(change.added))))
            count += len(change.added)
        yield delta, ids, added
        ids = _spliced(ids, delta, added)


def _spliced(ids: _Ids, delta: Delta, added: list[_Ids]) -> _Ids:
    after = list(ids)
    for change, fresh in reversed(list(zip(delta, added, strict=True))):
        after[change.start : change.end] = fresh
    return after


def _clean(change: PassageChange, before: _Ids, added: _Ids, hidden: set[int]) -> PassageChange:
    removed = _masked(change.removed, before[change.start : change.end], hidden)
    return replace(change, removed=removed, added=_masked(change.added, added, hidden))


def _places(text: str, passage: str) -> Iterator[int]:
    at = text.find(passage)
    while at >= 0:
        yield from range(at, at + len(passage))
        at = text.find(passage, at + 1)


def _masked(text: str, ids: Sequence[int], hidden: set[int]) -> str:
    return "".join(
        MASK if id in hidden else character for character, id in zip(text, ids, strict=True)
    )
