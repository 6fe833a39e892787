"""Search by meaning: notes are embedded in the background, and found by what has been so far.

The newest notes come first. A passage whose text was embedded before is not embedded again, so a
stop, a rename or a new index cost nothing. A provider that fails is asked again after a pause that
grows; until then, and while nothing is embedded, search goes by words alone.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from commonplace.core.search import ranking
from commonplace.core.search.ranking import Ranked
from commonplace.errors import Starting, Unavailable
from commonplace.vault.embeddings.first_round import FirstRound
from commonplace.vault.embeddings.model import files
from commonplace.vault.embeddings.store import Embedding
from commonplace.vault.index.mirror import Contents, NoteChange
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.vault.embeddings.provider import Embedder

NEAR_NOTES_MAX = 100
NOTES_AT_ONCE_MAX = 64
_PAUSES = (5.0, 15.0, 60.0, 300.0)
_ASKED_AGAIN_SECONDS = 20.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """How far embedding is; `problem` says why it is not going on."""

    provider: str | None
    embedded: int
    total: int
    passages: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class Near:
    """A note that a search found, by its number in the index, and the passage that is nearest."""

    note: int
    ranked: Ranked
    passage: tuple[int, int] | None


class SemanticSearch:
    """The vectors of a vault, and the one who makes them."""

    def __init__(
        self,
        settings: Settings,
        contents: Contents,
        text: Callable[[int], bytes],
        *,
        embedder: "Embedder | None" = None,
    ) -> None:
        self._settings = settings
        self._contents = contents
        self._text = text
        self._embedder = embedder
        self._made: Embedding | None = None
        self._stale: dict[str, None] = {}
        self._underway = 0
        self._catalog: object = None
        self.first_round = FirstRound()
        self._loading = anyio.Lock()
        self._asking = anyio.CapacityLimiter(2)
        self._embedding = anyio.CapacityLimiter(1)
        self._woken = anyio.Event()
        self._failed_at: float | None = None
        self._stopped = False
        self._problem: str | None = None
        self._off = _unavailable(settings) if embedder is None else None

    @property
    def works(self) -> bool:
        """Whether there is a provider: the installed model, or a server that may answer."""
        return self._off is None

    @property
    def progress(self) -> EmbeddingProgress:
        """How far embedding is."""
        total, made = len(self._contents.catalog), self._made
        if made is None:
            return EmbeddingProgress(None, 0, total, 0, self._off or self._problem)
        embedded = min(len(made.paths), max(0, total - len(self._stale) - self._underway))
        if self.first_round.is_underway and self._catalog is None:
            embedded = 0  # what was embedded before has not been compared with the files yet
        return EmbeddingProgress(
            made.embedder.id, embedded, total, len(made.vectors), self._problem
        )

    def status(self) -> dict[str, object]:
        """Say how far embedding is, as plain values."""
        found = self.progress
        return {
            "provider": found.provider,
            "embedded": found.embedded,
            "total": found.total,
            "passages": found.passages,
            "problem": found.problem,
        }

    def heard(self, change: NoteChange) -> None:
        """Hear that a note came, changed or went."""
        self._stale.pop(change.path, None)
        self._stale[change.path] = None
        self._woken.set()

    def stop(self) -> None:
        """Let nobody wait for the provider any more: the vault is about to be closed."""
        self._stopped = True
        if self._made is not None:
            self._made.embedder.close()

    async def reopen_index(self) -> None:
        """Read the index that is there now: the one before was deleted."""
        if self._made is not None:
            await anyio.to_thread.run_sync(self._made.reopen_index, limiter=self._embedding)

    def close(self) -> None:
        """Let go of the files."""
        if self._made is not None:
            self._made.close()

    # -- embedding

    async def run(self, ready: anyio.Event) -> None:
        """Embed what is not, newest first, until cancelled; starts when the index is current."""
        if not self.works:
            return
        self.first_round.begin()
        await ready.wait()
        failures = 0
        while True:
            try:
                await self._catch_up()
                failures, self._problem = 0, None
                self.first_round.end()
            except Unavailable as error:
                if self._stopped:
                    return  # it was told to fail
                self._problem = str(error)
                self.first_round.end()
                logger.warning("Search by meaning waits: %s", error)
                await anyio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
                failures += 1
                continue
            await self._woken.wait()
            self._woken = anyio.Event()

    async def _catch_up(self) -> None:
        made = await self._load()
        while self._stale or self._catalog is not self._contents.catalog:
            if self._catalog is not (catalog := self._contents.catalog):
                stale = await anyio.to_thread.run_sync(made.stale, limiter=self._embedding)
                self._stale = {**stale, **self._stale}
                self._catalog = catalog
            await self._embed_some(made)
        await anyio.to_thread.run_sync(made.sweep, limiter=self._embedding)

    async def _load(self) -> Embedding:
        """Open the provider and what was embedded before, the first time."""
        async with self._loading:
            if self._made is None:
                if self._off is not None:
                    raise Unavailable(self._off)
                self._made = await anyio.to_thread.run_sync(
                    Embedding,
                    self._settings,
                    self._text,
                    self._embedder,
                    self._same,
                    limiter=self._embedding,
                )
                self.first_round.open()
            return self._made

    async def _embed_some(self, made: Embedding) -> None:
        """Embed a few notes, and take them off the list once that is kept."""
        some = list(islice(reversed(self._stale), NOTES_AT_ONCE_MAX))
        entries = {path: self._contents.catalog.get(path) for path in some}
        for path in some:
            self._stale.pop(path)
        self._underway = len(some)
        try:
            rest = await anyio.to_thread.run_sync(made.embed, entries, limiter=self._embedding)
        except BaseException:
            self._stale = {**dict.fromkeys(reversed(some)), **self._stale}
            raise
        finally:
            self._underway = 0
        self._stale = {**self._stale, **{path: None for path in rest if path not in self._stale}}

    # -- searching

    async def search(
        self,
        query: str,
        by_words: Callable[[], Awaitable[Mapping[int, float]]],
        limit: int,
        allowed: Collection[int] | None,
    ) -> list[Near]:
        """Rank notes by words (scores by note) and by meaning; what fails counts for nothing."""
        nearest = asyncio.create_task(self._nearest(query, allowed))
        try:
            words = await by_words()
            made, passages = await nearest
        finally:
            nearest.cancel()
        return self._fused(words, made, passages, limit)

    def _fused(
        self,
        words: Mapping[int, float],
        made: Embedding | None,
        passages: Mapping[int, ranking.NearPassage],
        limit: int,
    ) -> list[Near]:
        meaning: dict[int, float] = {}
        places: dict[int, int] = {}
        for number, passage in passages.items():
            entry = self._contents.catalog.get(made.paths.get(number, "") if made else "")
            if entry is not None and len(meaning) < NEAR_NOTES_MAX:
                meaning[entry.note] = passage.score
                places[entry.note] = passage.chunk
        ranked = ranking.fuse(words, meaning)[:limit]
        shown = {each.note: places[each.note] for each in ranked if each.note in places}
        ranges = {note: made.range(place) for note, place in shown.items()} if made else {}
        return [Near(each.note, each, ranges.get(each.note)) for each in ranked]

    async def _nearest(
        self, query: str, allowed: Collection[int] | None
    ) -> tuple[Embedding | None, dict[int, ranking.NearPassage]]:
        if not self.works or self._resting():
            return None, {}
        try:
            made = await self._load()
            found = await anyio.to_thread.run_sync(
                made.nearest, query, self._own(made, allowed), limiter=self._asking
            )
        except Starting:
            return None, {}
        except Unavailable as error:
            self._problem, self._failed_at = str(error), anyio.current_time()
            return None, {}
        return made, found

    def _resting(self) -> bool:
        """Whether the provider failed a moment ago: nobody waits for it so soon again."""
        failed = self._failed_at
        return failed is not None and anyio.current_time() - failed < _ASKED_AGAIN_SECONDS

    def _own(self, made: Embedding, allowed: Collection[int] | None) -> set[int] | None:
        if allowed is None:
            return None
        paths = set(self._contents.catalog.paths_of(allowed))
        return {note for note, path in list(made.paths.items()) if path in paths}

    def _same(self, path: str) -> str:
        entry = self._contents.catalog.get(path)
        return entry.path if entry else path


def _unavailable(settings: Settings) -> str | None:
    """Say why there is no provider, if there is none."""
    if settings.embeddings is not None:
        return None
    if settings.models is None:
        return "Search by meaning is turned off."
    found = files.status(settings.models)
    return None if found.state is files.ModelState.READY else found.message
