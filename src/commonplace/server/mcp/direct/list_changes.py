"""Tells a 2025-era session, for as long as the SDK is not there, that the list of notes changed."""

from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable
from types import TracebackType

from commonplace.server.mcp.ports import BURST_SECONDS, NoteEvent, Notes

NOTICE = b'{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}'


class ListChanges:
    """Follows the notes, and says each burst of changes once; a context that ends by stopping."""

    def __init__(self, notes: Notes, tell: Callable[[bytes], None]) -> None:
        self._notes = notes
        self._tell = tell
        self._unfollow: Callable[[], None] | None = None
        self._due: TimerHandle | None = None

    def follow(self) -> None:
        """Begin."""
        if self._unfollow is None:
            self._unfollow = self._notes.follow(self._hear)

    def stop(self) -> None:
        """Say what is due, and no more."""
        if self._unfollow is not None:
            self._unfollow()
            self._unfollow = None
        if self._due is not None:
            self._due.cancel()
            self._say()

    def abandon(self) -> None:
        """Say no more, nor what was about to be said: nobody listens."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        self.stop()

    def _hear(self, change: NoteEvent) -> None:
        if change.kind != "changed" and self._due is None:
            self._due = get_running_loop().call_later(BURST_SECONDS, self._say)

    def _say(self) -> None:
        self._due = None
        self._tell(NOTICE)

    def __enter__(self) -> "ListChanges":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.abandon()
