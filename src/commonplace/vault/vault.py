"""A vault, opened: the one door to everything that a tool, a protocol or a command needs.

Opening returns at once. The index is brought up to date in the background, and what is asked
meanwhile is answered from the files where the index does not reach yet.
"""

import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import TypeVar, overload

import anyio
import anyio.to_thread

from commonplace.core import (
    critic,
    digest,
    endings,
    frontmatter,
    paths,
    properties,
    render,
    snippets,
    words,
)
from commonplace.core.critic import Suggested
from commonplace.core.render import Decided, Pending
from commonplace.errors import CommonplaceError, Forbidden, NotFound, Unavailable, Unreadable
from commonplace.vault import grep as engine, index, ripgrep
from commonplace.vault.approvals import Parked
from commonplace.vault.catalog import Entry
from commonplace.vault.changing import Changing
from commonplace.vault.contents import Contents, Listener
from commonplace.vault.corpus import Span
from commonplace.vault.doctor import Check, examine
from commonplace.vault.documents import Edited, Plan
from commonplace.vault.folder_wishes import Doors
from commonplace.vault.folders import Folders, Indexed
from commonplace.vault.index import About, Index, Links, Row
from commonplace.vault.indexer import Indexer, Progress, shard_count
from commonplace.vault.ledger import Ledger
from commonplace.vault.linked import Linked
from commonplace.vault.log import Log
from commonplace.vault.meaning import NOTES_MAX, Meaning, Near
from commonplace.vault.noticing import Noticing
from commonplace.vault.permissions import Memory, Permissions
from commonplace.vault.renaming import Renamed, Renaming
from commonplace.vault.review import Review, Reviewed, Suggester, Verdict
from commonplace.vault.ripgrep import Pattern
from commonplace.vault.roots import Roots
from commonplace.vault.settings import Settings
from commonplace.vault.shelf import Shelf
from commonplace.vault.sqlite_log import SqliteLog
from commonplace.vault.trash import Trash, Trashed
from commonplace.vault.wishes import Asker, Choice, Json

Result = TypeVar("Result")

RETRY_SECONDS = 5.0
RENAME = "rename_note"
BACKLINKS_MAX = 500
_NEWEST_MIN = 1_000
_NEWEST_EACH = 50
TOUCHED_MAX = 200
WRITES_SHOWN = 5
_CONTEXT_CHARS_MAX = 300

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NoteInfo:
    """A note in a listing; `modified` in seconds since 1970."""

    path: str
    title: str
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class NoteRead:
    """A note as an assistant reads it."""

    path: str
    text: str
    pending: list[Pending]
    decided: list[Decided]


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


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link to a note: where it stands, and the line around it."""

    path: str
    title: str
    line: int
    context: str


class Vault:
    """Notes to be read, listed, searched and followed."""

    def __init__(self, settings: Settings, roots: Roots, log: Log) -> None:
        self.settings = settings
        self._roots = roots
        self._log = log
        self._index = Index(settings.state, shard_count())
        self._search_index = Index(settings.state, shard_count())
        self._searching = anyio.CapacityLimiter(1)
        self._contents = Contents(self._index.unread_corpus())
        self._indexer = Indexer(settings, roots, self._contents)
        self.shelf = Shelf(roots, log, self._indexer)
        self._contents.follow(self.shelf.heard)
        self.review = Review(self.shelf, self._index, Ledger(log), settings.suggestions)
        self.renaming = Renaming(
            roots, log, self.shelf, self._index, several_roots=settings.several_roots
        )

        self.permissions = Permissions(Memory(log), settings.policies)
        self.changing = Changing(
            self,
            roots,
            self._indexer,
            self._index,
            Trash(roots, log, self.shelf, self._indexer),
            read_only=settings.read_only,
        )
        self.changing.teach(self.permissions)
        self.folders = Folders(
            roots,
            log,
            self.shelf,
            Indexed(self._contents, self._indexer.graph.get, self.settled),
            Doors(self.changing.create, self.rename, self.changing.delete),
            read_only=settings.read_only,
        )
        self.permissions.teach(RENAME, self._rename, suggests=False)
        self.meaning = Meaning(settings, self._contents, self._note_text)
        self._contents.follow(self.meaning.heard)
        self.noticing = Noticing(self._index)
        self._contents.follow(self.noticing.heard)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, *, follow: bool = True) -> AsyncGenerator["Vault"]:
        """Open a vault; with `follow`, keep its index current until the end."""
        settings.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        roots = Roots(settings)
        vault = cls(settings, roots, SqliteLog(settings.state / "live.db"))
        failure: Exception | None = None
        try:
            if not settings.read_only:
                await vault.renaming.recover()
            await vault.permissions.audit.load()
            async with anyio.create_task_group() as tasks:
                if follow:
                    tasks.start_soon(vault._keep_current)
                    tasks.start_soon(vault.shelf.run)
                    tasks.start_soon(vault.folders.run)
                    tasks.start_soon(vault.meaning.run, vault._indexer.state.current)
                try:
                    yield vault
                except Exception as error:  # noqa: BLE001 (raised below, not inside a group)
                    failure = error
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await vault._close()
        if failure is not None:
            raise failure

    async def _keep_current(self) -> None:
        """Keep the index current; whatever goes wrong with it, notes can still be read."""
        await self._indexer.load()
        while True:
            try:
                await self._indexer.run()
            except Exception:
                logger.exception("The index could not be kept current; it is tried again.")
            await anyio.sleep(RETRY_SECONDS)

    async def _close(self) -> None:
        await self.folders.close()
        await self.shelf.close()
        await self._log.close()
        self.meaning.close()
        self._indexer.close()
        self._index.close()
        self._search_index.close()
        self._roots.close()

    # -- paths and texts

    def find(self, raw: str) -> str:
        """Return the path of the note that `raw` names: exactly, or with `.md` added."""
        path = paths.note_path(raw)
        self._require_roots()
        for candidate in (path, f"{path}.md"):
            if candidate[-3:].lower() == ".md" and self._exists(candidate):
                return candidate
        if self._roots.is_folder(path):
            raise NotFound(f"{path} is a folder, not a document. Use glob to list what it holds.")
        near = paths.near(path, self._contents.catalog.paths())
        raise NotFound(render.not_found(path, near))

    async def text(self, path: str) -> str:
        """Read a note's accepted view."""
        return critic.accepted(await self.marked(path))

    async def read(self, path: str, actor: str) -> NoteRead:
        """Read a note for somebody: its text, what waits in it, what was decided since."""
        found = self.find(path)
        marked = await self.marked(found)
        now = time.time()
        text = critic.accepted(marked)
        before = self.review.readings.remember(actor, found, text, now)
        decided = await self.review.decided_for(actor, found, before or 0.0)
        pending = [
            Pending(s.line, s.old, s.new, s.author, None if s.time is None else int(now - s.time))
            for s in await self.review.pending_in(found, marked)
        ]
        return NoteRead(found, text, pending, decided)

    async def suggest(
        self, path: str, old: str, new: str, by: Suggester, *, replace_all: bool = False
    ) -> Suggested:
        """Replace a passage of a note, as a suggestion for people to decide."""
        self._refuse_read_only()
        return await self.review.suggest(path, old, new, by, replace_all=replace_all)

    async def pending(self, path: str | None = None) -> list[index.Pending]:
        """List the suggestions that wait for a decision, in one note or in all."""
        await self._caught_up()
        return await self.review.pending(path)

    async def decide(
        self, verdict: Verdict, chosen: Mapping[str, Collection[str]], who: str, reason: str = ""
    ) -> Reviewed:
        """Let a person decide suggestions, by note and id: all of them or none."""
        self._refuse_read_only()
        return await self.review.decide(verdict, chosen, who, reason)

    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed:
        """Let a person accept a suggestion with another text than was suggested."""
        self._refuse_read_only()
        return await self.review.accept_as(path, id, text, who)

    async def undo(self, token: str) -> int:
        """Take a decision back."""
        self._refuse_read_only()
        return await self.review.undo(token)

    async def marked(self, path: str) -> str:
        """Read a note's text as it stands, pending suggestions and all: live, else its file's."""
        found = self.find(path)
        if (live := await self.shelf.text(found)) is not None:
            return live
        entry = self._contents.catalog.get(found)
        on_disk = (entry and entry.on_disk) or self._roots.find(found) or found
        data, _ = self._roots.read(on_disk)
        try:
            text, _ = endings.decode(data)
        except Unreadable as error:
            raise Unreadable(f"{found}: {error}.") from error
        return text

    async def edit(self, path: str, plan: Plan, actor: str) -> Edited:
        """Edit a note through the one door; answers once the edit is saved."""
        self._refuse_read_only()
        found = self.find(path)
        try:
            return await self.shelf.edit(found, plan, actor)
        except Unreadable as error:
            raise Unreadable(f"{found}: {error}.") from error

    async def rename(self, path: str, to: str, actor: str, *, title: str | None = None) -> Renamed:
        """Give a note another path, and all links to it with it; a title too if one is given."""
        self._refuse_read_only()
        found = self.find(path)
        await self._caught_up()
        if found == to and title is not None:
            return await self.renaming.retitle(found, title, actor)
        text = await self.text(found)
        async with self._indexer.held() as look_at:
            renamed = await self.renaming.rename(found, to, actor, text=text, title=title)
            await look_at(_seen_at_once(renamed))
        await self._caught_up()
        return renamed

    async def undo_rename(self, token: str, actor: str) -> str:
        """Take a rename back; returns the path that the note has again."""
        self._refuse_read_only()
        async with self._indexer.held() as look_at:
            undone = await self.renaming.undo(token, actor)
            await look_at(_seen_at_once(undone))
        await self._caught_up()
        return undone.path

    async def _rename(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        """Rename a note as an assistant was permitted to."""
        title = change.get("title")
        renamed = await self.rename(
            str(change["path"]),
            str(change["to"]),
            f"assistant:{by.name}",
            title=title if isinstance(title, str) else None,
        )
        return {"path": renamed.path, "links": renamed.links, "left": renamed.left}

    @property
    def linked(self) -> Linked:
        """The parts that a store over this vault is made from."""
        return Linked(
            self._index, self._contents, self._indexer.graph, self.noticing, self._note_text
        )

    def _refuse_read_only(self) -> None:
        if self.settings.read_only:
            raise Forbidden("This vault was opened read-only; nothing is changed.")

    def _exists(self, path: str) -> bool:
        if self._roots.ignores(path):
            return False
        entry = self._contents.catalog.get(path)
        if entry is not None and self._roots.stamp(entry.on_disk or path) is not None:
            return True
        return self._roots.find(path) is not None

    def _require_roots(self) -> None:
        if missing := self._roots.missing():
            raise Unavailable(
                f"The vault's folder {', '.join(missing)} is not there any more. Was it moved,"
                " or its disk unmounted? Put it back, or start again with its new place."
            )

    def is_folder(self, path: str) -> bool:
        """Tell whether there is a folder of that path; the top is one."""
        return self._roots.is_folder(path)

    # -- listing

    async def newest(self, folder: str = "") -> list[Entry]:
        """List the notes beneath a folder, newest first."""
        self._require_roots()
        await self._caught_up()
        folder = paths.folder_path(folder)
        if not self._roots.is_folder(folder):
            raise NotFound(f"Folder does not exist: {folder}")
        await self._indexer.state.listed.wait()
        entries = self._contents.catalog.newest()
        beneath = folder + "/"
        return [e for e in entries if e.path.startswith(beneath)] if folder else entries

    async def listing(self, folder: str, limit: int, *, deep: bool = True) -> list[Row]:
        """List the notes in a folder, by path."""
        inside = paths.folder_path(folder)
        if not self._roots.is_folder(inside):
            raise NotFound(f"Folder does not exist: {inside}")
        await self.newest()  # the index knows of every note
        return await anyio.to_thread.run_sync(
            partial(self._search_index.beneath, inside and f"{inside}/", limit, deep=deep),
            limiter=self._searching,
        )

    async def having(self, query: Mapping[str, object], limit: int | None) -> list[About]:
        """Return the notes whose properties meet a query, newest first."""
        conditions = properties.wanted(query)
        entries = await self.newest()
        most = len(entries) if limit is None else limit
        if not conditions:
            return self._known([entry.note for entry in entries[:most]])
        window = 0 if limit is None else max(_NEWEST_MIN, _NEWEST_EACH * limit)
        newest = [entry.note for entry in entries[:window]]
        found = await anyio.to_thread.run_sync(
            self._meeting, conditions, newest, most, limiter=self._searching
        )
        return self._known(self._contents.catalog.newest_of(found, most))

    def _meeting(
        self, conditions: list[tuple[str, list[str]]], newest: list[int], most: int
    ) -> set[int]:
        """Find enough among the newest notes, else all that there are."""
        of = partial(self._search_index.having_of, newest)
        near = set(newest)
        for key, values in conditions:
            near &= of(key, values)
        if len(near) >= most:
            return near
        key, values = conditions[0]
        found = self._search_index.having(key, values)
        for key, values in conditions[1:]:
            found &= self._search_index.having(key, values) if found else found
        return found

    def _known(self, notes: Sequence[int]) -> list[About]:
        known = self._index.abouts(notes)
        return [known[note] for note in notes if note in known]

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

    def follow(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at each change of a note; call what is returned to stop."""
        return self._contents.follow(listener)

    # -- questions

    async def about(self, path: str) -> About:
        """Return what is known of a note without its text."""
        found = self.find(path)
        await self._caught_up()
        about = self._index.about(found)
        if about is None or (about.title is None and about.problem is None):
            await self._indexer.update([found])
            about = self._index.about(found)
        if about is None:
            raise NotFound(render.not_found(found, []))
        return about

    async def links(self, path: str) -> Links:
        """Return where a note links, and what links to it."""
        found = self.find(path)
        known = self._index.about(found)
        if self.unfinished is not None and (known is None or known.title is None):
            digested = digest.digest(found, await self.marked(found))
            root = found.partition("/")[0] if self.settings.several_roots else ""
            return self._index.links_of(found, known and known.note, digested, root)
        return self._index.links((await self.about(found)).note)

    async def backlinks(self, path: str) -> list[Backlink]:
        """Return the links to a note, each with the line that it stands in."""
        about = await self.about(path)
        return [
            _backlink(source_path, title, self._note_text(source), start)
            for source, source_path, title, start in self._index.backlinks(
                about.note, BACKLINKS_MAX
            )
        ]

    async def titles(self, paths: Collection[str]) -> dict[str, str]:
        """Return the titles of notes."""
        return self._index.titles(paths)

    async def tags(self) -> list[tuple[str, int]]:
        """Return every tag and how many notes carry it."""
        await self._caught_up()
        return self._index.tags()

    async def tagged(self, tag: str) -> list[tuple[str, str]]:
        """Return the notes that carry a tag: (path, title)."""
        await self._caught_up()
        return self._index.tagged(tag)

    async def tree(self) -> list[tuple[str, int, int]]:
        """Return every note: path, age in milliseconds since 1970, suggestions that wait."""
        entries = await self.newest()
        waiting = self._index.pending_counts()
        rows = [(e.path, e.mtime_ns // 1_000_000, waiting.get(e.path, 0)) for e in entries]
        return sorted(rows)

    @property
    def unfinished(self) -> tuple[int, int] | None:
        """How many notes of how many are indexed, while a first build is under way."""
        state = self._indexer.state
        return (state.read, state.todo) if state.building and not state.current.is_set() else None

    async def grep(
        self, pattern: Pattern, chosen: Callable[[str], bool] | None = None, folder: str = ""
    ) -> Sequence[Match]:
        """Find the notes that match a pattern, newest first."""
        entries = await self.newest(folder)
        if chosen is not None:
            entries = [entry for entry in entries if chosen(entry.path)]
        return await anyio.to_thread.run_sync(self._grep, pattern, entries)

    def _grep(self, pattern: Pattern, entries: Sequence[Entry]) -> Sequence[Match]:
        corpus = self._contents.corpus
        hits: engine.Hits = {}
        if len(entries) <= engine.FEW_MAX:
            hits = engine.search_notes(pattern, [e.note for e in entries], self._note_text)
        else:
            hits = engine.search_corpus(pattern, self.settings.state, corpus)
            whole = len(corpus) == len(self._contents.catalog)
            absent = [] if whole else [entry for entry in entries if entry.note not in corpus]
            if len(absent) > engine.FEW_MAX:
                absent = self._matching_on_disk(pattern, absent)
            if absent:
                hits |= engine.search_notes(pattern, [e.note for e in absent], self._note_text)
        return Matches([entry for entry in entries if entry.note in hits], hits, self._note_text)

    def _matching_on_disk(self, pattern: Pattern, entries: Sequence[Entry]) -> list[Entry]:
        """Leave out notes that do not match as they are on disk: a build is under way."""
        found = {
            self._roots.joined(root.name, name)
            for root in self.settings.roots
            for name in ripgrep.files_with_matches(pattern, root.path)
        }
        return [entry for entry in entries if (entry.on_disk or entry.path) in found]

    def _note_text(self, note: int) -> bytes:
        """Return a text from the corpus, else from the file; nothing if it cannot be read."""
        if (text := self._contents.corpus.text(note)) is not None:
            return text
        path = self._contents.catalog.path(note)
        if path is None:
            return b""
        try:
            data, _ = self._roots.read(self._roots.find(path) or path)
            return critic.accepted(endings.decode(data)[0]).encode()
        except CommonplaceError:
            return b""

    async def search(
        self, query: str, limit: int, filters: Mapping[str, object] | None = None
    ) -> list[Hit]:
        """Rank notes by words and meaning; with filters, those whose properties meet them."""
        await self._caught_up()
        allowed = [about.note for about in await self.having(filters, None)] if filters else None
        found = await anyio.to_thread.run_sync(
            self._search_index.search,
            query,
            max(limit, NOTES_MAX),
            allowed,
            limiter=self._searching,
        )
        scores = {hit.note: hit.score for hit in found}
        near = await self.meaning.search(query, scores, limit, allowed)
        known = self._index.abouts([each.note for each in near])
        return [self._hit(each, known[each.note], query) for each in near if each.note in known]

    def _hit(self, near: Near, about: About, query: str) -> Hit:
        text = self._note_text(near.note).decode("utf-8", "replace")
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

    async def caught_up(self) -> None:
        """Let the index follow what was typed a moment ago."""
        await self._caught_up()

    async def _caught_up(self) -> None:
        """Let the index follow what was typed a moment ago, unless it is being built."""
        if self.shelf.behind and self.unfinished is None:
            await self.shelf.flush_all()

    # -- what people answer and take back

    async def parked(self) -> list[Parked]:
        """List the writes that wait for a person's answer."""
        return await self.permissions.waiting()

    async def approve(self, id: int, who: str, scope: Choice = "once") -> Json:
        """Have a parked write done."""
        return await self.permissions.approve(id, who, scope)

    async def deny(self, id: int, who: str) -> None:
        """Refuse a parked write."""
        await self.permissions.deny(id, who)

    async def remembered(self) -> list[tuple[str, str]]:
        """List what is always allowed: (operation, assistant)."""
        return await self.permissions.remembered()

    async def forget_remembered(self) -> None:
        """Ask again about everything that was allowed for a session or always."""
        await self.permissions.forget_remembered()

    async def trashed(self) -> list[Trashed]:
        """List what is in the trash."""
        return await self.changing.trash.listed()

    async def restore(self, trash: str) -> str:
        """Take a note out of the trash; returns its path."""
        return await self.changing.restore(trash)

    # -- care

    async def refresh(self, *, rebuild: bool = False, progress: Progress | None = None) -> None:
        """Bring the index up to date now."""
        await self._indexer.load()
        await self._indexer.refresh(rebuild=rebuild, progress=progress)

    async def update(self, changed: Collection[str]) -> None:
        """Look at these notes again now."""
        await self._indexer.update(changed)

    async def settled(self) -> None:
        """Wait until the index has caught up with the files as they were at the start."""
        await self._indexer.state.current.wait()

    def status(self) -> dict[str, object]:
        """Say how things are, as plain values."""
        state = self._indexer.state
        return {
            "roots": [{"name": r.name, "path": str(r.path)} for r in self.settings.roots],
            "missing": self._roots.missing(),
            "index": self._index.counts(),
            "building": {"read": state.read, "todo": state.todo} if state.building else None,
            "current": state.current.is_set(),
            "meaning": self.meaning.status(),
            "state": str(self.settings.state),
            "writes": [asdict(write) for write in self.permissions.audit.latest(WRITES_SHOWN)],
        }

    async def census(self) -> dict[str, int]:
        """Count what the vault holds, and what the index takes on disk."""
        await self._caught_up()
        counts = self._index.counts()
        files = [*self.settings.state.glob("index.db*"), *self.settings.state.glob("corpus*")]
        size = sum(file.stat().st_size for file in files if file.is_file())
        orphans = await anyio.to_thread.run_sync(
            self._search_index.orphans, limiter=self._searching
        )
        return {**counts, "orphans": orphans, "index_bytes": size}

    async def diagnose(self) -> list[Check]:
        """Check files, log, index and state against each other."""
        checks = await anyio.to_thread.run_sync(examine, self.settings, self._roots)
        return [*checks, *await self._examine_log()]

    async def _examine_log(self) -> list[Check]:
        wrong = await self._log.sound()
        if wrong is not None:
            fix = (
                "Stop every Commonplace process and move live.db away: the notes are in the files."
            )
            return [Check("log", False, wrong, fix)]
        behind = await self.shelf.unmended()
        differ = await self.shelf.disagreements()
        mend = "Start `commonplace serve` once: it writes what is missing."
        keep = "Save the note once in any editor: the file is taken as it is."
        return [
            Check("log", True, "whole"),
            Check("files behind the log", not behind, f"{len(behind)}", mend if behind else ""),
            Check("log and files agree", not differ, ", ".join(differ[:5]) or "yes", keep),
        ]


def _seen_at_once(renamed: Renamed) -> list[str]:
    """Of thousands of notes whose links followed, the index sees the most at the next hint."""
    return renamed.touched[:TOUCHED_MAX]


def _backlink(path: str, title: str, text: bytes, start: int) -> Backlink:
    line = text.count(b"\n", 0, start) + 1
    low = text.rfind(b"\n", 0, start) + 1
    high = text.find(b"\n", start)
    shown = text[low : high if high >= 0 else len(text)].decode("utf-8", "replace").strip()
    return Backlink(path, title or paths.stem(path), line, shown[:_CONTEXT_CHARS_MAX])
