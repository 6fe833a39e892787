"""Keeps the index current: at start, on hints from the watcher, and by rescans.

Few changes are written by a thread of this process; many, by the build process. Only one of the
two writes at a time. The mirror in memory is changed on the event loop alone.
"""

import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast

import anyio
import anyio.to_thread

from commonplace.core.graph import Graph
from commonplace.errors import Unavailable
from commonplace.vault import contents as mirror, reading, watch
from commonplace.vault.builder import Builder, Job, News, builder
from commonplace.vault.contents import Contents, NoteChange
from commonplace.vault.disk import Listed
from commonplace.vault.graph import LinkGraph, gathered
from commonplace.vault.index import Index, Known
from commonplace.vault.roots import Roots
from commonplace.vault.rows import Fresh
from commonplace.vault.settings import Settings
from commonplace.vault.writer import IndexWriter, Placed

RESCAN_SECONDS = 60.0
NICE = 10

# Up to these, a thread of this process is quicker than starting another process.
_SCANNED_HERE_MAX = 3000
_READ_HERE_MAX = 300
_SHARDS_MAX = 8

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
LookAt = Callable[[Collection[str]], Awaitable[None]]


@dataclass(slots=True)
class State:
    """How far the index is."""

    listed: anyio.Event = field(default_factory=anyio.Event)
    current: anyio.Event = field(default_factory=anyio.Event)
    read: int = 0
    todo: int = 0
    building: bool = False


@dataclass(slots=True)
class _Update:
    placed: list[Placed] = field(default_factory=list[Placed])
    moved: dict[str, str] = field(default_factory=dict[str, str])
    gone: dict[str, int] = field(default_factory=dict[str, int])
    relinked: dict[int, list[int]] = field(default_factory=dict[int, list[int]])


@dataclass(slots=True)
class _Asked:
    """Paths to look at again, for everybody who asked while another update ran."""

    paths: set[str] = field(default_factory=set[str])
    done: bool = False


def shard_count() -> int:
    """One shard a core: that many ripgrep searches at once."""
    return max(1, min(os.cpu_count() or 1, _SHARDS_MAX))


class Indexer:
    """The one who decides when the index is written."""

    def __init__(self, settings: Settings, roots: Roots, contents: Contents) -> None:
        self._settings = settings
        self._roots = roots
        self._contents = contents
        self._shards = shard_count()
        self._writing = anyio.Lock()
        self._writer: IndexWriter | None = None
        self._reader = Index(settings.state, self._shards)
        self._asked = _Asked()
        self.graph = LinkGraph(self._read_graph)
        self.state = State()

    @property
    def busy(self) -> bool:
        """Whether a whole build is under way."""
        return self.state.building

    @property
    def unfinished(self) -> tuple[int, int] | None:
        """How many notes of how many are indexed, while a first build is under way."""
        state = self.state
        return (state.read, state.todo) if state.building and not state.current.is_set() else None

    async def run(self) -> None:
        """Load the mirror, bring the index up to date, then keep it so until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._follow_hints)
            await self._start()
            while True:
                await anyio.sleep(RESCAN_SECONDS)
                await self._quietly(self.refresh)

    def close(self) -> None:
        """Let go of the files."""
        if self._writer is not None:
            self._writer.close()
        self._reader.close()

    async def _start(self) -> None:
        """Load the mirror; a large vault is compared with its index meanwhile."""
        async with self._writing:
            large = self._reader.size() > _SCANNED_HERE_MAX and not self._roots.missing()
            begun = builder().begin(self._job(NICE)) if large else None
            try:
                await self.load()
                await self._bring_up_to_date(None, begun)
            finally:
                if begun is not None:
                    begun.close()

    async def load(self) -> None:
        """Mirror what the index holds from an earlier run."""
        loaded = await anyio.to_thread.run_sync(mirror.load, self._reader)
        self._contents.replace(*loaded)
        self.graph.forget()
        if len(self._contents.catalog):
            self.state.listed.set()

    async def refresh(self, *, rebuild: bool = False, progress: Progress | None = None) -> None:
        """Compare all files with the index and write what differs."""
        async with self._writing:
            if rebuild:
                await anyio.to_thread.run_sync(self._clear)
                await self.load()
            await self._bring_up_to_date(progress)

    async def _bring_up_to_date(
        self, progress: Progress | None, begun: Builder | None = None
    ) -> None:
        work = None if begun else await anyio.to_thread.run_sync(self._compare)
        if work is not None:
            self._take(await anyio.to_thread.run_sync(self._update, work))
        else:
            self._close_writer()
            # Unless somebody waits for the build, answers come first.
            job = self._job(0 if progress else NICE)
            await self._build(begun or builder().begin(job), progress)
        self.state.listed.set()
        self.state.current.set()

    def _job(self, nice: int) -> Job:
        return Job.of(self._settings, self._shards, self._shards, nice)

    async def update(self, paths: Collection[str]) -> None:
        """Look at these paths again, notes or folders, and write what differs.

        Those who have to wait for another update are served by one that looks at all they ask for.
        """
        asked = self._asked
        asked.paths.update(paths)
        async with self._writing:
            if asked.done:
                return
            if asked is self._asked:
                self._asked = _Asked()
            await self._look_again(asked.paths)
            asked.done = True

    async def _look_again(self, paths: Collection[str]) -> None:
        self._take(await anyio.to_thread.run_sync(self._update, paths))

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[LookAt]:
        """Keep the index as it is while many files change; gives what looks at some of them."""
        async with self._writing:
            yield self._look_again

    async def _follow_hints(self) -> None:
        async def look_at(paths: set[str]) -> None:
            await self._quietly(self.update, paths)

        await watch.follow(self._settings, self._roots, look_at)

    async def _quietly(self, work: Callable[..., object], *arguments: object) -> None:
        """Go on after a disk that fails for a while; the next rescan catches up."""
        try:
            await work(*arguments)  # pyright: ignore[reportGeneralTypeIssues]
        except (Unavailable, OSError) as error:
            logger.warning("The index could not be refreshed: %s", error)

    def _compare(self) -> list[str] | None:
        """Name what differs; None when the vault, or the difference, is one for the builder."""
        if self._roots.missing():
            return []  # a folder that is not mounted has not been emptied
        if len(self._contents.catalog) > _SCANNED_HERE_MAX:
            return None
        found = list(islice(self._roots.scan(), _SCANNED_HERE_MAX + 1))
        if len(found) > _SCANNED_HERE_MAX:
            return None
        plan = reading.plan(found, self._reader.known())
        work = [listed.path for listed in plan.new + plan.changed] + plan.gone
        return work if len(work) <= _READ_HERE_MAX else None

    def _update(self, paths: Collection[str]) -> _Update:
        """Read and write in a thread; what changed is told to the event loop by the caller."""
        update = _Update()
        if self._roots.missing():
            return update
        fresh: list[Fresh] = []
        same: list[Listed] = []
        gone: dict[str, Known] = {}
        for path, listed in self._look(paths):
            known = self._reader.known_one(path)
            if listed is None:
                gone |= {path: known} if known else {}
            elif (read := reading.read(self._roots, listed, known and known.sha)) is None:
                same.append(listed)
            else:
                fresh.append(read)
        writer = self._open_writer()
        with writer.batch():
            writer.restamp(same)
            update.placed = writer.put(fresh)
            update.gone = writer.remove(list(gone))
            update.moved = reading.moves(gone, map(reading.seen, fresh))
            relinked = writer.settle_links()
        update.relinked = gathered(relinked, self._reader.links.edges_of(relinked))
        if writer.worth_compacting:
            places = writer.compact()
            update.placed = [replace(one, where=places.get(one.note)) for one in update.placed]
            self._close_writer()
        return update

    def _look(self, paths: Iterable[str]) -> Iterable[tuple[str, Listed | None]]:
        """Look at each note, and at everything beneath each folder, known or on disk."""
        found: dict[str, Listed | None] = {}
        for path in paths:
            if path[-3:].lower() == ".md" and (listed := self._roots.listed(path)):
                found[path] = listed
                continue
            beneath = path + "/" if path else ""
            found |= dict.fromkeys(self._contents.catalog.beneath(beneath))
            if path in self._contents.catalog:
                found[path] = None
            found |= {listed.path: listed for listed in self._roots.scan(path)}
        return found.items()

    def _take(self, update: _Update) -> None:
        if self._writer is None and (update.placed or update.gone):
            self._contents.corpus = self._reader.corpus()  # it was compacted
        self.graph.take(update.relinked, update.gone.values())
        self._contents.put(update.placed, update.moved)
        self._contents.remove(update.gone.items())

    async def _build(self, building: Builder, progress: Progress | None) -> None:
        """Follow the build process; there is no other writer meanwhile."""
        before = dict.fromkeys(self._contents.catalog.paths())
        self.state.building = True
        differs: object = True
        try:
            async with aclosing(building.news()) as told:
                async for news in told:
                    self._count(news, progress)
                    # The mirror of many notes is loaded anew only if something changed.
                    if "listed" in news:
                        differs = news["todo"] or news["gone"]
                        if differs:
                            await self.load()
                        self.state.listed.set()
                    if "done" in news and differs:
                        await self.load()
                        self._tell_built(news, before)
        finally:
            self.state.building = False

    def _count(self, news: News, progress: Progress | None) -> None:
        if "todo" in news:
            self.state.todo = int(str(news["todo"]))
            self.state.read = int(str(news.get("read", 0)))
            if progress:
                progress(self.state.read, self.state.todo)

    def _tell_built(self, news: News, before: dict[str, None]) -> None:
        """Tell followers what a build found; after a first build nobody has seen anything yet."""
        if not before:
            return
        moved = cast("dict[str, str]", news["moved"])
        for kind in ("appeared", "changed", "gone"):
            for path in cast("list[str] | None", news[kind]) or ():
                self._contents.tell(NoteChange(path, kind, moved.get(path)))
        for new, old in moved.items() if news["appeared"] is None else ():
            self._contents.tell(NoteChange(new, "appeared", old))

    def _open_writer(self) -> IndexWriter:
        if self._writer is None:
            self._writer = IndexWriter(
                self._settings.state, self._shards, several_roots=self._settings.several_roots
            )
        return self._writer

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _read_graph(self) -> Graph:
        index = Index(self._settings.state, self._shards)
        try:
            return Graph.of(index.links.edges())
        finally:
            index.close()

    def _clear(self) -> None:
        self._open_writer().clear()
        self._close_writer()
