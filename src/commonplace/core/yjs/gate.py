"""Lets an update into a document only when everything it builds on is there.

The CRDT engine loses text when updates arrive out of their causal order. So it never sees one
that does: what is not ready is held here, block by block, and let go in order once the missing
part arrives. A gap that nobody ever fills holds up nothing but what builds on it.

The gate also knows where astral characters (two UTF-16 units) start, and refuses an update that
would cut one in half: the engine would show another text than every Yjs client, for ever.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from commonplace.core.yjs import EarlyUpdate, HostileUpdate, varuint
from commonplace.core.yjs_scan import scan
from commonplace.core.yjs_update import LOGGED, Block, Deletion, Policy, Scanned

HELD_MAX = 2_000
HELD_BYTES_MAX = 1024 * 1024

_clock = attrgetter("clock")


class Admitted(NamedTuple):
    """What can be applied now, in order; which clocks that moves; whether some was kept back."""

    ready: list[bytes]
    moved: Mapping[int, int]
    kept: bool


class Gate:
    """What one document knows of each client, and what waits to be let in."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}
        self._moved: dict[int, int] = {}
        self._blocks: dict[int, list[Block]] = {}
        self._held = 0
        self._held_bytes = 0
        self._waiters: dict[int, set[int]] = {}
        self._deletions: dict[Deletion, None] = {}
        self._pairs: dict[int, array[int]] = {}
        self._passed: Scanned | None = None

    @property
    def waiting(self) -> bool:
        """Whether anything is held."""
        return bool(self._blocks or self._deletions)

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

    def admit(self, update: bytes, scanned: Scanned) -> Admitted:
        """Take an update in."""
        self._moved = {}
        # What was ready when it was checked is so now: clocks never go back.
        if self._passed is scanned or scanned.ready(self.known):
            self._passed = None
            self._learn(scanned)
            return Admitted([update, *self._release(scanned.spans)], self._moved, kept=False)
        fresh = self._hold(scan(update, policy=LOGGED, blocks=True))
        return Admitted(self._release(scanned.spans), self._moved, kept=fresh and self.waiting)

    def held(self) -> list[bytes]:
        """Whatever waits, as updates of its own."""
        blocks = [_as_update(block) for held in self._blocks.values() for block in held]
        return blocks + ([_deleting(self._deletions)] if self._deletions else [])

    def aligned(self, known: Mapping[int, int]) -> dict[int, int]:
        """Move clocks that another side says it knows out of the middle of characters."""
        return {c: clock - _has(self._pairs, c, clock - 1) for c, clock in known.items()}

    def _learn(self, scanned: Scanned) -> None:
        """Count as known what is about to be applied."""
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

    def _hold_block(self, block: Block) -> bool:
        held = self._blocks.setdefault(block.client, [])
        at = bisect_left(held, block.clock, key=_clock)
        if at < len(held) and held[at].clock == block.clock and held[at].end >= block.end:
            return False
        held.insert(at, block)
        self._held += 1
        self._held_bytes += len(block.raw)
        return True

    def _release(self, moved: Iterable[int]) -> list[bytes]:
        """Let go of all that is ready now that some clients moved on, or have new blocks."""
        if not self.waiting:
            return []
        released: list[bytes] = []
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
            released += self._pass(held[done])
            done += 1
        if done < len(held):
            self._blocks[client] = held[done:]
        self._held -= done
        self._held_bytes -= sum(len(block.raw) for block in held[:done])
        return self.known.get(client, 0) > before

    def _may_pass(self, block: Block) -> bool:
        if block.clock > self.known.get(block.client, 0):
            return False
        for client, clock in block.needs:
            if clock >= self.known.get(client, 0):
                self._waiters.setdefault(client, set()).add(block.client)
                return False
        return True

    def _pass(self, block: Block) -> list[bytes]:
        """Let one block go, unless it is known already or cuts what was not known when it came."""
        update = _as_update(block)
        scanned = scan(update, policy=LOGGED)
        if block.end <= self.known.get(block.client, 0) or self._halves(scanned):
            return []
        self._learn(scanned)
        return [update]

    def _release_deletions(self) -> list[bytes]:
        ready = [gone for gone in self._deletions if gone.end <= self.known.get(gone.client, 0)]
        for gone in ready:
            del self._deletions[gone]
        whole = [gone for gone in ready if not self._halves(scan(_deleting([gone])))]
        return [_deleting(whole)] if whole else []


def _as_update(block: Block) -> bytes:
    return b"\1\1" + varuint(block.client) + varuint(block.clock) + block.raw + b"\0"


def _deleting(deletions: Iterable[Deletion]) -> bytes:
    runs: dict[int, list[bytes]] = {}
    for gone in deletions:
        runs.setdefault(gone.client, []).append(varuint(gone.clock) + varuint(gone.length))
    sections = [varuint(c) + varuint(len(found)) + b"".join(found) for c, found in runs.items()]
    return b"\0" + varuint(len(sections)) + b"".join(sections)


def _has(pairs: Mapping[int, Sequence[int]], client: int, clock: int) -> bool:
    clocks = pairs.get(client, ())
    at = bisect_left(clocks, clock)
    return at < len(clocks) and clocks[at] == clock
