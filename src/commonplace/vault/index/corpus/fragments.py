"""Which fragments (four bytes in a row) each block of a shard holds: what cannot match is not read.

A shard is append-only, so what is said of a part of it stays true. 128 blocks are a group: for
each of 16,384 kinds of fragments, one bit a block. Kinds are hashes, and capital ASCII letters
count as small ones: a block that holds a text has all its bits; one that has them may not hold
it. A block knows the first bytes of the next one too, so that a text may begin in one and end in
another. What comes after the last whole group is not described; whoever asks has to look there.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

LITERAL_BYTES_MIN = 4

_BLOCK = 8192
_BLOCKS = 128
_GROUP = _BLOCK * _BLOCKS
_OVERLAP = 64  # so much of a literal is looked up
_KINDS_BITS = 14
_BITS_BYTES = _BLOCKS // 8
_DESCRIPTION = (1 << _KINDS_BITS) * _BITS_BYTES
_FACTOR, _SHIFT = 0x9E3779B1, 32 - _KINDS_BITS
_LOOKUPS_MAX = 16

Stretch = tuple[int, int]


def fragments_file(shard: Path) -> Path:
    """Name the file that describes a shard."""
    return shard.with_name(f"{shard.name}-fragments")


class FragmentWriter:
    """Describes a shard, group by group, as it grows."""

    def __init__(self, shard: Path) -> None:
        self._file = fragments_file(shard)
        size = self._file.stat().st_size if self._file.exists() else 0
        self._groups = _whole_groups(size, shard.stat().st_size)
        if size != self._groups * _DESCRIPTION:  # cut short, or of text that a power cut took
            os.truncate(self._file, self._groups * _DESCRIPTION)

    def describe(self, shard: int, size: int) -> None:
        """Describe what is there of a shard, an open file, since the last time."""
        while size >= (self._groups + 1) * _GROUP + _OVERLAP:
            text = os.pread(shard, _GROUP + _OVERLAP, self._groups * _GROUP)
            with self._file.open("ab") as file:
                file.write(_described(text))
            self._groups += 1


def stretches(shard: Path, size: int, literals: Iterable[bytes]) -> Iterator[Stretch]:
    """Tell where, in the first `size` bytes, one of some texts may begin.

    The texts are of at least `LITERAL_BYTES_MIN` bytes, with small ASCII letters.
    """
    kinds = [_kinds(literal) for literal in literals]
    covered = 0
    try:
        with fragments_file(shard).open("rb", buffering=0) as file:
            groups = _whole_groups(os.fstat(file.fileno()).st_size, size)
            covered = groups * _GROUP
            for group in range(groups):
                yield from _in_group(file.fileno(), group, kinds)
    except FileNotFoundError:
        pass
    if covered < size:
        yield covered, size


def _whole_groups(description_size: int, shard_size: int) -> int:
    """Count the groups that are described, if the shard has all of the text they were made from."""
    return min(description_size // _DESCRIPTION, max(0, shard_size - _OVERLAP) // _GROUP)


def _in_group(file: int, group: int, kinds: list[list[int]]) -> Iterator[Stretch]:
    blocks = 0
    for wanted in kinds:
        holding = (1 << _BLOCKS) - 1
        for kind in wanted:
            where = group * _DESCRIPTION + kind * _BITS_BYTES
            holding &= int.from_bytes(os.pread(file, _BITS_BYTES, where), "little")
            if not holding:
                break
        blocks |= holding
    while blocks:
        block = (blocks & -blocks).bit_length() - 1
        blocks &= blocks - 1
        start = group * _GROUP + block * _BLOCK
        yield start, start + _BLOCK


def _kinds(literal: bytes) -> list[int]:
    """Return kinds of fragments that a text has, from all of its length."""
    start = literal[:_OVERLAP]
    fragments = {start[at : at + 4] for at in range(len(start) - 3)}
    kinds = {
        (int.from_bytes(each, "little") * _FACTOR & 0xFFFFFFFF) >> _SHIFT for each in fragments
    }
    few = sorted(kinds)
    return few[:: -(-len(few) // _LOOKUPS_MAX)]


def _described(text: bytes) -> bytes:
    import numpy as np

    letters = np.frombuffer(text.lower(), dtype=np.uint8).astype(np.uint32)
    fragments = letters[:-3] | letters[1:-2] << 8 | letters[2:-1] << 16 | letters[3:] << 24
    kinds = (fragments * np.uint32(_FACTOR)) >> np.uint32(_SHIFT)
    held = np.zeros((_BLOCKS, 1 << _KINDS_BITS), dtype=bool)
    for block in range(_BLOCKS):
        start = block * _BLOCK
        held[block, kinds[start : start + _BLOCK + _OVERLAP - 3]] = True
    return np.packbits(held, axis=0, bitorder="little").T.tobytes()
