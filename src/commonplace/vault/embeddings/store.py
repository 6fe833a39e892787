"""The vectors of a vault: opened, added to and searched, in worker threads.

Heavy things are imported when they are first needed: numpy and the model take longer to start than
a vault does. One thread embeds at a time; others may search meanwhile.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from commonplace.core.search import chunks as cutting, ranking
from commonplace.vault.embeddings.passages import Passages, StoredPassage
from commonplace.vault.index.catalog import CatalogEntry
from commonplace.vault.index.reader import Index
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.vault.embeddings.provider import Embedder

_PASSAGES_MAX = 300
CHUNKS_AT_ONCE = 16


class Embedding:
    """Notes cut into passages, each with its vector."""

    def __init__(
        self,
        settings: Settings,
        text: Callable[[int], bytes],
        embedder: "Embedder | None" = None,
        same: Callable[[str], str] = str,
    ) -> None:
        """Open the provider and take what was embedded before.

        `same` gives a path as the string that others hold already: there may be very many.
        """
        from commonplace.vault.embeddings.choice import open_embedder
        from commonplace.vault.embeddings.vectors import Vectors

        self._text = text
        self.embedder = embedder or open_embedder(settings)
        self.vectors = Vectors(self.embedder.dimensions)
        self._passages, self._reader = Passages(settings.state), Passages(settings.state)
        self._passages.belong_to(self.embedder.id, self.embedder.dimensions)
        self._index = Index(settings.state)
        self._index_file = settings.state / "index.db"
        self.vectors.load(self._passages.rows())
        self.paths = {note: same(path) for note, path in self._passages.paths()}

    def close(self) -> None:
        """Let go of the provider and the files."""
        self.embedder.close()
        self._passages.close()
        self._reader.close()
        self._index.close()

    def reopen_index(self) -> None:
        """Read the index that is there now."""
        self._index.reopen()

    def stale(self) -> dict[str, None]:
        """List the notes that are not embedded as they are now, the newest last."""
        gone, changed = self._passages.behind(self._index_file)
        return dict.fromkeys([*gone, *changed])

    def sweep(self) -> None:
        """Throw away vectors that no passage uses any more."""
        self._passages.sweep()

    def embed(self, entries: Mapping[str, CatalogEntry | None]) -> list[str]:
        """Embed notes in a thread; returns those that were too many for one go."""
        gone = [path for path, entry in entries.items() if entry is None]
        removed = self._passages.remove(gone)
        self.vectors.remove(removed)
        notes: dict[str, tuple[bytes, list[StoredPassage]]] = {}
        texts: dict[bytes, str] = {}
        left: list[str] = []
        for path, entry in entries.items():
            if entry is not None and len(texts) < CHUNKS_AT_ONCE:
                notes[path] = self._cut(path, entry, texts)
            elif entry is not None:
                left.append(path)
        fresh = self._made(texts)
        for path, done in self._passages.put(notes, fresh).items():
            self.vectors.put(done.note, done.passages, done.vectors)
            self.paths[done.note] = path
        for note in removed:
            self.paths.pop(note, None)
        return left[::-1]

    def _cut(
        self, path: str, entry: CatalogEntry, texts: dict[bytes, str]
    ) -> tuple[bytes, list[StoredPassage]]:
        about, known = self._index.about(path), self._index.known_one(path)
        sha = (known and known.sha) or b""
        if about is None or about.problem is not None:
            return sha, []
        found = cutting.chunks(self._text(entry.note).decode("utf-8", "replace"), about.title or "")
        passages = [StoredPassage(each.start, each.end, each.sha256) for each in found]
        made = self._passages.vectors([each.hash for each in passages])
        texts |= {each.sha256: each.text for each in found if each.sha256 not in made}
        return sha, passages

    def _made(self, texts: Mapping[bytes, str]) -> dict[bytes, bytes]:
        from commonplace.vault.embeddings.vectors import packed

        if not texts:
            return {}
        rows = packed(self.embedder.embed_documents(list(texts.values())))
        return dict(zip(texts, rows, strict=True))

    def nearest(self, query: str, allowed: set[int] | None) -> dict[int, ranking.NearPassage]:
        """Find the passage of each note that is nearest to a question, among the allowed notes."""
        if not len(self.vectors) or allowed == set():
            return {}
        near = self.vectors.search(self.embedder.embed_query(query), _PASSAGES_MAX, allowed)
        return ranking.best_passages(near)

    def range(self, passage: int) -> tuple[int, int] | None:
        """Tell where a passage stands in its note."""
        return self._reader.range(passage)
