"""Search notes: by a pattern, by words, by meaning.

grep is ripgrep over the corpus; what is not in it yet is looked up in the files, so an answer is
complete at any time.
"""

import logging
import sqlite3
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Literal, overload

import anyio
import anyio.to_thread

from commonplace.core import frontmatter, markdown, paths
from commonplace.core.links import fold
from commonplace.core.search import snippets, undecided_text
from commonplace.core.search.query import SearchQuery
from commonplace.core.search.ranking import Ranked
from commonplace.core.text import words
from commonplace.errors import Unavailable
from commonplace.vault.embeddings.semantic import NEAR_NOTES_MAX, Near, SemanticSearch
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.catalog import CatalogEntry
from commonplace.vault.index.corpus.ranges import Span
from commonplace.vault.index.mirror import Contents
from commonplace.vault.index.reader import About, Index
from commonplace.vault.index.threads import Aside
from commonplace.vault.search import grep as engine, ripgrep
from commonplace.vault.search.comments import CommentLines, CommentMatches, CommentSearch, Pick
from commonplace.vault.search.listing import Listing
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.search.texts import Texts
from commonplace.vault.settings import Settings

logger = logging.getLogger(__name__)
_FEW_OF = 50
Order = Literal["relevance", "modified", "name"]


@dataclass(frozen=True, slots=True)
class NoteMatch:
    """A note that matches a pattern: where, and its text when it is asked for."""

    path: str
    spans: Sequence[Span]
    text: Callable[[], bytes]
    comments: CommentLines = ()


class Matches(Sequence[NoteMatch]):
    """Notes that match, each made when somebody looks: there may be very many."""

    def __init__(
        self,
        entries: list[CatalogEntry],
        hits: engine.Hits,
        text: Callable[[int], bytes],
        comments: CommentMatches,
    ) -> None:
        self._entries = entries
        self._hits = hits
        self._text = text
        self._comments = comments

    @property
    def notice(self) -> tuple[str, ...]:
        """Say it where notes were left out."""
        return self._comments.notice

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> NoteMatch: ...
    @overload
    def __getitem__(self, index: slice) -> list[NoteMatch]: ...
    def __getitem__(self, index: int | slice) -> NoteMatch | list[NoteMatch]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        path, note = self._entries[index].path, self._entries[index].note
        said = self._comments.found.get(note, ())
        return NoteMatch(path, self._hits.get(note, ()), partial(self._text, note), said)


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that a search found; `undecided` if the snippet shows what nobody has decided."""

    path: str
    title: str
    score: float
    snippet: str
    matched: Sequence[str] = ()
    undecided: bool = False


class Search:
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
        meaning: SemanticSearch,
    ) -> None:
        self._settings = settings
        self._index = index
        self._aside = aside
        self._roots = roots
        self._contents = contents
        self._texts = texts
        self._listing = listing
        self.meaning = meaning
        self._comments = CommentSearch(aside, texts)

    async def grep(
        self,
        pattern: Pattern,
        chosen: Callable[[str], bool] | None = None,
        folder: str = "",
        *,
        comments: bool = False,
    ) -> Matches:
        """Find the notes that match a pattern, in `comments` too if wanted, newest first."""
        entries = await self._listing.newest(folder)
        if chosen is not None:
            entries = [entry for entry in entries if chosen(entry.path)]
        with _index_in_trouble():
            said = CommentMatches()
            pick = partial(self._of, entries, some=bool(folder or chosen))
            if comments:
                said = await self._comments.matching(pattern, pick)
            return await anyio.to_thread.run_sync(self._grep, pattern, entries, pick, said)

    def _grep(
        self,
        pattern: Pattern,
        entries: Sequence[CatalogEntry],
        pick: Pick,
        comments: CommentMatches,
    ) -> Matches:
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
        found = pick(hits.keys() | comments.found.keys())
        return Matches(found, hits, self._texts.of_note, comments)

    def _of(
        self, entries: Sequence[CatalogEntry], notes: Collection[int], *, some: bool
    ) -> list[CatalogEntry]:
        """Pick notes out of all entries, or of some: a few of all are not looked for one by one."""
        if not some and len(notes) < len(entries) // _FEW_OF:
            return self._contents.catalog.entries_of(notes)
        return [entry for entry in entries if entry.note in notes]

    def _matching_on_disk(
        self, pattern: Pattern, entries: Sequence[CatalogEntry]
    ) -> list[CatalogEntry]:
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
        await self.meaning.first_round.wait()
        allowed = await self._listing.meeting(filters) if filters else None
        return await self._ranked(query, limit, allowed)

    async def find(self, query: SearchQuery, limit: int, order: Order = "relevance") -> list[Hit]:
        """Return the notes that meet a query of the page; newest first if nothing ranks them."""
        entries = await self._listing.newest()
        allowed = None
        if query.narrows:
            allowed = await self._aside.ask(lambda index: _meeting(index, query, entries))
        if query.text:
            hits = await self._ranked(query.text, limit, allowed)
        else:
            hits = self._newest(entries, limit, allowed)
        if order == "relevance":
            return hits
        ages = {entry.path: -entry.mtime_ns for entry in entries}
        by_name = order == "name"
        return sorted(
            hits, key=lambda hit: (0 if by_name else ages.get(hit.path, 0), fold(hit.title))
        )

    async def headings(self, typed: str, limit: int) -> list[tuple[str, str]]:
        """Return headings that hold what was typed, in the newest notes first: (path, heading)."""
        signs = "".join(each if each.isalnum() else f"\\x{{{ord(each):x}}}" for each in typed)
        matches = await self.grep(Pattern(rf"^ {{0,3}}#{{1,6}}[ \t].*{signs}", ignore_case=True))
        return await anyio.to_thread.run_sync(_headings, matches[:limit], fold(typed), limit)

    def _newest(
        self, entries: Sequence[CatalogEntry], limit: int, allowed: Collection[int] | None
    ) -> list[Hit]:
        shown = (entry for entry in entries if allowed is None or entry.note in allowed)
        chosen = islice((entry.note for entry in shown), limit)
        near = [Near(note, Ranked(note, 0.0, None, None), None) for note in chosen]
        known = self._index.abouts([each.note for each in near])
        return [self._hit(each, known[each.note], "") for each in near if each.note in known]

    async def _ranked(self, query: str, limit: int, allowed: Collection[int] | None) -> list[Hit]:
        most = max(limit, NEAR_NOTES_MAX)

        async def by_words() -> dict[int, float]:
            found = await self._aside.ask(lambda index: index.words.search(query, most, allowed))
            return {hit.note: hit.score for hit in found}

        with _index_in_trouble():
            near = await self.meaning.search(query, by_words, limit, allowed)
            known = self._index.abouts([each.note for each in near])
            hits = [self._hit(each, known[each.note], query) for each in near if each.note in known]
            return self._undecided(hits)

    def _undecided(self, hits: list[Hit]) -> list[Hit]:
        """Mark the hits whose snippet shows a suggestion."""
        shown = {hit.path: hit.snippet for hit in hits}
        rows = self._index.pending.of(list(shown))
        found = {
            path
            for path, _, _, _, _, new, _, _, before, after in rows
            if undecided_text.shows(shown[path], before, new, after)
        }
        return [replace(hit, undecided=True) if hit.path in found else hit for hit in hits]

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


@contextmanager
def _index_in_trouble() -> Generator[None]:
    """Say what to do when the index cannot be read: somebody deleted it, or its disk fails."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        logger.warning("The index could not be read: %s", error)
        raise Unavailable(
            "The index cannot be read and is being repaired. Try again soon."
        ) from error


def _meeting(index: Index, query: SearchQuery, entries: Sequence[CatalogEntry]) -> set[int]:
    """Return the notes that meet every condition of a query."""
    by_path = {entry.path: entry.note for entry in entries}
    allowed = set(by_path.values())

    def tagged(tag: str) -> set[int]:
        return {by_path[path] for path, _ in index.tags.carriers(tag) if path in by_path}

    def beneath(part: str) -> set[int]:
        return {note for path, note in by_path.items() if fold(part) in fold(path)}

    for find, wanted, unwanted in (
        (index.words.holding, query.phrases, query.without),
        (tagged, query.tags, query.without_tags),
        (beneath, query.paths, query.without_paths),
    ):
        for each in wanted:
            allowed &= find(each)
        for each in unwanted:
            allowed -= find(each)
    if query.pending is not None:
        waiting = {by_path[path] for path in index.pending.counts() if path in by_path}
        allowed = allowed & waiting if query.pending else allowed - waiting
    return allowed


def _headings(matches: Sequence[NoteMatch], wanted: str, limit: int) -> list[tuple[str, str]]:
    """Read the headings that matched; a line of code that looks like one is none."""
    found: list[tuple[str, str]] = []
    for match in matches:
        scanned = markdown.scan(match.text().decode("utf-8", "replace"))
        found += [(match.path, each.text) for each in scanned.headings if wanted in fold(each.text)]
    return found[:limit]
