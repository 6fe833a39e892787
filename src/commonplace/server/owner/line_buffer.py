"""Bytes into lines, with a bound: a longer line is dropped whole and reported, not passed on.

Linear in what is fed: only new bytes are searched for the line's end.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MESSAGE_BYTES_MAX = 4 * 1024 * 1024
_EDGE = 4096

# The id of a JSON-RPC message as its first or second member, or as its last one.
_ID = rb'"id"\s*:\s*(\d{1,18}(?![\d.eE])|"[^"\\\x00-\x1f]*")'
_ID_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_LAST = re.compile(rb"[,{]\s*" + _ID + rb"\s*\}\s*$")


@dataclass(frozen=True, slots=True)
class TooLong:
    """The two ends of a line that was over the bound."""

    head: bytes
    tail: bytes

    @property
    def request(self) -> bytes | None:
        """Find the id of the request that the line held, as JSON, if it shows at either end."""
        found = _ID_FIRST.match(self.head) or _ID_LAST.search(self.tail)
        return found[1] if found else None


class LineBuffer:
    """Collects bytes until a line is complete."""

    def __init__(self, longest: int = MESSAGE_BYTES_MAX) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""

    def feed(self, data: bytes) -> Iterator[bytes | TooLong]:
        """Take what was read; give the lines that it completes, without their ends."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._keep(end)
            line = self._take()
            if line:
                yield line
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._longest:
            joined = b"".join(self._parts)
            self._head = self._head or joined[:_EDGE]
            self._parts = [joined[-_EDGE:]]

    def _take(self) -> bytes | TooLong:
        line = b"".join(self._parts)
        found = TooLong(self._head, line) if self._head else line.rstrip(b"\r")
        self._parts, self._size, self._head = [], 0, b""
        return found
