"""People's comments that match a pattern: they are in no accepted view, and so in no corpus.

A note that has some is longer on disk than in the corpus, so few notes have to be read; which of
those have none is remembered until they change. Where too many are left, the answer says so.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio.to_thread

from commonplace.core import critic
from commonplace.core.text.quotation import one_line
from commonplace.errors import NotFound, Unreadable
from commonplace.vault.index.catalog import CatalogEntry
from commonplace.vault.index.reader import Index
from commonplace.vault.index.threads import Aside
from commonplace.vault.search import ripgrep
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.search.texts import Texts
from commonplace.vault.threads import aside_if_long

_NOTES_MAX = 2_000

Pick = Callable[[Collection[int]], list[CatalogEntry]]
"""Tells the entries of some notes, of all that are searched, newest first."""
CommentLines = tuple[tuple[int, str], ...]
"""Comments of a note as `{>>…<<}`, each with its line in the accepted view."""


@dataclass(frozen=True, slots=True)
class CommentMatches:
    """The comments that match, by note; how many notes were looked at, of how many."""

    found: Mapping[int, CommentLines] = field(default_factory=dict[int, CommentLines])
    looked: int = 0
    total: int = 0

    @property
    def notice(self) -> tuple[str, ...]:
        """Say it where notes were left out."""
        told = (
            f"[Comments were searched in the {self.looked:,} newest of {self.total:,} notes that"
            " may have some. Narrow path or glob to search those of others.]"
        )
        return (told,) if self.looked < self.total else ()


class CommentSearch:
    """Looks for a pattern in comments."""

    def __init__(self, aside: Aside, texts: Texts) -> None:
        self._aside = aside
        self._texts = texts
        self._without: dict[int, int] = {}

    async def matching(self, pattern: Pattern, pick: Pick) -> CommentMatches:
        """Return the comments that match, by note, in the newest notes that have any."""
        longer = await self._aside.ask(Index.longer_on_disk)
        wanted = [
            entry for entry in pick(longer) if self._without.get(entry.note) != entry.mtime_ns
        ]
        looked = wanted[:_NOTES_MAX]
        rows = [(entry.note, *row) for entry in looked for row in await self._comments(entry)]
        texts = [f"{{>>{one_line(text, len(text))}<<}}" for _, _, text in rows]
        hits = await anyio.to_thread.run_sync(_matching, pattern, texts) if rows else []
        found: dict[int, list[tuple[int, str]]] = {}
        for note, line, text in (rows[at] for at in hits):
            found.setdefault(note, []).append((line, f"{{>>{one_line(text)}<<}}"))
        by_note = {note: tuple(lines) for note, lines in found.items()}
        return CommentMatches(by_note, len(looked), len(wanted))

    async def _comments(self, entry: CatalogEntry) -> list[tuple[int, str]]:
        try:
            marked = await self._texts.marked(entry.path)
        except (NotFound, Unreadable):
            return []
        found = await aside_if_long(critic.remark_lines, marked) if "{>>" in marked else []
        if not found:
            self._without[entry.note] = entry.mtime_ns
        return found


def _matching(pattern: Pattern, lines: Sequence[str]) -> list[int]:
    haystack = [line.encode() for line in lines]
    starts: dict[int, int] = {}
    at = 0
    for number, line in enumerate(haystack):
        starts[at] = number
        at += len(line) + 1
    by_line = replace(pattern, multiline=False)
    return [starts[offset] for offset in ripgrep.lines_in(by_line, b"\n".join(haystack))]
