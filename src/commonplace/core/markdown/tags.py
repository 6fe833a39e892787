"""Tags in the text, by Obsidian's rule.

A tag follows white space or a line's start, holds something that is no digit, and ends at the
first character that is neither letter, digit, mark, `_`, `-`, `/` nor a symbol such as an emoji.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from commonplace.core.markdown.byte_offsets import byte_offsets
from commonplace.core.markdown.links import Link

_PUNCTUATION = (
    r"\s\x00-\x1f!\"#$%&'()*+,.:;<=>?@\[\\\]^`{|}~\x7f-\xa1\xa7\xab\xad\xb6\xbb\xbf"
    r"\u2000-\u200b\u200e-\u206f\u2e00-\u2e7f\u3000-\u3003\u3008-\u3011\u3014-\u301f\u3030\u30fb"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3e\uff40\uff5b-\uff65"
)
_TAG = re.compile(f"#([^{_PUNCTUATION}]+)")


class Tag(NamedTuple):
    """A tag in the text, named without its `#`; the range is in bytes and includes it."""

    name: str
    start: int
    end: int


def inline_tags(text: str, offset: int) -> list[Tag]:
    """Find what looks like a tag, wherever it stands; ranges are moved by `offset` bytes."""
    found = [match for match in _TAG.finditer(text) if _is_tag(match, text)] if "#" in text else []
    starts = byte_offsets(text, [match.start() for match in found])
    tags: list[Tag] = []
    for match, start in zip(found, starts, strict=True):
        name = match[1].rstrip("/")
        tags.append(Tag(name, offset + start, offset + start + 1 + len(name.encode())))
    return tags


Found = TypeVar("Found", Tag, Link)


def outside(found: Iterable[Found], opaque: Sequence[tuple[int, int]]) -> Iterator[Found]:
    """Leave out what lies inside the given ranges; all are in order of their starts."""
    spans = iter(opaque)
    start, end = next(spans, (-1, -1))
    for each in found:
        while start >= 0 and end <= each.start:
            start, end = next(spans, (-1, -1))
        if not 0 <= start <= each.start:
            yield each


def _is_tag(match: re.Match[str], text: str) -> bool:
    name, start = match[1].rstrip("/"), match.start()
    return bool(name) and not name.isdecimal() and (not start or text[start - 1].isspace())
