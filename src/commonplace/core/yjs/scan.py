"""Reads a Yjs update (format 1) without building a document, and refuses what would do harm.

The CRDT engine recurses into nested values until the stack ends, divides by the length of a
block, believes any clock, and panics on some of it: one message would end the process. So each
update from outside is walked here first, without recursion, and only what this reader and the
engine understand in the same way passes. Legacy JSON content and stray flag bits do not: the two
read them differently, which could hide something.
"""

from array import array
from collections.abc import Callable

from commonplace.core.yjs.encoding import (
    CLOCK_MAX,
    ByteReader,
    HostileUpdate,
    LargeUpdate,
    read_clock,
)
from commonplace.core.yjs.policy import ANYTHING, Policy
from commonplace.core.yjs.update import Content, Deletion, Id, Item, Scanned, Struct
from commonplace.core.yjs.values import skip_value

_HAS_ORIGIN = 0x80
_HAS_RIGHT_ORIGIN = 0x40
_HAS_KEY = 0x20
_UNUSED = 0x10
_CONTENT_MASK = 0x0F

_TYPE = int(Content.TYPE)
_NO_ITEMS = (int(Content.GC), int(Content.SKIP))
_TYPES_MAX = 6
_NAMED_TYPES = (3, 5)


def scan(
    update: bytes,
    *,
    policy: Policy = ANYTHING,
    blocks: bool = False,
) -> Scanned:
    """Walk an update; with `blocks`, each struct is kept by itself as well."""
    if len(update) > policy.bounds.bytes_max:
        raise HostileUpdate("The update is too big.")
    return _Walk(update, policy, keep=blocks).run()


class _Walk:
    """One pass over an update."""

    def __init__(self, update: bytes, policy: Policy, *, keep: bool) -> None:
        self.reader = ByteReader(update)
        self.policy = policy
        self.bounds = policy.bounds
        self.keep = keep
        self.spans: dict[int, list[tuple[int, int]]] = {}
        self.needs: dict[int, int] = {}
        self.pairs: dict[int, array[int]] = {}
        self.cuts: list[tuple[int, int]] = []
        self.blocks: list[Struct] = []
        self.structs = self.units = self.passed = self.heirs = 0
        self.here = (0, 0)
        self.links: list[tuple[int, int]] = []
        self.left: Id | None = None
        self.right: Id | None = None
        self.items: list[Item] = []
        self.clients: dict[bytes, int] = {}

    def run(self) -> Scanned:
        """Walk from the first byte to the last."""
        for _ in range(self.reader.count(self.bounds.clients_max)):
            self._section()
        deletions = self._deletions()
        self.reader.finish()
        return Scanned(
            self.spans,
            self.needs,
            tuple(deletions),
            self.pairs,
            tuple(self.cuts),
            self.units,
            self.structs,
            tuple(self.blocks),
            tuple(self.items),
            self.heirs,
        )

    def _section(self) -> None:
        """All structs of one client, in the order of their clocks."""
        structs = self.reader.count(self.bounds.structs_max)
        client, clock = self.reader.varuint(), read_clock(self.reader)
        self.structs += structs
        if not structs or client in self.spans:
            raise HostileUpdate("The update lists a client twice, or without a struct.")
        if self.structs > self.bounds.structs_max:
            raise LargeUpdate("The update has too many structs.")
        spans: list[tuple[int, int]] = [(clock, clock)]
        for _ in range(structs):
            begin = self.reader.at
            self.here = (client, clock)
            length, skipped = self._struct()
            clock += length
            if clock > CLOCK_MAX:
                raise HostileUpdate("A clock in the update is out of range.")
            if skipped:
                spans.append((clock, clock))
                continue
            spans[-1] = (spans[-1][0], clock)
            if self.keep or self.policy.text:
                item = Item(*self.here, clock, self.left, self.right)
                self.items.append(item)
                if self.keep:
                    raw = self.reader.data[begin : self.reader.at]
                    self.blocks.append(Struct(*self.here, length, raw, tuple(self.links), item))
        self.spans[client] = [span for span in spans if span[0] < span[1]]

    def _struct(self) -> tuple[int, bool]:
        """One struct: its length in clocks, never zero, and whether it only skips."""
        info = self.reader.byte()
        self.links.clear()
        self.left = self.right = None
        if info in _NO_ITEMS:
            return self.deleted(), info == Content.SKIP
        read = _CONTENTS.get(info & _CONTENT_MASK)
        if read is None or info & _UNUSED or info & _CONTENT_MASK not in self.policy.contents:
            raise HostileUpdate("The update holds content that this document does not take.")
        if info & (_HAS_ORIGIN | _HAS_RIGHT_ORIGIN):
            self._neighbours(info)
            self.heirs += info & _CONTENT_MASK == _TYPE
        else:
            self._parent(info)
        length = read(self)
        if not length:
            raise HostileUpdate("The update holds an empty block.")
        return length, False

    def _neighbours(self, info: int) -> None:
        if info & _HAS_ORIGIN:
            self.left = self._link()
            self.cuts.append(self.left)
        if info & _HAS_RIGHT_ORIGIN:
            if self.policy.maps:
                raise HostileUpdate("The update puts a value in front of another.")
            client, clock = self.right = self._link()
            self.cuts.append((client, clock - 1))

    def _parent(self, info: int) -> None:
        if self.reader.varuint() == 1:
            name = self.reader.var_string()
            if self.policy.roots is not None and name not in self.policy.roots:
                raise HostileUpdate("The update writes to a root that this document does not have.")
        else:
            self._link()
            if self.policy.maps and info & _CONTENT_MASK == _TYPE:
                raise HostileUpdate("The update nests types, which this document does not take.")
        if info & _HAS_KEY:
            if not self.policy.keys:
                raise HostileUpdate("The update sets a property that this document does not take.")
            self.reader.var_string()
        elif self.policy.maps:
            raise HostileUpdate("The update holds a value without a key.")

    def _link(self) -> tuple[int, int]:
        """Read which other struct this one refers to."""
        client, clock = self._client(), read_clock(self.reader)
        if client == self.here[0] and clock >= self.here[1]:
            raise HostileUpdate("A block of the update refers to itself.")
        self.links.append((client, clock))
        if self.needs.get(client, 0) <= clock:
            self.needs[client] = clock + 1
        return client, clock

    def _client(self) -> int:
        """Read a client id. Nearly all take eight bytes and come again and again."""
        at = self.reader.at
        key = self.reader.data[at : at + 8]
        client = self.clients.get(key)
        if client is not None:
            self.reader.at = at + 8
            return client
        client = self.reader.varuint()
        if self.reader.at == at + 8:
            self.clients[key] = client
        return client

    def _deletions(self) -> list[Deletion]:
        found: list[Deletion] = []
        for _ in range(self.reader.count(self.bounds.clients_max)):
            client = self.reader.varuint()
            for _ in range(self.reader.count(self.bounds.structs_max)):
                gone = Deletion(client, read_clock(self.reader), self.deleted())
                if len(found) >= self.bounds.structs_max:
                    raise LargeUpdate("The update has too many deletions.")
                found.append(gone)
                self.cuts.append((client, gone.clock - 1))
                self.cuts.append((client, gone.end - 1))
        return found

    def deleted(self) -> int:
        """Read the length of what is not there any more."""
        length = read_clock(self.reader)
        if not length:
            raise HostileUpdate("The update holds an empty block.")
        return length

    def string(self) -> int:
        """Read text; its length counts UTF-16 units."""
        text = self.reader.var_string()
        if self.policy.text and "\0" in text:
            raise HostileUpdate("The text has a NUL character in it; remove that and try again.")
        length = len(text)
        if not text.isascii():
            length = len(text.encode("utf-16-le")) // 2
            if length > len(text):
                self._find_pairs(text)
        self.units += length
        return length

    def _find_pairs(self, text: str) -> None:
        client, clock = self.here
        found = self.pairs.setdefault(client, array("I"))
        for char in text:
            if char > "\uffff":
                found.append(clock)
                clock += 1
            clock += 1

    def binary(self) -> int:
        """Pass over bytes."""
        self.reader.skip(self.reader.varuint())
        return 1

    def embed(self) -> int:
        """Pass over an object inside a text."""
        self.reader.var_string()
        return 1

    def format(self) -> int:
        """Pass over a mark of rich text."""
        self.reader.var_string()
        self.reader.var_string()
        return 1

    def type(self) -> int:
        """Pass over a shared type inside another."""
        kind = self.reader.varuint()
        if kind > _TYPES_MAX:
            raise HostileUpdate("The update holds a type that does not exist.")
        if kind in _NAMED_TYPES:
            self.reader.var_string()
        return 1

    def values(self) -> int:
        """Pass over plain values."""
        count = self.reader.count(self.bounds.values_max)
        for _ in range(count):
            self.passed = skip_value(self.reader, self.passed, self.bounds.values_max)
        return count

    def document(self) -> int:
        """Pass over a document inside the document."""
        self.reader.var_string()
        self.passed = skip_value(self.reader, self.passed, self.bounds.values_max)
        return 1


_CONTENTS: dict[int, Callable[[_Walk], int]] = {
    Content.DELETED: _Walk.deleted,
    Content.BINARY: _Walk.binary,
    Content.STRING: _Walk.string,
    Content.EMBED: _Walk.embed,
    Content.FORMAT: _Walk.format,
    Content.TYPE: _Walk.type,
    Content.ANY: _Walk.values,
    Content.DOC: _Walk.document,
}
