"""Which bytes of a file a `Range` header asks for (RFC 9110, 14.1)."""

import re
from typing import Final, Literal

BEYOND: Final = "beyond"
_ONE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def parse(header: str, size: int) -> tuple[int, int] | Literal["beyond"] | None:
    """Return the first byte wanted and the one behind the last; None for the whole file.

    A header that asks for several parts, or that nobody understands, asks for the whole.
    """
    found = _ONE.fullmatch(header.replace(" ", ""))
    if not found or found[0] == "bytes=-":
        return None
    if not found[1]:
        last = int(found[2])
        return (max(0, size - last), size) if last and size else BEYOND
    start = int(found[1])
    end = min(int(found[2]) + 1, size) if found[2] else size
    if start >= size:
        return BEYOND
    return (start, end) if start < end else None
