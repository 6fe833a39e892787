"""What there is and what is known of it, from the index: lists of notes, their links and tags.

Nothing here reads a note's text but for the lines around backlinks, and for the links of a note
that the index has not reached yet.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import anyio

from commonplace.core import digest, paths, properties
from commonplace.core.links import Candidate
from commonplace.core.render import listings
from commonplace.errors import Unreadable
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.index.catalog import CatalogEntry
from commonplace.vault.index.indexer import Indexer
from commonplace.vault.index.mirror import Contents
from commonplace.vault.index.queries.links import Links
from commonplace.vault.index.reader import About, FolderRow, Index
from commonplace.vault.index.threads import Aside
from commonplace.vault.search.texts import Texts
from commonplace.vault.threads import aside_if_long

BACKLINKS_MAX = 500
_TAGS_MAX = 10_000
LISTED_SECONDS_MAX = 5.0
_NEWEST_MIN = 1_000
_NEWEST_EACH = 50
_RARE_MAX = 5_000

_Condition = tuple[str, list[str]]
_Counted = tuple[int, str, list[str]]
_CONTEXT_CHARS_MAX = 300


@dataclass(frozen=True, slots=True)
class NoteInfo:
    """A note in a listing; `modified` in seconds since 1970."""

    path: str
    title: str
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link to a note: where it stands, and the line around it."""

    path: str
    title: str
    line: int
    context: str


class Listing:
    """Answers from the index that need no search."""

    def __init__(
        self,
        index: Index,
        aside: Aside,
        contents: Contents,
        indexer: Indexer,
        notes: LiveNotes,
        texts: Texts,
        *,
        several_roots: bool,
    ) -> None:
        self._index = index
        self._aside = aside
        self._contents = contents
        self._indexer = indexer
        self._notes = notes
        self._texts = texts
        self._several_roots = several_roots

    async def newest(self, folder: str = "") -> list[CatalogEntry]:
        """List the notes beneath a folder, newest first."""
        self._texts.require_roots()
        await self._notes.queue.catch_up_index()
        folder = paths.folder_path(folder)
        if not self._texts.is_folder(folder):
            raise self._texts.no_folder(folder)
        with anyio.move_on_after(LISTED_SECONDS_MAX):
            await self._indexer.state.listed.wait()
        entries = self._contents.catalog.newest()
        beneath = folder + "/"
        return [e for e in entries if e.path.startswith(beneath)] if folder else entries

    async def inside(self, folder: str, limit: int, *, deep: bool = True) -> list[FolderRow]:
        """List the notes in a folder, by path."""
        inside = paths.folder_path(folder)
        if not self._texts.is_folder(inside):
            raise self._texts.no_folder(inside)
        await self.newest()  # the index knows of every note
        within = inside and f"{inside}/"
        return await self._aside.ask(lambda index: index.beneath(within, limit, deep=deep))

    async def having(self, query: Mapping[str, object], limit: int) -> list[About]:
        """Return the notes whose properties meet a query, newest first."""
        conditions = properties.wanted(query)
        entries = await self.newest()
        if not conditions:
            return self._known([entry.note for entry in entries[:limit]])
        window = max(_NEWEST_MIN, _NEWEST_EACH * limit)
        newest = {entry.note for entry in entries[:window]}
        found = await self._aside.ask(lambda index: _newest(index, conditions, newest, limit))
        return self._known(self._contents.catalog.newest_of(found, limit))

    async def count_having(self, query: Mapping[str, object]) -> int:
        """Count the notes whose properties meet a query."""
        found = await self.meeting(query)
        return len(await self.newest()) if found is None else len(found)

    async def meeting(self, query: Mapping[str, object]) -> set[int] | None:
        """Return the numbers of all notes whose properties meet a query; None if all notes do."""
        conditions = properties.wanted(query)
        await self.newest()  # the index knows of every note
        if not conditions:
            return None
        return await self._aside.ask(lambda index: _meeting(index, conditions))

    async def page(self, after: str | None, limit: int) -> tuple[Sequence[NoteInfo], str | None]:
        """List notes by name, some at a time."""
        await self._indexer.state.listed.wait()
        found = self._index.page(after, limit + 1)
        infos = [
            NoteInfo(a.path, a.title or paths.stem(a.path), a.size, a.mtime_ns / 1e9)
            for a in found[:limit]
        ]
        return infos, infos[-1].path if len(found) > limit else None

    async def complete(self, prefix: str, limit: int) -> list[str]:
        """List the notes whose path, or whose name, starts with what was typed."""
        await self._indexer.state.listed.wait()
        return self._index.complete(prefix, limit)

    async def other_names(self, typed: str, limit: int) -> list[Candidate]:
        """List the notes with an alias or a title that holds what was typed."""
        await self._indexer.state.listed.wait()
        return await self._aside.ask(lambda index: index.links.other_names(typed, limit))

    async def about(self, path: str) -> About:
        """Return what is known of a note without its text."""
        found = self._texts.find(path)
        await self._notes.queue.catch_up_index()
        about = self._index.about(found)
        if about is None or (about.title is None and about.problem is None):
            await self._indexer.update([found])
            about = self._index.about(found)
        if about is None:
            raise listings.not_found(found)
        return about

    async def title(self, path: str) -> str | None:
        """Return a note's title; None if it cannot be read. A first build is not waited for."""
        found = self._texts.find(path)
        known = self._index.about(found)
        if self._indexer.unfinished is None or (known is not None and known.title is not None):
            return (await self.about(found)).title
        try:
            return (await self._digest(found)).title
        except Unreadable:
            return None

    async def links(self, path: str) -> Links:
        """Return where a note links, and what links to it."""
        found = self._texts.find(path)
        known = self._index.about(found)
        if self._indexer.unfinished is not None and (known is None or known.title is None):
            digested = await self._digest(found)
            root = found.partition("/")[0] if self._several_roots else ""
            return self._index.links.of_unread(found, known and known.note, digested, root)
        note = (await self.about(found)).note
        return await self._aside.ask(lambda index: index.links.of(note))

    async def _digest(self, path: str) -> digest.Digest:
        marked = await self._texts.marked(path)
        return await aside_if_long(partial(digest.digest, path), marked)

    async def backlinks(self, path: str) -> list[Backlink]:
        """Return the links to a note, each with the line that it stands in."""
        about = await self.about(path)
        return [
            _backlink(source_path, title, self._texts.of_note(source), start)
            for source, source_path, title, start in self._index.links.with_places(
                about.note, BACKLINKS_MAX
            )
        ]

    async def titles(self, paths: Collection[str]) -> dict[str, str]:
        """Return the titles of notes."""
        return self._index.titles(paths)

    async def tags(self) -> list[tuple[str, int]]:
        """Return the tags that most notes carry, and how many do."""
        await self._notes.queue.catch_up_index()
        return await self._aside.ask(lambda index: index.tags.counted(_TAGS_MAX))

    async def tagged(self, tag: str) -> list[tuple[str, str]]:
        """Return the notes that carry a tag: (path, title)."""
        await self._notes.queue.catch_up_index()
        return self._index.tags.carriers(tag)

    async def tree(self) -> list[tuple[str, int, int]]:
        """Return every note: path, age in milliseconds since 1970, suggestions that wait."""
        await self._indexer.state.listed.wait()
        entries = await self.newest()
        waiting = self._index.pending.counts()
        rows = [(e.path, e.mtime_ns // 1_000_000, waiting.get(e.path, 0)) for e in entries]
        return sorted(rows)

    @property
    def unfinished(self) -> tuple[int, int] | None:
        """How many notes of how many are indexed, while a first build is under way."""
        return self._indexer.unfinished

    async def caught_up(self) -> None:
        """Let the index follow what was typed a moment ago."""
        await self._notes.queue.catch_up_index()

    def _known(self, notes: Sequence[int]) -> list[About]:
        known = self._index.abouts(notes)
        return [known[note] for note in notes if note in known]


def _newest(index: Index, conditions: list[_Condition], newest: set[int], limit: int) -> set[int]:
    """Find notes that meet all conditions; where all are common, enough of the newest."""
    ranked = _by_rarity(index, conditions)
    if ranked[0][0] == _RARE_MAX:
        near = newest
        for _, key, values in ranked:
            near = index.properties.having_of(list(near), key, values)
        if len(near) >= limit:
            return near
    return _all(index, ranked)


def _meeting(index: Index, conditions: list[_Condition]) -> set[int]:
    """Find all notes that meet all conditions."""
    return _all(index, _by_rarity(index, conditions))


def _by_rarity(index: Index, conditions: list[_Condition]) -> list[_Counted]:
    return sorted(
        (index.properties.count_having(key, values, _RARE_MAX), key, values)
        for key, values in conditions
    )


def _all(index: Index, ranked: list[_Counted]) -> set[int]:
    (_, key, values), *others = ranked
    found = index.properties.having(key, values)
    for size, each, wanted in others:
        if len(found) < size:
            found = index.properties.having_of(list(found), each, wanted)
        else:
            found &= index.properties.having(each, wanted)
    return found


def _backlink(path: str, title: str, text: bytes, start: int) -> Backlink:
    line = text.count(b"\n", 0, start) + 1
    low = text.rfind(b"\n", 0, start) + 1
    high = text.find(b"\n", start)
    shown = text[low : high if high >= 0 else len(text)].decode("utf-8", "replace").strip()
    return Backlink(path, title or paths.stem(path), line, shown[:_CONTEXT_CHARS_MAX])
