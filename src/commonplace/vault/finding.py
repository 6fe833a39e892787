"""Finding notes: by a pattern, by words, by meaning.

grep is ripgrep over the corpus; what is not in it yet is looked up in the files, so an answer is
complete at any time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import overload

import anyio
import anyio.to_thread

from commonplace.core import frontmatter, paths, snippets, words
from commonplace.vault import grep as engine, ripgrep
from commonplace.vault.aside import Aside
from commonplace.vault.catalog import Entry
from commonplace.vault.contents import Contents
from commonplace.vault.corpus import Span
from commonplace.vault.index import About, Index
from commonplace.vault.listing import Listing
from commonplace.vault.meaning import NOTES_MAX, Meaning, Near
from commonplace.vault.ripgrep import Pattern
from commonplace.vault.roots import Roots
from commonplace.vault.settings import Settings
from commonplace.vault.texts import Texts


@dataclass(frozen=True, slots=True)
class Match:
    """A note that matches a pattern: where, and its text when it is asked for."""

    path: str
    spans: Sequence[Span]
    text: Callable[[], bytes]


class Matches(Sequence[Match]):
    """Notes that match, each made when somebody looks: there may be very many."""

    def __init__(
        self, entries: list[Entry], hits: engine.Hits, text: Callable[[int], bytes]
    ) -> None:
        self._entries = entries
        self._hits = hits
        self._text = text

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> list[Match]: ...
    def __getitem__(self, index: int | slice) -> Match | list[Match]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        entry = self._entries[index]
        return Match(entry.path, self._hits[entry.note], partial(self._text, entry.note))


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that a search found."""

    path: str
    title: str
    score: float
    snippet: str
    matched: Sequence[str] = ()


class Finding:
    """Notes that match or are near what somebody asks for, best or newest first."""

    def __init__(
        self,
        settings: Settings,
        roots: Roots,
        index: Index,
        aside: Aside,
        contents: Contents,
        texts: Texts,
        listing: Listing,
        meaning: Meaning,
    ) -> None:
        self._settings = settings
        self._index = index
        self._aside = aside
        self._roots = roots
        self._contents = contents
        self._texts = texts
        self._listing = listing
        self.meaning = meaning

    async def grep(
        self, pattern: Pattern, chosen: Callable[[str], bool] | None = None, folder: str = ""
    ) -> Sequence[Match]:
        """Find the notes that match a pattern, newest first."""
        entries = await self._listing.newest(folder)
        if chosen is not None:
            entries = [entry for entry in entries if chosen(entry.path)]
        return await anyio.to_thread.run_sync(self._grep, pattern, entries)

    def _grep(self, pattern: Pattern, entries: Sequence[Entry]) -> Sequence[Match]:
        corpus, text = self._contents.corpus, self._texts.of_note
        hits: engine.Hits = {}
        if len(entries) <= engine.FEW_MAX:
            hits = engine.search_notes(pattern, [e.note for e in entries], text)
        else:
            hits = engine.search_corpus(pattern, self._settings.state, corpus)
            whole = len(corpus) == len(self._contents.catalog)
            absent = [] if whole else [entry for entry in entries if entry.note not in corpus]
            if len(absent) > engine.FEW_MAX:
                absent = self._matching_on_disk(pattern, absent)
            if absent:
                hits |= engine.search_notes(pattern, [e.note for e in absent], text)
        return Matches(
            [entry for entry in entries if entry.note in hits], hits, self._texts.of_note
        )

    def _matching_on_disk(self, pattern: Pattern, entries: Sequence[Entry]) -> list[Entry]:
        """Leave out notes that do not match as they are on disk: a build is under way."""
        found = {
            self._roots.joined(root.name, name)
            for root in self._settings.roots
            for name in ripgrep.files_with_matches(pattern, root.path)
        }
        return [entry for entry in entries if (entry.on_disk or entry.path) in found]

    async def search(
        self, query: str, limit: int, filters: Mapping[str, object] | None = None
    ) -> list[Hit]:
        """Rank notes by words and meaning; with filters, those whose properties meet them."""
        await self._listing.caught_up()
        allowed = await self._listing.meeting(filters) if filters else None
        most = max(limit, NOTES_MAX)

        async def by_words() -> dict[int, float]:
            found = await self._aside.ask(lambda index: index.words.search(query, most, allowed))
            return {hit.note: hit.score for hit in found}

        near = await self.meaning.search(query, by_words, limit, allowed)
        known = self._index.abouts([each.note for each in near])
        return [self._hit(each, known[each.note], query) for each in near if each.note in known]

    def _hit(self, near: Near, about: About, query: str) -> Hit:
        text = self._texts.of_note(near.note).decode("utf-8", "replace")
        block = frontmatter.split(text)
        start, end = near.passage or (block.body_start if block else 0, len(text))
        shown = snippets.snippet(text, words.query_terms(query), min(start, len(text)), end)
        by = (("text", near.ranked.text), ("meaning", near.ranked.meaning))
        return Hit(
            about.path,
            about.title or paths.stem(about.path),
            round(near.ranked.score, 4),
            shown,
            tuple(name for name, score in by if score is not None),
        )
