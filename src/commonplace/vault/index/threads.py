"""Long questions to the index, put in a thread so that short ones need not wait."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from commonplace.core.view import View
from commonplace.vault.index.reader import Index

Result = TypeVar("Result")


class Aside:
    """A reader of the index beside the event loop's own: one question at a time."""

    def __init__(self, folder: Path, view: View = View()) -> None:  # noqa: B008 (it is frozen)
        self._index = Index(folder, view)
        self._one = anyio.CapacityLimiter(1)

    async def ask(self, question: Callable[[Index], Result]) -> Result:
        """Put a question; others are answered meanwhile."""
        return await anyio.to_thread.run_sync(question, self._index, limiter=self._one)

    def close(self) -> None:
        """Let go of the file."""
        self._index.close()
