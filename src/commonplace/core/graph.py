"""Who links to whom: a directed graph of numbered nodes that is changed a node at a time.

What a node links to keeps the order in which it does. A node is no neighbour of its own. What a
graph was made of lies in arrays, some bytes for a link, and what changed since beside them: a
change costs what the changed node's own links cost.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

NodeName = Callable[[int], Any]
"""What nodes are sorted by where there is a tie."""

NodeTargets = tuple[int, bytes]
"""A node and the nodes that it links to, once each and never itself, in four bytes each."""


class Degrees:
    """How many links each node has, one way."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self._counts = counts

    @property
    def total(self) -> int:
        """How many links there are."""
        return int(self._counts.sum())

    def add(self, node: int, links: int) -> None:
        """Let a node have so many more."""
        if node >= len(self._counts):
            room = np.zeros(node + 16, np.int64)
            self._counts = np.concatenate((self._counts, room))
        self._counts[node] += links

    def top(self, limit: int, name: NodeName) -> list[tuple[int, int]]:
        """Return the nodes of the highest degrees, each with its degree, ties by name."""
        at_least = np.bincount(self._counts)[::-1].cumsum()[::-1]
        enough = np.flatnonzero(at_least >= limit)
        lowest = max(1, int(enough[-1])) if len(enough) else 1
        chosen = np.flatnonzero(self._counts >= lowest)
        found = zip(chosen.tolist(), self._counts[chosen].tolist(), strict=True)
        return nsmallest(limit, found, key=lambda each: (-each[1], name(each[0])))


class _NeighbourRows:
    """For each node a row of others, all of them in one array."""

    def __init__(self, lengths: NDArray[np.int64], numbers: NDArray[np.uint32]) -> None:
        self.lengths = lengths
        self._numbers = numbers
        self._ends = lengths.cumsum()

    def __getitem__(self, node: int) -> list[int]:
        if node >= len(self.lengths):
            return []
        end = self._ends[node]
        return self._numbers[end - self.lengths[node] : end].tolist()

    def turned(self) -> "_NeighbourRows":
        """Return, for each node, those in whose rows it stands."""
        size = len(self.lengths)
        nodes = np.repeat(np.arange(size, dtype=np.uint32), self.lengths)
        order = np.argsort(self._numbers, kind="stable")
        return _NeighbourRows(np.bincount(self._numbers, minlength=size), nodes[order])


class Graph:
    """Nodes and the links between them."""

    def __init__(self, rows: Iterable[NodeTargets] = ()) -> None:
        """Make a graph from rows, in the order of their nodes."""
        outgoing = _arranged(rows)
        incoming = outgoing.turned()
        self._first_out, self._first_in = outgoing, incoming
        self._out: dict[int, tuple[int, ...]] = {}
        self._in: dict[int, list[int]] = {}
        self.by_out_degree = Degrees(outgoing.lengths.copy())
        self.by_in_degree = Degrees(incoming.lengths.copy())

    @classmethod
    def of(cls, links: Iterable[tuple[int, int]]) -> "Graph":
        """Make a graph from (source, target) pairs, in the order of their sources."""
        return cls(
            (source, _packed(source, (target for _, target in pairs)))
            for source, pairs in groupby(links, itemgetter(0))
        )

    def __len__(self) -> int:
        """Count the links."""
        return self.by_out_degree.total

    def put(self, node: int, targets: Iterable[int]) -> None:
        """Make these the nodes that a node links to, in place of those before."""
        before = self.outgoing(node)
        after = tuple(target for target in dict.fromkeys(targets) if target != node)
        if before == after:
            return
        for target in set(before).difference(after):
            self._sources(target).remove(node)
            self.by_in_degree.add(target, -1)
        for target in set(after).difference(before):
            self._sources(target).append(node)
            self.by_in_degree.add(target, 1)
        self.by_out_degree.add(node, len(after) - len(before))
        self._out[node] = after

    def remove(self, node: int) -> None:
        """Take a node out, with all links from it and to it."""
        self.put(node, ())
        for source in list(self.incoming(node)):
            self.put(source, (target for target in self.outgoing(source) if target != node))

    def outgoing(self, node: int) -> tuple[int, ...]:
        """Return what a node links to, in order, once each."""
        changed = self._out.get(node)
        return tuple(self._first_out[node]) if changed is None else changed

    def incoming(self, node: int) -> list[int]:
        """Return what links to a node; not to be changed by the caller."""
        changed = self._in.get(node)
        return self._first_in[node] if changed is None else changed

    def edges(self) -> Iterator[tuple[int, int]]:
        """Yield every link."""
        nodes = dict.fromkeys(np.flatnonzero(self._first_out.lengths).tolist()) | self._out
        return ((source, target) for source in nodes for target in self.outgoing(source))

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

    def _sources(self, node: int) -> list[int]:
        if node not in self._in:
            self._in[node] = self._first_in[node]
        return self._in[node]


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


def _packed(node: int, targets: Iterable[int]) -> bytes:
    return array("I", (each for each in dict.fromkeys(targets) if each != node)).tobytes()


def _arranged(rows: Iterable[NodeTargets]) -> _NeighbourRows:
    nodes, lengths_of, numbers = array("q"), array("q"), bytearray()
    for node, row in rows:
        nodes.append(node)
        lengths_of.append(len(row) // 4)
        numbers += row
    found = np.frombuffer(numbers, np.uint32)
    last = max(max(nodes, default=-1), int(found.max(initial=0)))
    lengths = np.zeros(last + 1, np.int64)
    lengths[np.asarray(nodes)] = np.asarray(lengths_of)
    return _NeighbourRows(lengths, found)
