"""How far the index is, for those whose answer depends on it.

An answer waits a little for what it needs. What is not there by then is not waited for: whoever
answers says that it is incomplete.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:  # the table of tools needs a name of this module, and no index
    from commonplace.vault.index.indexer import Indexer
    from commonplace.vault.index.mirror import Contents

READY_SECONDS_MAX = 5.0


@dataclass(frozen=True, slots=True)
class Incomplete:
    """How many notes of how many the index knows; no total while the files are being listed."""

    indexed: int
    total: int | None

    @property
    def sentence(self) -> str:
        """What to tell an assistant or a person."""
        of = "" if self.total is None else f" of {self.total:,}"
        return (
            f"[The vault is still being indexed: {self.indexed:,}{of} notes."
            " This answer may be incomplete.]"
        )


class Readiness:
    """Waits for the index, within bounds."""

    def __init__(
        self, indexer: "Indexer", contents: "Contents", seconds_max: float = READY_SECONDS_MAX
    ) -> None:
        self._indexer = indexer
        self._contents = contents
        self.seconds_max = seconds_max

    async def listed(self) -> Incomplete | None:
        """Wait until the names of all notes are known."""
        return await self._wait(self._indexer.state.compared.wait, self._is_listed)

    async def searchable(self) -> Incomplete | None:
        """Wait until every text can be searched: in the index, or in files that it lacks."""
        return await self._wait(self._until_searchable, self._is_searchable)

    async def indexed(self) -> Incomplete | None:
        """Wait until the index has caught up with the files as they were at the start."""
        return await self._wait(self._indexer.state.current.wait, self._is_indexed)

    def _is_listed(self) -> bool:
        return self._indexer.state.compared.is_set() and not self._indexer.state.renewing

    def _is_searchable(self) -> bool:
        return self._is_indexed() or (self._is_listed() and not self._indexer.state.outdated)

    def _is_indexed(self) -> bool:
        return self._indexer.state.current.is_set() and not self._indexer.state.renewing

    async def _until_searchable(self) -> None:
        await self._indexer.state.compared.wait()
        if not self._is_searchable():
            await self._indexer.state.current.wait()

    async def _wait(
        self, wait: Callable[[], Awaitable[None]], is_done: Callable[[], bool]
    ) -> Incomplete | None:
        if not is_done() and not self._indexer.state.failing:
            with anyio.move_on_after(self.seconds_max):
                await wait()
        return None if is_done() else self._far()

    def _far(self) -> Incomplete:
        state, known = self._indexer.state, len(self._contents.catalog)
        if not state.compared.is_set():
            return Incomplete(known, None)
        return Incomplete(max(0, known - max(0, state.todo - state.read)), known)
