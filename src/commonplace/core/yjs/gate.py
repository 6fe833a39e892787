"""Lets an update into a document only when everything it builds on is there.

The CRDT engine loses text when updates arrive out of their causal order. So it never sees one
that does: what is not ready is held here, block by block, and let go in order once the missing
part arrives. A gap that nobody ever fills holds up nothing but what builds on it.

The gate also knows where astral characters (two UTF-16 units) start, and refuses an update that
would cut one in half: the engine would show another text than every Yjs client, for ever.

What waited is looked at again when its turn comes: whether it cuts a character, and whether its
neighbours stand in order (`order`), could not be seen before. Such a block is dropped.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate
from commonplace.core.yjs.order import ItemNeighbours, since
from commonplace.core.yjs.pieces import deleting, update_of
from commonplace.core.yjs.policy import LOGGED, Policy
from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import Deletion, Pair, Scanned, Struct

HELD_MAX = 2_000
HELD_BYTES_MAX = 1024 * 1024

_clock = attrgetter("clock")

OrderQuestion = Callable[[Sequence[bytes], Pair], bool]
"""Tells whether a pair stands in order in the document once some more updates are applied."""


class Admitted(NamedTuple):
    """What can be applied now, in order; which clocks that moves; whether some was kept back."""

    ready: list[bytes]
    moved: Mapping[int, int]
    kept: bool


class Gate:
    """What one document knows of each client, and what waits to be let in."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}
        self.items = 0
        self._moved: dict[int, int] = {}
        self._blocks: dict[int, list[Struct]] = {}
        self._held = 0
        self._held_bytes = 0
        self._waiters: dict[int, set[int]] = {}
        self._deletions: dict[Deletion, None] = {}
        self._pairs: dict[int, array[int]] = {}
        self._passed: Scanned | None = None
        self._ask: OrderQuestion | None = None
        self._released = ItemNeighbours()

    @property
    def waiting(self) -> bool:
        """Whether anything is held."""
        return bool(self._blocks or self._deletions)

    def steps(self, scanned: Scanned) -> int:
        """Return how many steps an update can take here at most, with all that it sets free.

        For each item the engine may look at every other one between its two neighbours, and for
        each deletion at every item that it covers.
        """
        new = scanned.structs + len(scanned.deletions) + self._held + len(self._deletions)
        return new * (self.items + new)

    def check(self, update: bytes, policy: Policy) -> Scanned:
        """Read an update from outside; refuse it if it could do harm here."""
        scanned = scan(update, policy=policy)
        for gone in scanned.deletions:
            if gone.end > max(scanned.reach(gone.client, self.known), self._seen(gone.client)):
                raise EarlyUpdate("It deletes what has not arrived here; connect again.")
        if self._halves(scanned):
            raise HostileUpdate("The update cuts a character in half.")
        if scanned.ready(self.known):
            self._passed = scanned
        else:
            self._refuse_flood(update, scanned)
        return scanned

    def admit(self, update: bytes, scanned: Scanned, ask: OrderQuestion | None = None) -> Admitted:
        """Take an update in; the order of what waited is asked for when it is let go."""
        self._moved = {}
        self._ask, self._released = ask, ItemNeighbours()
        # What was ready when it was checked is so now: clocks never go back.
        if self._passed is scanned or scanned.ready(self.known):
            self._passed = None
            self._learn(scanned)
            return Admitted(self._release(scanned.spans, [update]), self._moved, kept=False)
        fresh = self._hold(scan(update, policy=LOGGED, blocks=True))
        ready = self._release(scanned.spans, [])
        return Admitted(ready, self._moved, kept=fresh and self.waiting)

    def held(self) -> list[bytes]:
        """Whatever waits, as updates of its own."""
        blocks = [update_of([block]) for held in self._blocks.values() for block in held]
        return blocks + ([deleting(self._deletions)] if self._deletions else [])

    def aligned(self, known: Mapping[int, int]) -> dict[int, int]:
        """Move clocks that another side says it knows out of the middle of characters."""
        return {c: clock - _has(self._pairs, c, clock - 1) for c, clock in known.items()}

    def _learn(self, scanned: Scanned) -> None:
        """Count as known what is about to be applied."""
        self.items += scanned.structs + len(scanned.deletions)
        for client, clocks in scanned.pairs.items():
            fresh = clocks[bisect_left(clocks, self.known.get(client, 0)) :]
            self._pairs.setdefault(client, array("I")).extend(fresh)
        for client in scanned.spans:
            reach = scanned.reach(client, self.known)
            if reach > self.known.get(client, 0):
                self.known[client] = self._moved[client] = reach

    def _halves(self, scanned: Scanned) -> bool:
        """Tell whether an update cuts a character in half, or brings half of one."""
        if not self._pairs and not scanned.pairs:
            return False
        return any(
            _has(pairs, client, clock)
            for pairs in (scanned.pairs, self._pairs)
            for client, clock in scanned.cuts
        ) or any(
            _has(scanned.pairs, client, self.known.get(client, 0) - 1) for client in scanned.pairs
        )

    def _seen(self, client: int) -> int:
        """Tell how far the blocks of a client reach that wait here."""
        return max((block.end for block in self._blocks.get(client, ())), default=0)

    def _refuse_flood(self, update: bytes, scanned: Scanned) -> None:
        deletions = len(self._deletions) + len(scanned.deletions)
        if (
            self._held + scanned.structs + deletions > HELD_MAX
            or self._held_bytes + len(update) > HELD_BYTES_MAX
        ):
            raise EarlyUpdate(
                "Too many edits wait for others that never came; connect again to send them all."
            )

    def _hold(self, scanned: Scanned) -> bool:
        """Keep blocks and deletions back; answers whether any was not there yet."""
        before = len(self._deletions)
        self._deletions |= dict.fromkeys(scanned.deletions)
        fresh = [block for block in scanned.blocks if self._hold_block(block)]
        return bool(fresh) or len(self._deletions) > before

    def _hold_block(self, block: Struct) -> bool:
        held = self._blocks.setdefault(block.client, [])
        at = bisect_left(held, block.clock, key=_clock)
        if at < len(held) and held[at].clock == block.clock and held[at].end >= block.end:
            return False
        held.insert(at, block)
        self._held += 1
        self._held_bytes += len(block.raw)
        return True

    def _release(self, moved: Iterable[int], released: list[bytes]) -> list[bytes]:
        """Let go of all that is ready now that some clients moved on, or have new blocks."""
        if not self.waiting:
            return released
        look = [*moved]
        for client in moved:
            look += self._waiters.pop(client, ())
        while look:
            client = look.pop()
            if client in self._blocks and self._release_client(client, released):
                look += self._waiters.pop(client, ())
        return released + self._release_deletions()

    def _release_client(self, client: int, released: list[bytes]) -> bool:
        """Let go of one client's blocks; answers whether its clock moved on."""
        before = self.known.get(client, 0)
        held = self._blocks.pop(client)
        done = 0
        while done < len(held) and self._may_pass(held[done]):
            released += self._pass(held[done], released)
            done += 1
        if done < len(held):
            self._blocks[client] = held[done:]
        self._held -= done
        self._held_bytes -= sum(len(block.raw) for block in held[:done])
        return self.known.get(client, 0) > before

    def _may_pass(self, block: Struct) -> bool:
        if block.clock > self.known.get(block.client, 0):
            return False
        for client, clock in block.needs:
            if clock >= self.known.get(client, 0):
                self._waiters.setdefault(client, set()).add(block.client)
                return False
        return True

    def _pass(self, block: Struct, released: Sequence[bytes]) -> list[bytes]:
        """Let one block go, unless it is known already or does harm to what came after it."""
        update = update_of([block])
        scanned = scan(update, policy=LOGGED)
        if self._halves(scanned) or not self._fits(block, released):
            return []
        self._learn(scanned)
        return [update]

    def _fits(self, block: Struct, released: Sequence[bytes]) -> bool:
        """Tell whether some of a block is new, and its neighbours stand in order."""
        item = since(block.item, self.known)
        if item is None:
            return False
        if self._ask is not None and item.left is not None and item.right is not None:
            try:
                settled = self._released.settle(item.left, item.right)
            except HostileUpdate:
                return False
            if not settled and not self._ask(released, (item.left, item.right)):
                return False
        self._released.add(item)
        return True

    def _release_deletions(self) -> list[bytes]:
        ready = [gone for gone in self._deletions if gone.end <= self.known.get(gone.client, 0)]
        for gone in ready:
            del self._deletions[gone]
        whole = [gone for gone in ready if not self._halves(scan(deleting([gone])))]
        self.items += len(whole)
        return [deleting(whole)] if whole else []


def _has(pairs: Mapping[int, Sequence[int]], client: int, clock: int) -> bool:
    clocks = pairs.get(client, ())
    at = bisect_left(clocks, clock)
    return at < len(clocks) and clocks[at] == clock
