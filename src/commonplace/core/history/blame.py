"""Who wrote each character: runs (length, revision), spliced by the delta of each revision."""

from collections.abc import Iterable

from commonplace.core.history.deltas import Delta

BEFORE_HISTORY = 0
"""The revision of text that is older than the history."""

BlameRun = tuple[int, int]
"""How many characters, and the revision that wrote them."""

Blame = tuple[BlameRun, ...]


def started(text: str, revision: int = BEFORE_HISTORY) -> Blame:
    """Return the blame of a text that one revision wrote."""
    return ((len(text), revision),) if text else ()


def spliced(blame: Blame, delta: Delta, revision: int) -> Blame:
    """Return the blame of the text after a delta.

    What a change adds is of `revision`, apart from text that it put back, which stays of those who
    wrote it first.
    """
    out: list[BlameRun] = []
    rest = iter(blame)
    length, whose = next(rest, (0, BEFORE_HISTORY))
    at = 0
    for change in delta:
        for upto, kept in ((change.start, True), (change.end, False)):
            while at < upto:
                step = min(length, upto - at)
                if not step:
                    length, whose = next(rest)
                    continue
                if kept:
                    _add(out, step, whose)
                at += step
                length -= step
        for run in change.origins or ((len(change.added), revision),):
            _add(out, *run)
    _add(out, length, whose)
    _add_all(out, rest)
    return tuple(out)


def begun_by(blame: Blame, delta: Delta) -> set[int]:
    """Return the revisions that wrote the beginning of what each change of a delta takes away.

    Where a suggestion is accepted that is its first mark, so these revisions made the suggestions.
    """
    found: set[int] = set()
    runs = iter(blame)
    upto, whose = 0, BEFORE_HISTORY
    for change in delta:
        while change.removed and upto <= change.start:
            length, whose = next(runs)
            upto += length
        if change.removed:
            found.add(whose)
    return found - {BEFORE_HISTORY}


def _add_all(out: list[BlameRun], runs: Iterable[BlameRun]) -> None:
    for run in runs:
        _add(out, *run)


def _add(out: list[BlameRun], length: int, revision: int) -> None:
    if not length:
        return
    if out and out[-1][1] == revision:
        out[-1] = (out[-1][0] + length, revision)
    else:
        out.append((length, revision))
