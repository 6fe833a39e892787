"""The vectors of all chunks, in memory, and the search for the nearest.

A vector is kept as one byte a number with a scale of its own (`packed`: the same bytes that the
index stores), and as one sign bit a number. Up to `EXACT_MAX` vectors are all compared. Beyond, the
sign bits are compared first, a popcount each, and only the most promising vectors exactly. A filter
is applied before ranking, so it never costs results.

Calls may come from several threads; each sees the vectors between changes.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from commonplace.core.search.ranking import NearPassage
from commonplace.errors import Unavailable
from commonplace.vault.embeddings.provider import Floats

Number = TypeVar("Number", bound=np.generic)
RowNumbers = NDArray[np.intp]
VectorRow = tuple[int, int, bytes]
"""A chunk's id, its note's id, its packed vector."""

EXACT_MAX = 20_000
CANDIDATES = 2_000

_SCALE_BYTES = 4
_BYTE_MAX = 127
_BLOCK = 2_048
_LOADED_AT_ONCE = 10_000
_GROWTH = 1.5


def packed(vectors: Floats) -> list[bytes]:
    """Pack vectors of length 1, a row each, for `Vectors` and for the index."""
    scales = np.abs(vectors).max(1, keepdims=True) / np.float32(_BYTE_MAX)
    scales[scales == 0] = 1
    values = np.rint(vectors / scales).astype(np.int8)
    rows = zip(scales.astype("<f4"), values, strict=True)
    return [scale.tobytes() + value.tobytes() for scale, value in rows]


class Vectors:
    """All vectors of one provider."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._words = -(-dimensions // 64)
        self._count = 0
        self._chunks = np.empty(0, np.int64)
        self._notes = np.empty(0, np.int64)
        self._scales = np.empty(0, np.float32)
        self._values = np.empty((0, dimensions), np.int8)
        self._signs = np.empty((self._words, 0), np.uint64)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._count

    def load(self, rows: Iterable[VectorRow]) -> None:
        """Add many rows of notes that are not here yet."""
        rest = iter(rows)
        while part := list(islice(rest, _LOADED_AT_ONCE)):
            with self._lock:
                self._append(part)

    def put(self, note: int, chunks: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Make these the vectors of a note, in place of those that it had."""
        rows = [(chunk, note, vector) for chunk, vector in zip(chunks, vectors, strict=True)]
        with self._lock:
            self._remove([note])
            self._append(rows)

    def remove(self, notes: Collection[int]) -> None:
        """Forget the vectors of some notes."""
        with self._lock:
            self._remove(notes)

    def search(
        self, query: Floats, limit: int, allowed: Collection[int] | None = None
    ) -> list[NearPassage]:
        """Find the chunks nearest to a vector of length 1, among the allowed notes, best first."""
        with self._lock:
            if allowed is None:
                rows = np.arange(self._count)
            else:
                rows = np.flatnonzero(_among(self._notes[: self._count], allowed))
            if len(rows) > EXACT_MAX:
                rows = self._promising(query, rows, max(CANDIDATES, 4 * limit))
            return list(self._best(query, rows, limit))

    def _best(self, query: Floats, rows: RowNumbers, limit: int) -> Iterator[NearPassage]:
        scores = np.empty(len(rows), np.float32)
        for first in range(0, len(rows), _BLOCK):
            part = rows[first : first + _BLOCK]
            values = self._values[part].astype(np.float32)
            # Not `@`: its library wakes a thread on every core, and on a busy machine waits for it.
            scores[first : first + _BLOCK] = np.einsum("ij,j->i", values, query)
        scores *= self._scales[rows]
        if len(rows) > limit:
            near = np.argpartition(scores, -limit)[-limit:]
            rows, scores = rows[near], scores[near]
        for place in np.lexsort((self._chunks[rows], -scores)):
            row, score = rows[place], float(scores[place])
            yield NearPassage(
                int(self._notes[row]), int(self._chunks[row]), min(max(score, 0.0), 1.0)
            )

    def _promising(self, query: Floats, rows: RowNumbers, wanted: int) -> RowNumbers:
        signs = _signs(query[None] > 0, self._words)[:, 0]
        distances = np.zeros(self._count, np.uint16)
        for word, sign in zip(self._signs, signs, strict=True):
            distances += np.bitwise_count(word[: self._count] ^ sign)
        if len(rows) < self._count:
            distances = distances[rows]
        # Counting distances finds the cut several times faster than a partition, and keeps ties.
        closer = np.bincount(distances).cumsum()
        return rows[distances <= np.searchsorted(closer, wanted)]

    def _append(self, rows: Sequence[VectorRow]) -> None:
        width = _SCALE_BYTES + self.dimensions
        for _, _, vector in rows:
            if len(vector) != width:
                raise Unavailable(
                    f"A stored vector has {len(vector) - _SCALE_BYTES} dimensions, the model"
                    f" {self.dimensions}. Build the index anew with `commonplace index --rebuild`."
                )
        first, last = self._count, self._count + len(rows)
        self._reserve(last)
        table = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(-1, width)
        self._chunks[first:last] = [row[0] for row in rows]
        self._notes[first:last] = [row[1] for row in rows]
        self._scales[first:last] = table[:, :_SCALE_BYTES].copy().view("<f4")[:, 0]
        self._values[first:last] = table[:, _SCALE_BYTES:]
        self._signs[:, first:last] = _signs(table[:, _SCALE_BYTES:] > 0, self._words)
        self._count = last

    def _remove(self, notes: Collection[int]) -> None:
        gone = np.flatnonzero(_among(self._notes[: self._count], notes))
        if not len(gone):
            return
        kept = self._count - len(gone)
        holes = gone[gone < kept]
        tail = np.arange(kept, self._count)
        movers = tail[~np.isin(tail, gone)]
        for array in (self._chunks, self._notes, self._scales, self._values, self._signs.T):
            array[holes] = array[movers]
        self._count = kept

    def _reserve(self, needed: int) -> None:
        room = len(self._chunks)
        if needed <= room:
            return
        more = max(needed, int(room * _GROWTH))
        kept = self._count
        self._chunks = _grown(self._chunks, kept, more)
        self._notes = _grown(self._notes, kept, more)
        self._scales = _grown(self._scales, kept, more)
        self._values = _grown(self._values, kept, more)
        self._signs = _grown(self._signs.T, kept, more, order="F").T


def _grown(
    array: NDArray[Number], kept: int, rows: int, order: Literal["C", "F"] = "C"
) -> NDArray[Number]:
    """Make room without touching it: memory that was never written to costs nothing."""
    grown = np.empty((rows, *array.shape[1:]), array.dtype, order)
    grown[:kept] = array[:kept]
    return grown


def _signs(positive: NDArray[np.bool_], words: int) -> NDArray[np.uint64]:
    """Pack bits into 64-bit words, a column for each vector."""
    octets = np.zeros((len(positive), words * 8), np.uint8)
    bits = np.packbits(positive, axis=1)
    octets[:, : bits.shape[1]] = bits
    return octets.view(np.uint64).T


def _among(ids: NDArray[np.int64], wanted: Collection[int]) -> NDArray[np.bool_]:
    if len(wanted) == 1:
        return ids == next(iter(wanted))
    return np.isin(ids, np.fromiter(wanted, np.int64, len(wanted)))
