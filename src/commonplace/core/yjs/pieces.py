"""Cuts one large Yjs update into many small ones, in causal order.

Each piece is an update like any other and builds only on what came before it, so a large one can
be applied step by step, with time for others in between.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate, varuint
from commonplace.core.yjs.order import ItemNeighbours, since
from commonplace.core.yjs.policy import Policy
from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import Deletion, Pair, Scanned, Struct

PIECE_STRUCTS_MAX = 400
PIECE_BYTES_MAX = 256 * 1024


class Piece(NamedTuple):
    """An update, and which neighbours in the document it is put into must stand in order."""

    update: bytes
    pairs: list[Pair]


def cut(update: bytes, known: Mapping[int, int], policy: Policy) -> list[Piece]:
    """Cut an update into pieces; what is known already, or builds on what is not, has no place."""
    scanned = scan(update, policy=policy, blocks=True)
    if not scanned.ready(known):
        raise EarlyUpdate("It builds on edits that have not arrived here; connect again.")
    fresh = ItemNeighbours()
    for block in scanned.blocks:
        if (item := since(block.item, known)) is not None:
            fresh.add(item)
    pieces = list(_in_parts(_in_order(scanned, known), known, fresh if policy.text else None))
    gone = scanned.deletions
    starts = range(0, len(gone), PIECE_STRUCTS_MAX)
    return pieces + [Piece(deleting(gone[at : at + PIECE_STRUCTS_MAX]), []) for at in starts]


def update_of(blocks: Sequence[Struct]) -> bytes:
    """Write blocks as an update; those of each client follow on one another."""
    sections: dict[int, list[Struct]] = {}
    for block in blocks:
        sections.setdefault(block.client, []).append(block)
    return b"".join([varuint(len(sections)), *map(_section, sections.values()), b"\0"])


def deleting(deletions: Iterable[Deletion]) -> bytes:
    """Write an update that only deletes."""
    runs: dict[int, list[bytes]] = {}
    for gone in deletions:
        runs.setdefault(gone.client, []).append(varuint(gone.clock) + varuint(gone.length))
    sections = [varuint(c) + varuint(len(found)) + b"".join(found) for c, found in runs.items()]
    return b"\0" + varuint(len(sections)) + b"".join(sections)


def _section(blocks: Sequence[Struct]) -> bytes:
    head = varuint(len(blocks)) + varuint(blocks[0].client) + varuint(blocks[0].clock)
    return head + b"".join(block.raw for block in blocks)


def _in_order(scanned: Scanned, known: Mapping[int, int]) -> Iterator[Struct]:
    """Put blocks behind those that they need."""
    queues: dict[int, deque[Struct]] = {}
    for block in scanned.blocks:
        if block.end > known.get(block.client, 0):
            queues.setdefault(block.client, deque()).append(block)
    reach = dict(known)
    waiting: dict[int, set[int]] = {}
    look = list(queues)
    while look:
        client = look.pop()
        queue, before = queues[client], reach.get(client, 0)
        while queue:
            if (missing := _missing(queue[0], reach)) is not None:
                waiting.setdefault(missing, set()).add(client)
                break
            reach[client] = queue[0].end
            yield queue.popleft()
        if reach.get(client, 0) > before:
            look += waiting.pop(client, ())
    if any(queues.values()):
        raise HostileUpdate("The update holds edits that each build on the other.")


def _missing(block: Struct, reach: Mapping[int, int]) -> int | None:
    """Return a client of whom more must be known before the block, if there is one."""
    for client, clock in block.needs:
        if clock >= reach.get(client, 0):
            return client
    return None


def _in_parts(
    blocks: Iterable[Struct], known: Mapping[int, int], fresh: ItemNeighbours | None
) -> Iterator[Piece]:
    part: list[Struct] = []
    inside = ItemNeighbours()
    pairs: list[Pair] = []
    size = 0
    for block in blocks:
        pair = None if fresh is None else _open_pair(block, known, fresh)
        full = len(part) >= PIECE_STRUCTS_MAX or size + len(block.raw) > PIECE_BYTES_MAX
        # a pair is asked for before the piece is applied, so it must be there by then
        if part and (full or (pair is not None and any(map(inside.has, pair)))):
            yield Piece(update_of(part), pairs)
            part, pairs, size, inside = [], [], 0, ItemNeighbours()
        part.append(block)
        inside.add(block.item)
        size += len(block.raw)
        if pair is not None:
            pairs.append(pair)
    if part:
        yield Piece(update_of(part), pairs)


def _open_pair(block: Struct, known: Mapping[int, int], fresh: ItemNeighbours) -> Pair | None:
    """Return an item's neighbours if the update itself does not show that they are in order."""
    item = since(block.item, known)
    if item is None or item.left is None or item.right is None:
        return None
    return None if fresh.settle(item.left, item.right) else (item.left, item.right)
