"""What an update holds, once read: spans of clocks, what they refer to, what they delete.

Clocks count UTF-16 units. A client that inserts or deletes between the two halves of an astral
character (an emoji) leaves every replica with another text: `Scanned.pairs` (the units where
such characters start) and `Scanned.cuts` (the units after which the update cuts) let that be
seen before it happens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from commonplace.core.yjs.encoding import var_string, varuint

Id = tuple[int, int]
"""A client and a clock."""

Pair = tuple[Id, Id]
"""Two that should stand in this order."""


class Item(NamedTuple):
    """Where an item was put: between which two others, if there were any."""

    client: int
    clock: int
    end: int
    left: Id | None
    right: Id | None


class Content(IntEnum):
    """What a struct holds."""

    GC = 0
    DELETED = 1
    BINARY = 3
    STRING = 4
    EMBED = 5
    FORMAT = 6
    TYPE = 7
    ANY = 8
    DOC = 9
    SKIP = 10


@dataclass(frozen=True, slots=True)
class Struct:
    """One struct of an update, and the structs that must be known before it."""

    client: int
    clock: int
    length: int
    raw: bytes
    needs: tuple[tuple[int, int], ...]
    item: Item

    @property
    def end(self) -> int:
        """The first clock after it."""
        return self.clock + self.length


@dataclass(frozen=True, slots=True)
class Deletion:
    """A run of one client's clocks that an update deletes."""

    client: int
    clock: int
    length: int

    @property
    def end(self) -> int:
        """The first clock after it."""
        return self.clock + self.length


class Scanned(NamedTuple):
    """What an update holds, by client and clock."""

    spans: Mapping[int, list[tuple[int, int]]]
    needs: Mapping[int, int]
    deletions: tuple[Deletion, ...]
    pairs: Mapping[int, Sequence[int]]
    cuts: tuple[tuple[int, int], ...]
    units: int
    structs: int
    blocks: tuple[Struct, ...]
    items: tuple[Item, ...]
    heirs: int = 0
    """How many types have their place from a neighbour, so that it cannot be seen from here."""

    def reach(self, client: int, known: Mapping[int, int]) -> int:
        """How far the client's edits are known with this update applied."""
        reach = known.get(client, 0)
        spans = self.spans.get(client)
        return spans[-1][1] if spans and spans[-1][1] > reach else reach

    def ready(self, known: Mapping[int, int]) -> bool:
        """Whether all of it can be integrated where the clocks stand at `known`."""
        for client, spans in self.spans.items():
            at = known.get(client, 0)
            for start, end in spans:
                if start > at:
                    return False
                at = max(at, end)
        for client, need in self.needs.items():
            if need > known.get(client, 0) and need > self.reach(client, known):
                return False
        return all(gone.end <= self.reach(gone.client, known) for gone in self.deletions)


def behind_update(client: int, clock: int, texts: Mapping[Id, str]) -> bytes:
    """Return the update with which a client puts texts right behind others."""
    items = [
        bytes((0x80 | Content.STRING,)) + varuint(left[0]) + varuint(left[1]) + var_string(text)
        for left, text in texts.items()
    ]
    head = b"\x01" + varuint(len(items)) + varuint(client) + varuint(clock)
    return b"".join([head, *items, b"\x00"])


def first_update(client: int, root: str, text: str) -> bytes:
    """Return the update with which a client puts a text into an empty root."""
    insert = bytes((Content.STRING, 1)) + var_string(root) + var_string(text)
    return b"\x01\x01" + varuint(client) + b"\x00" + insert + b"\x00"
