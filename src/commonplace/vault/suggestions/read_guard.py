"""What each assistant has read: it may edit no note that it has not seen.

An interlock against accidents, not a wall: an actor is whoever the protocol says it is.
"""

from collections import OrderedDict
from dataclasses import dataclass

from commonplace.errors import Forbidden

READINGS_MAX = 100_000
TEXTS_CHARS_MAX = 8_000_000


@dataclass(slots=True)
class _Reading:
    time: float
    text: str | None


class Readings:
    """Who read which note when, the latest kept."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], _Reading] = OrderedDict()
        self._texts: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._chars = 0

    def remember(self, actor: str, path: str, text: str, time: float) -> float | None:
        """Remember that an actor has read a note; returns when it did so before."""
        key = (actor, path)
        before = self._seen.pop(key, None)
        self._forget_text(key)
        self._seen[key] = _Reading(time, text)
        self._texts[key] = len(text)
        self._chars += len(text)
        while self._chars > TEXTS_CHARS_MAX and len(self._texts) > 1:
            oldest = next(iter(self._texts))
            self._forget_text(oldest)
            self._seen[oldest].text = None
        while len(self._seen) > READINGS_MAX:
            self._forget_text(self._seen.popitem(last=False)[0])
        return before.time if before else None

    def require(self, actor: str, path: str) -> None:
        """Refuse an edit of a note that the actor has not read."""
        if (actor, path) not in self._seen:
            raise Forbidden(
                "You must read this document before editing it. Call the read tool with"
                f' file_path: "{path}" first.'
            )

    def text(self, actor: str, path: str) -> str | None:
        """Return what an actor takes the note's text to be, if that is still known."""
        seen = self._seen.get((actor, path))
        return seen.text if seen else None

    def believe(self, actor: str, path: str, text: str, time: float) -> None:
        """Take note that an actor wrote the note's text itself; when it last read it stays."""
        seen = self._seen.get((actor, path))
        self.remember(actor, path, text, seen.time if seen else time)

    def had(self, actor: str, path: str, passage: str) -> bool:
        """Tell whether a passage stood in the note when the actor last read it."""
        seen = self._seen.get((actor, path))
        return seen is not None and seen.text is not None and passage in seen.text

    def _forget_text(self, key: tuple[str, str]) -> None:
        self._chars -= self._texts.pop(key, 0)
