"""What each assistant has read: it may edit no note that it has not seen.

An interlock against accidents, not a wall: an actor is whoever the protocol says it is.

What an actor has read is known as long as the server runs. That an assistant was shown part of a
note alone is kept in the log: it goes on over other connections, in other processes, and what it
was shown goes with it.
"""

import json
from collections import OrderedDict
from dataclasses import dataclass, field

from commonplace.core.text.line_pages import LinePage
from commonplace.errors import NotRead, PartRead
from commonplace.vault.documents.ids import Ids
from commonplace.vault.log.late_records import Afterwards

READINGS_MAX = 100_000
TEXTS_CHARS_MAX = 8_000_000
CUT_READINGS_MAX = 10_000
_CUT = "read-in-part"


@dataclass(slots=True)
class _ReadText:
    time: float
    text: str | None
    lines: int = 0
    shown: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Which lines of the text the actor was shown whole, in order and apart."""


class Readings:
    """Who read which note when, the latest kept."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], _ReadText] = OrderedDict()
        self._texts: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._chars = 0

    def remember(self, actor: str, path: str, text: str, time: float) -> float | None:
        """Remember that an actor has read a note; returns when it did so before."""
        key = (actor, path)
        before = self._seen.pop(key, None)
        self._forget_text(key)
        shown = before.shown if before is not None and before.text == text else []
        self._seen[key] = _ReadText(time, text, _lines(text), shown)
        self._texts[key] = len(text)
        self._chars += len(text)
        while self._chars > TEXTS_CHARS_MAX and len(self._texts) > 1:
            oldest = next(iter(self._texts))
            self._forget_text(oldest)
            self._seen[oldest].text = None
        while len(self._seen) > READINGS_MAX:
            self._forget_text(self._seen.popitem(last=False)[0])
        return before.time if before else None

    def show(self, actor: str, path: str, page: LinePage) -> None:
        """Take note of the lines that an actor was shown of the text that it has just read."""
        seen = self._seen.get((actor, path))
        if seen is None or not page.whole or page.last < page.first:
            return
        ranges = sorted([*seen.shown, (page.first, page.last)])
        seen.shown = ranges[:1]
        for first, last in ranges[1:]:
            if first <= seen.shown[-1][1] + 1:
                seen.shown[-1] = seen.shown[-1][0], max(last, seen.shown[-1][1])
            else:
                seen.shown.append((first, last))

    def show_all(self, actor: str, path: str) -> None:
        """Take note that an actor was shown all of the text that it has just read."""
        if (seen := self._seen.get((actor, path))) is not None:
            seen.shown = [(1, seen.lines)]

    def cut_lines(self, actor: str, path: str) -> int | None:
        """Return how many lines a text has of which the actor was shown only part, else zero.

        None, if it has not read the note.
        """
        seen = self._seen.get((actor, path))
        if seen is None:
            return None
        return 0 if seen.shown == [(1, seen.lines)] else seen.lines

    def require(self, actor: str, path: str) -> None:
        """Refuse an edit of a note that the actor has not read."""
        if (actor, path) not in self._seen:
            raise NotRead(path)

    def text(self, actor: str, path: str) -> str | None:
        """Return what an actor takes the note's text to be, if that is still known."""
        seen = self._seen.get((actor, path))
        return seen.text if seen else None

    def believe(self, actor: str, path: str, text: str, time: float) -> None:
        """Take note that an actor wrote the note's text itself; when it last read it stays."""
        seen = self._seen.get((actor, path))
        self.remember(actor, path, text, seen.time if seen else time)
        self.show_all(actor, path)

    def follow_edit(self, actor: str, path: str, old: str, new: str, *, every: bool) -> None:
        """Take note that an actor knows what it has put in the place of a passage."""
        seen = self._seen.get((actor, path))
        if seen is None or seen.text is None or not (count := seen.text.count(old)):
            return
        if count > 1 and not every:
            return  # which one it was is not known here
        whole = seen.shown == [(1, seen.lines)]
        self.remember(actor, path, seen.text.replace(old, new), seen.time)
        if whole:
            self.show_all(actor, path)

    def had(self, actor: str, path: str, passage: str) -> bool:
        """Tell whether a passage stood in the note when the actor last read it."""
        seen = self._seen.get((actor, path))
        return seen is not None and seen.text is not None and passage in seen.text

    def _forget_text(self, key: tuple[str, str]) -> None:
        self._chars -= self._texts.pop(key, 0)


class CutReadings:
    """The notes of which each assistant was last shown only part, by document."""

    def __init__(self, ids: Ids, kept: Afterwards) -> None:
        self._ids = ids
        self._kept = kept
        self._lines: dict[str, int] | None = None

    async def put(self, assistant: str, path: str, lines: int) -> None:
        """Take note that an assistant was shown part of so many lines; zero: the whole."""
        known = await self._load()
        key = await self._key(assistant, path) if known or lines else ""
        if known.get(key, 0) == lines:
            return
        known.pop(key, None)
        await self._kept.put(_CUT, key, str(lines) if lines else None)
        if lines:
            known[key] = lines
        while len(known) > CUT_READINGS_MAX:
            oldest = next(iter(known))
            del known[oldest]
            await self._kept.put(_CUT, oldest, None)

    async def refuse(self, assistant: str, path: str) -> None:
        """Refuse to write a text back of which the assistant was last shown only part.

        Raises:
            PartRead: it was.

        """
        known = await self._load()
        if known and (lines := known.get(await self._key(assistant, path), 0)):
            raise PartRead(path, lines)

    async def _load(self) -> dict[str, int]:
        if self._lines is None:
            kept = await self._kept.records(_CUT)
            self._lines = {key: int(value) for key, value in kept.items()}
        return self._lines

    async def _key(self, assistant: str, path: str) -> str:
        return json.dumps([assistant, await self._ids.id_of(path)], ensure_ascii=False)


def _lines(text: str) -> int:
    return text.removesuffix("\n").count("\n") + 1 if text else 0
