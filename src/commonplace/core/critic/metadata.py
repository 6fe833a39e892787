"""Who made a mark and when, written right behind its opening delimiter: `{"author":"Ann"}@@`.

Two dialects are read: `time` in seconds (Commentator, also by its shorthands `a` and `t`) and
`timestamp` in milliseconds (Lens). One is written, Commentator's. The object is flat: metadata
holds no inner braces, so it can neither hide nor form a delimiter.

`EMPTY` says nothing, but it is metadata: it keeps the text behind it from being read as some.
"""

import json
import re
from dataclasses import dataclass
from typing import cast

EMPTY = "{}@@"
TIME_MAX = 253_402_300_799
"""The last second of the year 9999."""

_OBJECT = re.compile(r"(\{[^{}]*\})@@")
_KEYS = frozenset(
    ("author", "time", "timestamp", "done", "style", "color", "a", "t", "d", "s", "c")
)


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a mark says of itself; `time` is seconds since 1970."""

    author: str | None = None
    time: float | None = None


def read(text: str, start: int, end: int) -> tuple[Metadata | None, int]:
    """Return the metadata at `start`, and where the content behind it begins."""
    if not text.startswith("{", start, end):
        return None, start
    found = _OBJECT.match(text, start, end)
    fields = _fields(found[1]) if found else None
    if found is None or fields is None:
        return None, start
    return Metadata(_author(fields), _time(fields)), found.end()


def write(author: str | None, time: float | None) -> str:
    """Return metadata to put behind an opening delimiter, or nothing if there is nothing to say."""
    fields: dict[str, str | int] = {}
    if author is not None:
        fields["author"] = author
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
    if not isinstance(author, str):
        return None
    # JSON can spell half a surrogate pair, which no file could hold.
    return author.encode("utf-8", "replace").decode()


def _time(fields: dict[str, object]) -> float | None:
    for key, unit in (("timestamp", 1000), ("time", 1), ("t", 1)):
        value = fields.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # Compared first: a whole number of 400 digits cannot be divided.
            return value / unit if 0 <= value <= TIME_MAX * unit else None
    return None
