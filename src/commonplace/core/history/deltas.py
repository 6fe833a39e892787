"""What a revision changed: passages taken away and put in, and how that is kept as bytes.

Offsets count code points of the text before the first change; changes are sorted and apart.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from commonplace.core.text import edits
from commonplace.core.text.edits import Edit

_PLAIN, _PACKED = b"\0", b"\1"
_PACK_MIN = 64


@dataclass(frozen=True, slots=True)
class PassageChange:
    """Put `added` in the place of `removed`, which stands at `start`.

    `origins` are the runs (length, revision) of text that was put back: who wrote it first.
    """

    start: int
    removed: str
    added: str
    origins: tuple[tuple[int, int], ...] = ()

    @property
    def end(self) -> int:
        """Where the removed text ends."""
        return self.start + len(self.removed)


Delta = tuple[PassageChange, ...]


def from_edits(text: str, made: Iterable[Edit]) -> Delta:
    """Return the delta of edits that were made in a text."""
    found = (PassageChange(edit.start, text[edit.start : edit.end], edit.text) for edit in made)
    return tuple(change for change in found if change.removed != change.added)


def to_edits(delta: Delta) -> list[Edit]:
    """Return a delta as edits."""
    return [Edit(change.start, change.end, change.added) for change in delta]


def between(old: str, new: str) -> Delta:
    """Return a small delta that leads from one text to the other."""
    return from_edits(old, edits.diff(old, new))


def apply(text: str, delta: Delta) -> str:
    """Return the text after a delta.

    Raises:
        ValueError: the delta does not belong to this text.

    """
    for change in delta:
        if text[change.start : change.end] != change.removed:
            raise ValueError(f"a delta does not fit its text at {change.start}")
    return edits.apply(text, to_edits(delta))


def inverse(delta: Delta) -> Delta:
    """Return the delta that leads back."""
    moved = 0
    back: list[PassageChange] = []
    for change in delta:
        back.append(PassageChange(change.start + moved, change.added, change.removed))
        moved += len(change.added) - len(change.removed)
    return tuple(back)


def encode(delta: Delta) -> bytes:
    """Return a delta as bytes, packed where that is shorter."""
    out = bytearray()
    at = 0
    for change in delta:
        _put(out, change.start - at)
        at = change.end
        for text in (change.removed, change.added):
            data = text.encode(errors="surrogatepass")
            _put(out, len(data))
            out += data
        _put(out, len(change.origins))
        for number in (part for run in change.origins for part in run):
            _put(out, number)
    packed = zlib.compress(out, 6) if len(out) >= _PACK_MIN else None
    if packed is not None and len(packed) < len(out):
        return _PACKED + packed
    return _PLAIN + bytes(out)


def decode(data: bytes) -> Delta:
    """Return the delta that was encoded.

    Raises:
        ValueError: these bytes are no delta.

    """
    try:
        body = zlib.decompress(data[1:]) if data[:1] == _PACKED else data[1:]
        if data[:1] not in (_PLAIN, _PACKED):
            raise ValueError("a delta of an unknown form")
        return tuple(_changes(_Bytes(body)))
    except (zlib.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError("a delta that cannot be read") from error


def _changes(data: "_Bytes") -> Iterator[PassageChange]:
    at = 0
    while data.left:
        start = at + data.number()
        removed, added = data.text(), data.text()
        origins = tuple((data.number(), data.number()) for _ in range(data.number()))
        yield PassageChange(start, removed, added, origins)
        at = start + len(removed)


class _Bytes:
    """Bytes that are read from their start."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> bool:
        return self._at < len(self._data)

    def number(self) -> int:
        shift = found = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
            shift += 7

    def text(self) -> str:
        size = self.number()
        end = self._at + size
        if end > len(self._data):
            raise IndexError("it ends too early")
        found = self._data[self._at : end].decode(errors="surrogatepass")
        self._at = end
        return found


def _put(out: bytearray, number: int) -> None:
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
