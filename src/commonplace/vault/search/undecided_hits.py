"""A line behind the answers of searches: which of what was found nobody has decided yet."""

from collections.abc import Iterable
from itertools import islice

from commonplace.core import excerpts
from commonplace.vault.index.reader import Index
from commonplace.vault.search.search import NoteMatch

_NOTES_MAX = 1_000
_SHOWN_MAX = 20


def of_matches(index: Index, matches: Iterable[NoteMatch]) -> tuple[str, ...]:
    """Return the line for matches, nothing where all of it is decided."""
    waiting = index.pending.counts()
    looked = islice(matches, _NOTES_MAX) if waiting else ()
    pending = [match for match in looked if match.path in waiting]
    lines = {
        match.path: set(excerpts.matching_lines(match.text(), match.spans)) for match in pending
    }
    return of_lines(index, ((path, line) for path in lines for line in sorted(lines[path])))


def of_lines(index: Index, found: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return the line for lines of notes."""
    waiting = index.pending.counts()
    places = [(path, line) for path, line in found if path in waiting]
    rows = index.pending.of(sorted({path for path, _ in places}))
    undecided = {
        (row[0], row[3] + more) for row in rows for more in range(len(row[5].splitlines()))
    }
    return of_places([f"{path}:{line}" for path, line in places if (path, line) in undecided])


def of_places(places: list[str]) -> tuple[str, ...]:
    """Return the line that names places."""
    if not places:
        return ()
    more = f" and {len(places) - _SHOWN_MAX} more" if len(places) > _SHOWN_MAX else ""
    shown = ", ".join(places[:_SHOWN_MAX])
    return (f"Undecided, as it is a suggestion that nobody has accepted: {shown}{more}.",)
