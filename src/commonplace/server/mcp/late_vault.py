"""A vault that opens a moment after its first client was greeted.

Loading everything that a vault needs takes long.
A client's first question, what this server is, needs none of it, so it is answered first.
"""

from collections.abc import Awaitable, Callable, Sequence

from commonplace.server.mcp.ports import ListedNote, NoteEvent, Notes
from commonplace.tools.table import Toolbox

Fill = Callable[[], Awaitable[Toolbox]]


class LateToolbox:
    """Tools that are there when somebody first asks for them."""

    def __init__(self, names: Sequence[str], fill: Fill) -> None:
        self.names = names
        self._fill = fill
        self._filled: Toolbox | None = None

    async def opened(self) -> Toolbox:
        """Return the tools."""
        if self._filled is None:
            self._filled = await self._fill()
        return self._filled


class LateNotes:
    """Notes that are there when somebody first asks for them."""

    def __init__(self, opened: Callable[[], Awaitable[Notes]]) -> None:
        self._opened = opened
        self._notes: Notes | None = None
        self._waiting: dict[Callable[[NoteEvent], None], None] = {}
        self._stops: dict[Callable[[NoteEvent], None], Callable[[], None]] = {}

    async def page(self, after: str | None, limit: int) -> tuple[Sequence[ListedNote], str | None]:
        """List some notes."""
        return await (await self._opened()).page(after, limit)

    async def text(self, path: str) -> str:
        """Read a note."""
        return await (await self._opened()).text(path)

    async def complete(self, prefix: str, limit: int) -> Sequence[str]:
        """List paths that somebody may mean."""
        return await (await self._opened()).complete(prefix, limit)

    def follow(self, listener: Callable[[NoteEvent], None]) -> Callable[[], None]:
        """Call the listener on every change, once there can be any."""
        if self._notes is None:
            self._waiting[listener] = None
        else:
            self._stops[listener] = self._notes.follow(listener)
        return lambda: self._unfollow(listener)

    def arrived(self, notes: Notes) -> None:
        """Let those hear who have been waiting."""
        self._notes = notes
        for listener in self._waiting:
            self._stops[listener] = notes.follow(listener)
        self._waiting.clear()

    def _unfollow(self, listener: Callable[[NoteEvent], None]) -> None:
        self._waiting.pop(listener, None)
        if (stop := self._stops.pop(listener, None)) is not None:
            stop()
