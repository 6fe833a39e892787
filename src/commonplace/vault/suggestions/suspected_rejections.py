"""Suggestions that were perhaps rejected in the file.

A text saved without a suggestion, right after it was made, can have been read before, or somebody
took the suggestion out by hand: the bytes are the same. Nothing is guessed; the suggestion waits on
and is shown with this doubt, until it ends, is changed, or a program saves it as it stands.
"""

import json
from collections.abc import Collection, Mapping

from commonplace.core import critic
from commonplace.core.critic import rank
from commonplace.vault.documents.file.known_file import Save
from commonplace.vault.log.late_records import Afterwards

_DOUBTED = "suggested-doubted"


class SuspectedRejections:
    """The suggestions of each document that are in doubt, kept in the log."""

    def __init__(self, kept: Afterwards) -> None:
        self._kept = kept
        self._ids: dict[str, frozenset[str]] | None = None

    async def load(self) -> None:
        """Read them, once."""
        if self._ids is None:
            kept = await self._kept.records(_DOUBTED)
            self._ids = {key: frozenset(json.loads(value)) for key, value in kept.items()}

    def concern(self, document: str | None, id: str) -> bool:
        """Tell whether a suggestion was perhaps rejected."""
        return rank(id) in self._of(document)

    async def saved(self, save: Save) -> None:
        """Hear what another program saved: what stands in it was seen, and left as it is."""
        await self.load()
        known = self._of(save.id)
        if not known and not save.origin.doubts:
            return
        seen = {rank(id) for id, _, _ in critic.places(save.text)}
        await self._put(save.id, (known - seen) | save.origin.doubts)

    async def drop(self, document: str, ids: Collection[str]) -> None:
        """Forget the doubt about suggestions: they have ended, or are others now."""
        await self.load()
        if known := self._of(document):
            await self._put(document, known - set(map(rank, ids)))

    async def carry(self, document: str, carried: Mapping[str, str]) -> None:
        """Let doubts follow suggestions that go by other ids now (old to new)."""
        await self.load()
        if known := self._of(document):
            moved = {rank(old): rank(new) for old, new in carried.items()}
            await self._put(document, frozenset(moved.get(id, id) for id in known))

    def _of(self, document: str | None) -> frozenset[str]:
        return (self._ids or {}).get(document or "", frozenset())

    async def _put(self, document: str, ids: frozenset[str]) -> None:
        assert self._ids is not None
        if ids == self._of(document):
            return
        self._ids[document] = ids
        await self._kept.put(_DOUBTED, document, json.dumps(sorted(ids)) if ids else None)
        if not ids:
            self._ids.pop(document, None)
