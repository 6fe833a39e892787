"""People's comments that match a pattern: they are in no accepted view, and so in no corpus.

A note that has some is longer on disk than in the corpus, so few notes have to be read; which of
those have none is remembered until they change.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

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

_NOTES_MAX = 2_000

Pick = Callable[[Collection[int]], list[CatalogEntry]]
"""Tells the entries of some notes, of all that are searched, newest first."""
CommentLines = tuple[tuple[int, str], ...]
"""Comments of a note as `{>>…<<}`, each with its line in the accepted view."""


class CommentSearch:
    """Looks for a pattern in comments."""

    def __init__(self, aside: Aside, texts: Texts) -> None:
        self._aside = aside
        self._texts = texts
        self._without: dict[int, int] = {}

    async def matching(self, pattern: Pattern, pick: Pick) -> Mapping[int, CommentLines]:
        """Return the comments that match, by note, in the newest notes that have any."""
        longer = await self._aside.ask(Index.longer_on_disk)
        wanted = [
            entry for entry in pick(longer) if self._without.get(entry.note) != entry.mtime_ns
        ]
        rows = [row for entry in wanted[:_NOTES_MAX] for row in await self._comments(entry)]
        if not rows:
            return {}
        hits = await anyio.to_thread.run_sync(_matching, pattern, [text for _, _, text in rows])
        found: dict[int, CommentLines] = {}
        for note, line, text in (rows[at] for at in hits):
            found[note] = (*found.get(note, ()), (line, text))
        return found

    async def _comments(self, entry: CatalogEntry) -> list[tuple[int, int, str]]:
        try:
            marked = await self._texts.marked(entry.path)
        except (NotFound, Unreadable):
            return []
        found = critic.remarks(marked) if "{>>" in marked else []
        if not found:
            self._without[entry.note] = entry.mtime_ns
        return [(entry.note, each.line, f"{{>>{one_line(each.text)}<<}}") for each in found]


def _matching(pattern: Pattern, lines: Sequence[str]) -> list[int]:
    haystack = [line.encode() for line in lines]
    starts: dict[int, int] = {}
    at = 0
    for number, line in enumerate(haystack):
        starts[at] = number
        at += len(line) + 1
    by_line = replace(pattern, multiline=False)
    return [starts[offset] for offset in ripgrep.lines_in(by_line, b"\n".join(haystack))]
