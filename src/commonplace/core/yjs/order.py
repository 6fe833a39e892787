"""Whether the two neighbours of each new item stand in their order.

An item says between which two others it was put. Where the right one does not stand behind the
left one, Yjs and the engine put the item in different places, and Yjs itself in different ones
depending on how its own items were cut: such an item is refused. A replica that puts an item
between two others has them side by side, so mostly the later of the two names the other one as
its own neighbour, and nothing more is to be asked. Else the document must be asked.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from operator import itemgetter

from commonplace.core.yjs.encoding import HostileUpdate, LargeUpdate
from commonplace.core.yjs.update import Id, Item, Pair

_clock = itemgetter(1)
_WRONG = "An item of the update names a right neighbour that is not behind its left one."


def pairs_to_ask(
    items: Iterable[Item], known: Mapping[int, int], runs: Mapping[int, Item]
) -> list[Pair]:
    """Return the neighbours that a document which knows so much has to be asked about.

    `runs` has the last item of some clients: most go on where they were. Raise `LargeUpdate`
    where the neighbours are themselves in the update: it has to be cut between (`yjs_pieces`).
    """
    fresh = ItemNeighbours()
    asked: list[Pair] = []
    for item in items:
        if (new := since(item, known)) is not None:
            fresh.add(new)
    for new in fresh.all():
        if new.left is None or new.right is None or fresh.settle(new.left, new.right):
            continue
        run = runs.get(new.left[0])
        if run is not None and new.left[1] == run.end - 1 and new.right == run.right:
            continue
        if fresh.has(new.left) or fresh.has(new.right):
            raise LargeUpdate("The order of the update's items is not clear from itself.")
        asked.append((new.left, new.right))
    return asked


def since(item: Item, known: Mapping[int, int]) -> Item | None:
    """Return the part of an item that is not known yet."""
    reach = known.get(item.client, 0)
    if item.end <= reach:
        return None
    if item.clock < reach:
        return item._replace(clock=reach, left=(item.client, reach - 1))
    return item


class ItemNeighbours:
    """Some items, each with its neighbours."""

    def __init__(self) -> None:
        self._items: dict[int, list[Item]] = {}

    def add(self, item: Item) -> None:
        """Take in an item that follows on the others of its client."""
        self._items.setdefault(item.client, []).append(item)

    def all(self) -> Iterable[Item]:
        """Return all items."""
        return [item for items in self._items.values() for item in items]

    def has(self, id: Id) -> bool:
        """Tell whether something is in one of these items."""
        return self._around(id) is not None

    def settle(self, left: Id, right: Id) -> bool:
        """Tell whether these items show that one stands before the other; refuse the opposite."""
        one, other = self._around(left), self._around(right)
        if left == right or (one is not None and one is other and left > right):
            raise HostileUpdate(_WRONG)
        if one is not None and (one is other or one.right == right):
            return True
        return other is not None and other.left == left

    def _around(self, id: Id) -> Item | None:
        items = self._items.get(id[0], [])
        at = bisect_right(items, id[1], key=_clock) - 1
        return items[at] if at >= 0 and id[1] < items[at].end else None


def refuse_order() -> None:
    """Refuse an update whose items do not stand between their neighbours."""
    raise HostileUpdate(_WRONG)
