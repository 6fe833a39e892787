"""A part of a vault, as somebody meets it whose access token is limited to folders.

It is a vault like any other, made of the same kinds of parts, each over roots, an index and a
mirror that hold nothing else (`View`). So a tool or a route needs no check of its own: what lies
outside is not there. What a part shares with the whole are the live documents, the records, and
those who ask people.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commonplace.core.view import View
from commonplace.errors import Forbidden
from commonplace.vault.attachments.attachments import Attachments
from commonplace.vault.embeddings.semantic import EmbeddingProgress, Near, SemanticSearch
from commonplace.vault.health import Health
from commonplace.vault.index.graph import SeenGraph
from commonplace.vault.index.mirror import Contents, SeenContents
from commonplace.vault.index.reader import Index
from commonplace.vault.index.threads import Aside
from commonplace.vault.index.warnings import Warnings
from commonplace.vault.notes.rename import Renamed, Renames
from commonplace.vault.notes.rename_plan import RenameUndo
from commonplace.vault.notes.write import NoteWriter
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.search.listing import Listing
from commonplace.vault.search.readiness import Readiness
from commonplace.vault.search.search import Search
from commonplace.vault.search.texts import Texts
from commonplace.vault.sets.sets import Sets
from commonplace.vault.suggestions.note_reader import NoteReader
from commonplace.vault.suggestions.pending import PendingSuggestions
from commonplace.vault.vault import Vault

if TYPE_CHECKING:
    from commonplace.core.graph import Graph


@asynccontextmanager
async def part_of(whole: Vault, view: View) -> AsyncGenerator[Vault]:
    """Give the part of a vault that a view shows."""
    state = whole.settings.state
    index, aside = Index(state, view), Aside(state, view)
    contents = SeenContents(whole.contents, view)
    links = SeenGraph(whole.links, partial(_read_graph, state, view))

    async def reopen() -> None:
        index.reopen()
        await aside.ask(Index.reopen)

    stop = whole.indexer.follow_renewals(reopen)
    try:
        yield _wire(whole, view, index, aside, contents, links)
    finally:
        for end in (stop, contents.close, links.close, index.close, aside.close):
            end()


def _wire(
    whole: Vault, view: View, index: Index, aside: Aside, contents: Contents, links: SeenGraph
) -> Vault:
    """Make the parts that tell of notes anew; all others are the whole's."""
    settings, indexer, roots = whole.settings, whole.indexer, whole.roots.seen(view)
    notes, renames = whole.notes.seen(view), _NoRenames(view)
    texts = Texts(roots, contents, notes)
    listing = Listing(
        index, aside, contents, indexer, notes, texts, several_roots=settings.several_roots
    )
    meaning = _SeenMeaning(whole.meaning, contents)
    readings, cuts = whole.reader.readings, whole.reader.cuts
    reader = NoteReader(
        texts, whole.review, whole.authorship, whole.comments, whole.absence, readings, cuts
    )
    warnings = Warnings(index)
    contents.follow(warnings.heard)
    health = whole.health
    return replace(
        whole,
        roots=roots,
        health=_SeenHealth(
            settings,
            roots,
            health.log,
            index,
            aside,
            indexer,
            notes,
            meaning,
            health.audit,
            health.supervisor,
        ),
        index=index,
        contents=contents,
        links=links,
        readiness=Readiness(indexer, contents),
        warnings=warnings,
        notes=notes,
        texts=texts,
        listing=listing,
        meaning=meaning,
        search=Search(settings, roots, index, aside, contents, texts, listing, meaning),
        reader=reader,
        pending=PendingSuggestions(index, notes, whole.ledger),
        write=NoteWriter(
            texts,
            notes,
            listing,
            whole.authorship,
            readings,
            cuts,
            roots,
            indexer,
            index,
            whole.trash,
        ),
        renames=renames,
        attachments=Attachments(settings, roots, index, indexer, renames),
        permissions=_QuietPermissions(whole.permissions),
        sets=replace(whole.sets, kept=_QuietSets(whole.sets.kept)),
    )


def _read_graph(state: Path, view: View) -> "Graph":
    from commonplace.core.graph import Graph

    index = Index(state, view)
    try:
        return Graph.of(index.links.edges())
    finally:
        index.close()


class _SeenMeaning(SemanticSearch):
    """Search by meaning among the notes that are seen."""

    def __init__(self, whole: SemanticSearch, contents: Contents) -> None:
        self._whole = whole
        self._seen = contents
        self.first_round = whole.first_round

    @property
    def works(self) -> bool:
        """Whether there is a provider."""
        return self._whole.works

    @property
    def progress(self) -> EmbeddingProgress:
        """How far embedding is, as far as the seen notes may be concerned."""
        whole, total = self._whole.progress, len(self._seen.catalog)
        embedded = total if whole.embedded >= whole.total else min(total, whole.embedded)
        return EmbeddingProgress(whole.provider, embedded, total, 0, whole.problem)

    async def search(
        self,
        query: str,
        by_words: Callable[[], Awaitable[Mapping[int, float]]],
        limit: int,
        allowed: Collection[int] | None,
    ) -> list[Near]:
        """Rank the notes that are seen."""
        seen = {entry.note for entry in self._seen.catalog.newest()}
        chosen = seen if allowed is None else seen.intersection(allowed)
        return await self._whole.search(query, by_words, limit, chosen)


@dataclass(frozen=True, slots=True)
class _SeenHealth(Health):
    """How a vault is doing, without what others do in it."""

    def status(self) -> dict[str, object]:
        """Say how things are, as plain values."""
        return {**Health.status(self), "building": None, "unindexed": None, "writes": []}


class _NoRenames(Renames):
    """Refuses renames: the links of notes that are not seen would have to follow."""

    def __init__(self, view: View) -> None:
        self._why = (
            f"This access token reaches {view.reach} only, and a rename changes the links of other"
            " notes too. Ask the server's owner to rename it. Nothing was changed."
        )

    def lately(self, old: str) -> str | None:
        """Return nothing: a note may have been moved out of sight."""
        return None

    def check(self, old: str, new: str) -> str:
        """Refuse a rename that is wished for."""
        raise Forbidden(self._why)

    async def rename(
        self,
        path: str,
        to: str,
        actor: str,
        *,
        title: str | None = None,
        set: str = "",  # noqa: A002 (the domain's word)
        undo: RenameUndo = RenameUndo(),  # noqa: B008 (frozen)
    ) -> Renamed:
        """Refuse a rename."""
        raise Forbidden(self._why)

    async def undo(self, token: str, actor: str) -> Renamed:
        """Refuse to take one back."""
        raise Forbidden(self._why)


class _QuietSets(Sets):
    """Sets that do not tell when one changes."""

    def __init__(self, whole: Sets) -> None:
        self.__dict__.update(whole.__dict__)

    def follow(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Tell nothing."""
        return lambda: None


class _QuietPermissions(Permissions):
    """Permissions that do not tell how many writes of others wait."""

    def __init__(self, whole: Permissions) -> None:
        self.__dict__.update(whole.__dict__)

    def follow(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Tell nothing."""
        return lambda: None
