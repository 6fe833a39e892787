"""Who links to whom: a directed graph of numbered nodes that is changed a node at a time.

What a node links to keeps the order in which it does. A node is no neighbour of its own. Nodes are
kept in buckets by degree, so that the most linked ones are found without looking at the others; a
change costs what the changed node's own links cost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nsmallest
from typing import Any

NodeName = Callable[[int], Any]
"""What nodes are sorted by where there is a tie."""


class Degrees:
    """Nodes by degree; those of degree 0 are not here."""

    def __init__(self) -> None:
        self._nodes: dict[int, set[int]] = {}

    def move(self, node: int, before: int, after: int) -> None:
        """Take a node's new degree."""
        if before == after:
            return
        if before:
            self._nodes[before].discard(node)
            if not self._nodes[before]:
                del self._nodes[before]
        if after:
            self._nodes.setdefault(after, set()).add(node)

    def top(self, limit: int, name: NodeName) -> list[tuple[int, int]]:
        """Return the nodes of the highest degrees, each with its degree, ties by name."""
        found: list[tuple[int, int]] = []
        for degree in sorted(self._nodes, reverse=True):
            room = limit - len(found)
            if not room:
                break
            found += [(node, degree) for node in nsmallest(room, self._nodes[degree], key=name)]
        return found


class Graph:
    """Nodes and the links between them."""

    def __init__(self) -> None:
        self._out: dict[int, tuple[int, ...]] = {}
        self._in: dict[int, list[int]] = {}
        self.by_in_degree = Degrees()
        self.by_out_degree = Degrees()

    @classmethod
    def of(cls, links: Iterable[tuple[int, int]]) -> "Graph":
        """Make a graph from (source, target) pairs, those of a source in a row."""
        graph = cls()
        targets: dict[int, None] = {}
        current: int | None = None
        same: dict[int, int] = {}  # a number is one object, however many links lead there
        for source, target in links:
            if source != current and current is not None:
                graph.put(current, targets)
                targets = {}
            current = source
            targets[same.setdefault(target, target)] = None
        if current is not None:
            graph.put(current, targets)
        return graph

    def __len__(self) -> int:
        """Count the links."""
        return sum(map(len, self._out.values()))

    def put(self, node: int, targets: Iterable[int]) -> None:
        """Make these the nodes that a node links to, in place of those before."""
        before = self._out.get(node, ())
        after = tuple(target for target in dict.fromkeys(targets) if target != node)
        if before == after:
            return
        for target in set(before).difference(after):
            self._unlink(node, target)
        for target in set(after).difference(before):
            self._link(node, target)
        self.by_out_degree.move(node, len(before), len(after))
        if after:
            self._out[node] = after
        else:
            self._out.pop(node, None)

    def remove(self, node: int) -> None:
        """Take a node out, with all links from it and to it."""
        self.put(node, ())
        for source in list(self._in.get(node, ())):
            self.put(source, (target for target in self._out[source] if target != node))

    def outgoing(self, node: int) -> tuple[int, ...]:
        """Return what a node links to, in order, once each."""
        return self._out.get(node, ())

    def incoming(self, node: int) -> list[int]:
        """Return what links to a node; not to be changed by the caller."""
        return self._in.get(node, [])

    def edges(self) -> Iterator[tuple[int, int]]:
        """Yield every link."""
        return ((source, target) for source, targets in self._out.items() for target in targets)

    def around(self, node: int, steps: int, limit: int, name: NodeName) -> list[int]:
        """Return the nodes within some steps either way, the nearest first, ties by name."""
        found = {node: None}
        edge = [node]
        for _ in range(steps):
            near = {each for one in edge for each in (*self.outgoing(one), *self.incoming(one))}
            edge = nsmallest(limit - len(found), near - found.keys(), key=name)
            found |= dict.fromkeys(edge)
        return list(found)

    def path(self, source: int, target: int, name: NodeName) -> list[int] | None:
        """Find a shortest way along the links; of several, the first by names, from the start.

        Both ends are searched from in turn, always the side with fewer nodes to go on from.
        """
        if source == target:
            return [source]
        ahead, behind = _PathSearch(source, self.outgoing), _PathSearch(target, self.incoming)
        while ahead.edge and behind.edge:
            side, other = (
                (ahead, behind) if len(ahead.edge) <= len(behind.edge) else (behind, ahead)
            )
            side.step()
            if meeting := side.edge & other.distance.keys():
                return self._first(source, meeting, ahead.distance, behind.distance, name)
        return None

    def _first(
        self,
        source: int,
        meeting: set[int],
        ahead: Mapping[int, int],
        behind: Mapping[int, int],
        name: NodeName,
    ) -> list[int]:
        """Walk from the source, at each step to the first of the nodes that lead on."""
        layers = [meeting]
        for distance in range(ahead[next(iter(meeting))] - 1, 0, -1):
            leading = (one for node in layers[-1] for one in self.incoming(node))
            layers.append({one for one in leading if ahead.get(one) == distance})
        way = [source]
        for layer in reversed(layers if ahead[next(iter(meeting))] else []):
            way.append(min(layer.intersection(self.outgoing(way[-1])), key=name))
        while left := behind[way[-1]]:
            nexts = (one for one in self.outgoing(way[-1]) if behind.get(one) == left - 1)
            way.append(min(nexts, key=name))
        return way

    def _link(self, source: int, target: int) -> None:
        sources = self._in.setdefault(target, [])
        sources.append(source)
        self.by_in_degree.move(target, len(sources) - 1, len(sources))

    def _unlink(self, source: int, target: int) -> None:
        sources = self._in[target]
        sources.remove(source)
        self.by_in_degree.move(target, len(sources) + 1, len(sources))
        if not sources:
            del self._in[target]


class _PathSearch:
    """One side of a search, a layer at a time."""

    def __init__(self, start: int, onward: Callable[[int], Iterable[int]]) -> None:
        self.distance = {start: 0}
        self.edge = {start}
        self._onward = onward
        self._steps = 0

    def step(self) -> None:
        """Go one link further from every node at the edge."""
        self._steps += 1
        near: set[int] = set()
        for node in self.edge:
            near.update(self._onward(node))
        self.edge = near - self.distance.keys()
        self.distance |= dict.fromkeys(self.edge, self._steps)
