"""Yjs updates that are small and valid, and cost the engine very much.

For each item the engine looks at all others between its neighbours that could be meant to stand
there too. `chain` makes many of those, `bombs` and `crowd` make it look.
"""

import random
from collections.abc import Callable

from commonplace.core.yjs.encoding import varuint
from tests.core.yjs.updates import before, deleting, first, section, update

BYTES_MAX = 1_000_000


def chain(count: int, client: int = 1) -> bytes:
    """Each character in front of the last one."""
    rest = (before(client, clock, "x") for clock in range(count - 1))
    return update(section(client, 0, first("x"), *rest))


def bombs(count: int, client: int, right: Callable[[int], int], of: int = 1) -> bytes:
    """Characters from the very start to somewhere in a chain: `right` says where."""
    return update(section(client, 0, *(before(of, right(n), "y") for n in range(count))))


def crowd(count: int, lowest: int) -> bytes:
    """As many characters at the start of the text, each under a client id of its own."""
    return update(*(section(lowest + n, 0, first("x")) for n in range(count)))


def erasers(count: int, length: int, client: int = 1) -> bytes:
    """The same long run deleted again and again."""
    runs = (varuint(0) + varuint(length)) * count
    return b"\0\1" + varuint(client) + varuint(count) + runs


def variant(rng: random.Random, scale: float = 1.0) -> list[bytes]:
    """Draw some updates of up to 1 MB each that are dear together, of one kind or another."""
    kind = rng.randrange(6)
    size = int(scale * rng.choice((1_000, 4_000, 16_000, 32_000)))
    if kind == 0:
        low = rng.choice((0, 2))
        return [chain(size), bombs(size // 2, low, lambda _: rng.randrange(9))]
    if kind == 1:
        rights = [rng.randrange(size) for _ in range(size // 2)]
        return [chain(size, 5), bombs(size // 2, rng.choice((2, 9)), rights.__getitem__, 5)]
    if kind == 2:
        return [crowd(size, 1_000), crowd(size, 1_000 + size)]
    if kind == 3:
        parts = rng.randrange(2, 6)
        starts = rng.sample(range(100), parts)
        return [crowd(size // parts, 10_000 + start * size) for start in starts]
    if kind == 4:
        return [chain(size), erasers(size, size)]
    clients = [rng.getrandbits(rng.choice((8, 31, 53))) for _ in range(size)]
    made = [section(client, 0, first("z")) for client in dict.fromkeys(clients)]
    half = len(made) // 2
    gone = deleting(*((client, 0, 1) for client in list(dict.fromkeys(clients))[:half]))
    return [update(*made[:half]), update(*made[half:]), update(deletes=gone)]
