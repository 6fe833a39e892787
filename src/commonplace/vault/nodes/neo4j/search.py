"""Search in nodes that live in the database: by words, by meaning, and both made one.

Words are found by a full-text index, meaning by a vector index over passages whose vectors the
configured provider of embeddings makes in the background. Both are fused as in a vault's search.
While the provider is away, or nothing is embedded yet, search goes by words alone.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from commonplace.core.search import chunks, ranking
from commonplace.core.text import words
from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.nodes.neo4j.connection import Database, Row
from commonplace.vault.nodes.neo4j.cypher import reads, search, store_mark
from commonplace.vault.nodes.store import SearchResult

if TYPE_CHECKING:
    from commonplace.vault.embeddings.provider import Embedder

_NOTES_MAX = 100
_PASSAGES_MAX = 300
_TERMS_MAX = 64
EMBEDDED_AT_ONCE = 16
_LOOK_SECONDS = 1.0
TITLE_WEIGHT = 5

_PAUSES = (5.0, 15.0, 60.0, 300.0)

logger = logging.getLogger(__name__)


class NodeSearch:
    """The words and the meaning of nodes."""

    def __init__(
        self, database: Database, open_embedder: "Callable[[], Embedder] | None" = None
    ) -> None:
        """Take the database, and how the provider of embeddings is opened, if there is one."""
        self._database = database
        self._open = open_embedder
        self._embedder: Embedder | None = None
        self._opening = anyio.Lock()
        self._problem: str | None = None
        self._ready = False

    @property
    def works(self) -> bool:
        """Whether there is a provider of embeddings."""
        return self._open is not None

    def close(self) -> None:
        """Let go of the provider."""
        if self._embedder is not None:
            self._embedder.close()

    async def search(self, query: str, limit: int) -> SearchResult:
        """Rank nodes by words and meaning; scores are from 0 to 1."""
        by_words = await self._by_words(query)
        by_meaning = await self._by_meaning(query)
        ids = sorted({*by_words, *by_meaning})  # of equal scores the first by id
        numbers = {id: number for number, id in enumerate(ids)}
        ranked = ranking.fuse(
            {numbers[id]: score for id, score in by_words.items()},
            {numbers[id]: score for id, score in by_meaning.items()},
        )
        total = (await self._database.run(reads.COUNT_NOTES))[0]["notes"]
        left = (await self._database.run(search.COUNT_UNEMBEDDED))[0]["notes"]
        scores = tuple((ids[each.note], each.score) for each in ranked[:limit])
        return SearchResult(scores, max(0, total - left), total, self._problem)

    async def run(self) -> None:
        """Embed what is not, until cancelled."""
        failures = 0
        while self.works:
            try:
                busy = await self._embed_some()
            except CommonplaceError as error:
                self._problem = str(error)
                logger.warning("Search by meaning in the database waits: %s", error)
                await anyio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
                failures += 1
                continue
            failures, self._problem = 0, None
            if not busy:
                await anyio.sleep(_LOOK_SECONDS)

    # -- by words

    async def _by_words(self, query: str) -> dict[str, float]:
        asked = lucene(query)
        if not asked:
            return {}
        found = await self._database.run(search.WORDS, query=asked, limit=_NOTES_MAX)
        return {row["id"]: row["score"] for row in found if row["id"] is not None}

    # -- by meaning

    async def _by_meaning(self, query: str) -> dict[str, float]:
        if not self._ready or self._embedder is None:
            return {}
        try:
            vector = await anyio.to_thread.run_sync(self._embedder.embed_query, query)
        except Unavailable as error:
            self._problem = str(error)
            return {}
        found = await self._database.run(
            search.NEAREST, limit=_PASSAGES_MAX, vector=[float(each) for each in vector]
        )
        # The database gives (1 + cosine) / 2.
        nearest = {row["id"]: max(0.0, 2 * row["score"] - 1) for row in found}
        return dict(sorted(nearest.items(), key=lambda each: -each[1])[:_NOTES_MAX])

    async def _provider(self) -> "Embedder":
        async with self._opening:
            if self._embedder is None:
                assert self._open is not None
                self._embedder = await anyio.to_thread.run_sync(self._open)
            if not self._ready:
                await self._make_index(self._embedder)
                self._ready = True
        return self._embedder

    async def _make_index(self, embedder: "Embedder") -> None:
        """Make the vector index; vectors of another provider cannot be compared, so they go."""
        size = await anyio.to_thread.run_sync(lambda: embedder.dimensions)
        (mark,) = await self._database.run(store_mark.READ_MARK)
        if mark["provider"] != embedder.id:
            await self._database.command(search.DROP_MEANING)
            await self._database.command(search.FORGET_PASSAGES)
            await self._database.command(search.EMBED_ANEW)
            await self._database.command(store_mark.KEEP_PROVIDER, provider=embedder.id)
        config = {"vector.dimensions": size, "vector.similarity_function": "cosine"}
        await self._database.command(search.MAKE_MEANING, options={"indexConfig": config})
        await self._database.command(search.AWAIT_INDEXES)

    async def _embed_some(self) -> bool:
        """Embed a few nodes; tells whether there were any."""
        embedder = await self._provider()
        found = await self._database.run(search.UNEMBEDDED, limit=EMBEDDED_AT_ONCE)
        if not found:
            return False
        rows = await anyio.to_thread.run_sync(_passages, embedder, found)
        await self._database.write(lambda tx: tx.run(search.PUT_PASSAGES, rows=rows))
        return True


def lucene(query: str) -> str:
    """Write the words of a question as Lucene reads them: each quoted, none of them syntax."""
    terms = [term.replace("\\", "").replace('"', "") for term in words.query_terms(query)]
    quoted = " ".join(f'"{term}"' for term in terms[:_TERMS_MAX] if term.strip())
    return f"title:({quoted})^{TITLE_WEIGHT} content:({quoted})" if quoted else ""


def _passages(embedder: "Embedder", found: list[Row]) -> list[Row]:
    """Cut texts into passages and make their vectors, in a thread."""
    cut = [chunks.chunks(row["text"], row["title"]) for row in found]
    vectors = iter(embedder.embed_documents([each.text for some in cut for each in some]).tolist())
    return [
        {
            "id": row["id"],
            "revision": row["revision"],
            "passages": [
                {"start": each.start, "end": each.end, "vector": next(vectors)} for each in some
            ],
        }
        for row, some in zip(found, cut, strict=True)
    ]
