"""Who made a mark and when, written right behind its opening delimiter: `{"author":"Ann"}@@`.

Two dialects are read: `time` in seconds (Commentator, also by its shorthands `a` and `t`) and
`timestamp` in milliseconds (Lens). One is written, Commentator's. The object is flat: metadata
holds no inner braces, so it can neither hide nor form a delimiter.

A suggestion that several have written names them all, the latest as `author`, whom every reader
knows, and all in order as `authors`: `{"author":"Bo","authors":["Ann","Bo"]}@@`.

`EMPTY` says nothing, but it is metadata: it keeps the text behind it from being read as some.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

EMPTY = "{}@@"
TIME_MAX = 253_402_300_799
"""The last second of the year 9999."""

_OBJECT = re.compile(r"(\{[^{}]*\})@@")
_KEYS = frozenset(
    ("author", "authors", "time", "timestamp", "done", "style", "color", "a", "t", "d", "s", "c")
)


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a mark says of itself; `time` is seconds since 1970."""

    author: str | None = None
    time: float | None = None
    earlier: tuple[str, ...] = ()
    """Who wrote part of it before the author did."""

    @property
    def authors(self) -> tuple[str, ...]:
        """Everybody who wrote part of it, the latest last."""
        return self.earlier if self.author is None else (*self.earlier, self.author)


@dataclass(frozen=True, slots=True)
class Signature:
    """Who writes a suggestion and when; in the text itself only if that is `written` there."""

    author: str | None = None
    time: float | None = None
    written: bool = False

    def over(self, superseded: Iterable[Metadata]) -> str:
        """Return metadata for a suggestion in place of others: who is named there stays named."""
        named = dict.fromkeys(name for meta in superseded for name in meta.authors)
        if not self.written and not named:
            return ""
        names = [name for name in named if name != self.author]
        author = names.pop() if self.author is None and names else self.author
        return write(author, self.time, names)


NOBODY = Signature()
"""Whoever writes without saying who it is."""


def read(text: str, start: int, end: int) -> tuple[Metadata | None, int]:
    """Return the metadata at `start`, and where the content behind it begins."""
    if not text.startswith("{", start, end):
        return None, start
    found = _OBJECT.match(text, start, end)
    fields = _fields(found[1]) if found else None
    if found is None or fields is None:
        return None, start
    author = _author(fields)
    return Metadata(author, _time(fields), _earlier(fields, author)), found.end()


def write(author: str | None, time: float | None, earlier: Sequence[str] = ()) -> str:
    """Return metadata to put behind an opening delimiter, or nothing if there is nothing to say."""
    fields: dict[str, str | int | list[str]] = {}
    if author is not None:
        fields["author"] = author
    if earlier:
        fields["authors"] = [*earlier, *([] if author is None else [author])]
    if time is not None:
        fields["time"] = int(time)
    if not fields:
        return ""
    inner = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))[1:-1]
    for mark in "{}@":
        inner = inner.replace(mark, f"\\u{ord(mark):04x}")
    return f"{{{inner}}}@@"


def _fields(source: str) -> dict[str, object] | None:
    try:
        value: object = json.loads(source)
    except (ValueError, RecursionError):
        return None
    fields = cast("dict[str, object]", value)
    return fields if not fields or not _KEYS.isdisjoint(fields) else None


def _author(fields: dict[str, object]) -> str | None:
    author = fields.get("author", fields.get("a"))
    return _name(author) if isinstance(author, str) else None


def _earlier(fields: dict[str, object], author: str | None) -> tuple[str, ...]:
    found = fields.get("authors")
    if not isinstance(found, list):
        return ()
    names = [_name(each) for each in cast("list[object]", found) if isinstance(each, str)]
    return tuple(dict.fromkeys(name for name in names if name != author))


def _name(name: str) -> str:
    # JSON can spell half a surrogate pair, which no file could hold.
    return name.encode("utf-8", "replace").decode()


def _time(fields: dict[str, object]) -> float | None:
    for key, unit in (("timestamp", 1000), ("time", 1), ("t", 1)):
        value = fields.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # Compared first: a whole number of 400 digits cannot be divided.
            return value / unit if 0 <= value <= TIME_MAX * unit else None
    return None
