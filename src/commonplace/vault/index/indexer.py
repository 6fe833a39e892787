"""Keeps the index current: at start, on hints from the watcher, and by rescans.

Few changes are written by a thread of this process; many, by the build process. Only one of the
two writes at a time. The mirror in memory is changed on the event loop alone.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import anyio
import anyio.to_thread

from commonplace.vault.files import watch
from commonplace.vault.files.roots import Roots
from commonplace.vault.index import mirror
from commonplace.vault.index.build.builder import Builder, BuildJob, builder
from commonplace.vault.index.build.follower import BuildFollower
from commonplace.vault.index.corpus.shards import shard_count
from commonplace.vault.index.database import erase
from commonplace.vault.index.graph import LinkGraph
from commonplace.vault.index.mirror import Contents
from commonplace.vault.index.reader import Index
from commonplace.vault.index.state import IndexState, ReportProgress
from commonplace.vault.index.updates import NO_MOVES, IndexUpdate, Updates
from commonplace.vault.settings import Settings
from commonplace.vault.supervisor import tell_failure

if TYPE_CHECKING:
    from commonplace.core.graph import Graph

_RESCAN_SECONDS = 60.0
_RETRY_SECONDS = 5.0
LOOK_SECONDS = 2.0
_NICE = 10

logger = logging.getLogger(__name__)


class LookAt(Protocol):
    """Looks at paths again; `moved` names the former path of each that was just renamed."""

    def __call__(  # noqa: D102
        self, paths: Collection[str], moved: Mapping[str, str] = ...
    ) -> Awaitable[None]: ...


@dataclass(slots=True)
class _LaterUpdate:
    """Paths to look at again, for everybody who asked while another update ran."""

    paths: set[str] = field(default_factory=set[str])
    done: bool = False


class Indexer:
    """The one who decides when the index is written."""

    def __init__(
        self,
        settings: Settings,
        roots: Roots,
        contents: Contents,
    ) -> None:
        self._settings = settings
        self._roots = roots
        self._contents = contents
        self._renewal_listeners: list[Callable[[], Awaitable[None]]] = []
        self._hint_listener: Callable[[set[str]], None] = lambda _: None
        self._loaded = False
        self._writing = anyio.Lock()
        self._reader = Index(settings.state)
        self._updates = Updates(settings, roots, contents, self._reader)
        self._asked = _LaterUpdate()
        self._failed = anyio.Event()
        self.graph = LinkGraph(self._read_graph)
        self.state = IndexState()
        self._follower = BuildFollower(self.state, contents, self.load)

    @property
    def busy(self) -> bool:
        """Whether a whole build is under way."""
        return self.state.building

    @property
    def unfinished(self) -> tuple[int, int] | None:
        """How many notes of how many are indexed, while a first build is under way."""
        state = self.state
        if state.renewing:
            return state.read, state.todo
        return (state.read, state.todo) if state.building and not state.current.is_set() else None

    async def settled(self) -> None:
        """Wait until the index has caught up with the files as they were at the start."""
        await self.state.current.wait()

    def follow_renewals(self, listener: Callable[[], Awaitable[None]]) -> Callable[[], None]:
        """Hear that the index is another one now: whoever reads it has to open it anew."""
        self._renewal_listeners.append(listener)
        return lambda: self._renewal_listeners.remove(listener)

    async def run(self) -> None:
        """Load the mirror, bring the index up to date, then keep it so until cancelled."""
        await self._start()
        while True:
            with anyio.move_on_after(_RESCAN_SECONDS):
                await self._trouble()
            self._failed = anyio.Event()
            await self._quietly(self.refresh)

    async def _trouble(self) -> None:
        """Wait until the index is worth another look: it failed, or its files are gone."""
        while not self._failed.is_set():
            with anyio.move_on_after(LOOK_SECONDS):
                await self._failed.wait()
            async with self._writing:
                lost = await anyio.to_thread.run_sync(self._is_lost)
            if lost:
                return
        await anyio.sleep(_RETRY_SECONDS)

    def _is_lost(self) -> bool:
        return self._reader.lost and not self.state.building

    def close(self) -> None:
        """Let go of the files."""
        self._updates.close_writer()
        self._reader.close()

    async def _start(self) -> None:
        """Load the mirror; a large vault is compared with its index meanwhile."""
        async with self._write():
            begun = builder().begin(self._job(_NICE)) if self._updates.too_many else None
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
        self._loaded = True
        if len(self._contents.catalog):
            self.state.listed.set()

    async def refresh(
        self, *, rebuild: bool = False, progress: ReportProgress | None = None
    ) -> None:
        """Compare all files with the index and write what differs."""
        async with self._write():
            if await anyio.to_thread.run_sync(self._is_lost):
                await self._begin_anew()
            elif rebuild:
                await anyio.to_thread.run_sync(self._updates.clear)
                await self.load()
            elif not self._loaded:
                await self.load()
            await self._bring_up_to_date(progress)
            self.state.renewing = False

    async def _begin_anew(self) -> None:
        """Make an empty index in the place of one that somebody deleted while it was open."""
        logger.warning("The index was deleted; it is built anew.")
        self.state.renewing = True
        with suppress(OSError):
            self._updates.close_writer()
        await anyio.to_thread.run_sync(erase, self._settings.state)
        await anyio.to_thread.run_sync(self._reader.reopen)
        for listener in self._renewal_listeners:
            await listener()
        await self.load()

    @asynccontextmanager
    async def _write(self) -> AsyncGenerator[None]:
        """Be the one who writes, and remember whether it worked."""
        async with self._writing:
            try:
                yield
            except Exception:
                self.state.failing = True
                self._failed.set()
                with suppress(Exception):  # whatever it had begun is begun anew
                    self._updates.close_writer()
                raise
            self.state.failing = False

    async def _bring_up_to_date(
        self, progress: ReportProgress | None, begun: Builder | None = None
    ) -> None:
        work = None if begun else await anyio.to_thread.run_sync(self._updates.compare)
        if work is not None:
            self._take(await anyio.to_thread.run_sync(self._updates.write, work))
        else:
            self._updates.close_writer()
            # Unless somebody waits for the build, answers come first.
            job = self._job(0 if progress else _NICE)
            await self._follower.follow(begun or builder().begin(job), progress)
        self.state.listed.set()
        self.state.compared.set()
        self.state.current.set()

    def _job(self, nice: int) -> BuildJob:
        return BuildJob.of(self._settings, shard_count(), nice)

    async def update(self, paths: Collection[str]) -> None:
        """Look at these paths again, notes or folders, and write what differs.

        Those who have to wait for another update are served by one that looks at all they ask for.
        """
        asked = self._asked
        asked.paths.update(paths)
        async with self._write():
            if asked.done:
                return
            if asked is self._asked:
                self._asked = _LaterUpdate()
            await self._look_again(asked.paths)
            asked.done = True

    async def follow(self, paths: Collection[str]) -> None:
        """Look at notes that were just written, unless a build will; what fails is tried later."""
        if not self.busy:
            await self._quietly(self.update, paths)

    async def _look_again(
        self, paths: Collection[str], moved: Mapping[str, str] = NO_MOVES
    ) -> None:
        self._take(await anyio.to_thread.run_sync(self._updates.write, paths, moved))

    async def forget(self, _passage: str, _document: str) -> int:
        """Leave nothing readable of texts that notes no longer have."""
        async with self._write():
            await anyio.to_thread.run_sync(self._updates.drop_dead_texts)
            await self.load()
        return 0

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[LookAt]:
        """Keep the index as it is while many files change; gives what looks at some of them."""
        async with self._writing:
            yield self._look_again

    def tell_hints(self, listener: Callable[[set[str]], None]) -> None:
        """Let somebody else hear what the watcher tells of: any files, and folders."""
        self._hint_listener = listener

    async def follow_hints(self) -> None:
        """Look at what the watcher tells of, until cancelled or until nothing can be watched."""

        async def look_at(paths: set[str]) -> None:
            self._hint_listener(paths)
            await self._quietly(self.update, paths)

        await watch.follow(self._settings, self._roots, look_at)

    async def _quietly(self, work: Callable[..., object], *arguments: object) -> None:
        """Go on after a disk that fails for a while; the next rescan catches up."""
        try:
            await work(*arguments)  # pyright: ignore[reportGeneralTypeIssues]
        except Exception as error:  # noqa: BLE001 (told here, and by `readyz`)
            tell_failure("The index could not be refreshed; it is tried again.", error)

    def _take(self, update: IndexUpdate) -> None:
        if update.compacted and (update.placed or update.gone):
            self._contents.replace(self._contents.catalog, self._reader.corpus())
        self.graph.take(update.relinked, update.gone.values())
        self._contents.put(update.placed, update.moved)
        self._contents.remove(update.gone.items())

    def _read_graph(self) -> "Graph":
        from commonplace.core.graph import Graph

        index = Index(self._settings.state)
        try:
            return Graph(index.links.targets())
        finally:
            index.close()
