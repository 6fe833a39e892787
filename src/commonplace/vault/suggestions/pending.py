"""What waits for a decision in the whole vault, a page at a time.

A page costs what it shows, and a count for each note that has suggestions; thousands of others are
not read. Who made a suggestion, and when, the ledger knows better than the text does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.index.queries.suggestions import PendingRow, PendingSuggestion
from commonplace.vault.index.reader import Index
from commonplace.vault.suggestions.ledger import Ledger

_Rows = tuple[list[PendingRow], int]
"""Some suggestions, and how many there are in all."""


@dataclass(frozen=True, slots=True)
class SuggestionFilter:
    """Which suggestions: of a note, beneath a folder, by an author, of a kind, up to a time."""

    path: str | None = None
    folder: str | None = None
    author: str | None = None
    kind: str | None = None
    before: float | None = None

    def covers(self, path: str) -> bool:
        """Tell whether suggestions in a note are wanted."""
        inside = f"{self.folder.rstrip('/')}/" if self.folder else ""
        return (not self.path or path == self.path) and path.startswith(inside)

    def covers_by(self, author: str | None, time: float | None) -> bool:
        """Tell whether suggestions of an author at a time are wanted."""
        in_time = self.before is None or (time is not None and time <= self.before)
        return in_time and (not self.author or author == self.author)


class PendingSuggestions:
    """Lists suggestions by the path of their note, in the order in which they stand in it."""

    def __init__(self, index: Index, notes: LiveNotes, ledger: Ledger) -> None:
        self._index = index
        self._notes = notes
        self._ledger = ledger

    async def listed(self, path: str | None = None) -> list[PendingSuggestion]:
        """List the suggestions that wait for a decision, in one note or in all."""
        return (await self.page(SuggestionFilter(path)))[0]

    async def page(
        self, wanted: SuggestionFilter, start: int = 0, limit: int | None = None
    ) -> tuple[list[PendingSuggestion], int]:
        """Return some of the suggestions that are wanted, and how many these are in all."""
        await self._notes.queue.catch_up_index()
        await self._ledger.load()
        await self._notes.ids.learn()
        end = None if limit is None else start + limit
        by_whom = wanted.author or wanted.before is not None
        rows, total = (self._filtered if by_whom else self._counted)(wanted, start, end)
        return list(map(self._credited, rows)), total

    def _counted(self, wanted: SuggestionFilter, start: int, end: int | None) -> _Rows:
        """Pass over notes by their counts alone."""
        found = self._index.pending.counts(wanted.kind).items()
        counts = sorted((path, count) for path, count in found if wanted.covers(path))
        total = sum(count for _, count in counts)
        paths, passed = _notes_of(counts, start, total if end is None else end)
        rows = self._index.pending.of(paths)
        if wanted.kind:
            rows = [row for row in rows if row[2] == wanted.kind]
        return rows[start - passed : None if end is None else end - passed], total

    def _filtered(self, wanted: SuggestionFilter, start: int, end: int | None) -> _Rows:
        """Ask the ledger of each."""
        keys = list(self._by_whom(wanted))
        chosen = set(keys[start:end])
        rows = self._index.pending.of(sorted({path for path, _ in chosen}))
        return [row for row in rows if row[:2] in chosen], len(keys)

    def _by_whom(self, wanted: SuggestionFilter) -> Iterator[tuple[str, str]]:
        for path, id, author, time in self._index.pending.authors(wanted.kind):
            if wanted.covers(path) and wanted.covers_by(*self._credit(path, id, author, time)):
                yield path, id

    def _credited(self, row: PendingRow) -> PendingSuggestion:
        path, id, kind, line, old, new, author, time, before, after = row
        author, time = self._credit(path, id, author, time)
        doubted = self._ledger.doubts.concern(self._notes.ids.known_id(path), id)
        about = (kind, line, old, new, author, time)
        return PendingSuggestion(path, id, *about, before, after, perhaps_rejected=doubted)

    def _credit(
        self, path: str, id: str, author: str | None, time: float | None
    ) -> tuple[str | None, float | None]:
        document = self._notes.ids.known_id(path)
        credit = self._ledger.credit(document, id) if document else None
        return (author, time) if credit is None else (credit.names, credit.time)


def _notes_of(counts: list[tuple[str, int]], start: int, end: int) -> tuple[list[str], int]:
    """Return the notes that hold `[start:end]` of all suggestions, and how many stand before."""
    paths: list[str] = []
    passed = at = 0
    for path, count in counts:
        if at + count <= start:
            passed += count
        elif at < end:
            paths.append(path)
        at += count
    return paths, passed
