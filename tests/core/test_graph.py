"""The link graph against a plain one: every answer is checked by brute force."""

from collections import deque
from itertools import pairwise
from operator import itemgetter

from hypothesis import given, strategies as st

from commonplace.core.graph import Graph

NODES = st.integers(0, 9)
STEPS = st.lists(st.tuples(NODES, st.none() | st.lists(NODES, max_size=5)), max_size=25)


def name(node: int) -> str:
    return f"{(node * 7) % 10}"


def built(steps: list[tuple[int, list[int] | None]]) -> tuple[Graph, dict[int, list[int]]]:
    """Make the same changes to a graph and to a plain dictionary."""
    graph, plain = Graph(), dict[int, list[int]]()
    for node, targets in steps:
        if targets is None:
            graph.remove(node)
            plain.pop(node, None)
            plain = {n: [t for t in ts if t != node] for n, ts in plain.items()}
        else:
            graph.put(node, targets)
            plain[node] = [t for t in dict.fromkeys(targets) if t != node]
    return graph, plain


def shortest(plain: dict[int, list[int]], source: int, target: int) -> list[int] | None:
    """Walk all shortest ways and choose the first by names."""
    waiting, best = deque([[source]]), list[list[int]]()
    while waiting:
        way = waiting.popleft()
        if best and len(way) > len(best[0]):
            break
        if way[-1] == target:
            best.append(way)
        waiting += [[*way, n] for n in plain.get(way[-1], []) if n not in way]
    return min(best, key=lambda way: list(map(name, way)), default=None)


@given(STEPS)
def test_links_both_ways_are_those_that_were_put(steps: list[tuple[int, list[int] | None]]) -> None:
    graph, plain = built(steps)
    for node in range(10):
        assert list(graph.outgoing(node)) == plain.get(node, [])
        assert sorted(graph.incoming(node)) == sorted(n for n, ts in plain.items() if node in ts)
    assert len(graph) == sum(map(len, plain.values()))


@given(STEPS, st.integers(1, 12))
def test_hubs_are_the_nodes_of_the_highest_degree_ties_by_name(
    steps: list[tuple[int, list[int] | None]], limit: int
) -> None:
    graph, plain = built(steps)
    into = {n: sum(n in ts for ts in plain.values()) for n in range(10)}
    out = {n: len(plain.get(n, [])) for n in range(10)}
    for degrees, found in ((into, graph.by_in_degree), (out, graph.by_out_degree)):
        ranked = sorted((-d, name(n), n) for n, d in degrees.items() if d)[:limit]
        assert found.top(limit, name) == [(n, -d) for d, _, n in ranked]


@given(STEPS, NODES, NODES)
def test_a_path_is_shortest_and_the_first_of_its_length_by_names(
    steps: list[tuple[int, list[int] | None]], source: int, target: int
) -> None:
    graph, plain = built(steps)
    assert graph.path(source, target, name) == shortest(plain, source, target)


@given(STEPS)
def test_a_graph_loaded_from_its_edges_is_the_same(
    steps: list[tuple[int, list[int] | None]],
) -> None:
    graph, _ = built(steps)
    again = Graph.of(sorted(graph.edges(), key=itemgetter(0)))
    assert all(again.outgoing(node) == graph.outgoing(node) for node in range(10))
    assert again.by_in_degree.top(10, name) == graph.by_in_degree.top(10, name)


def test_a_node_is_no_neighbour_of_its_own_and_doubles_count_once() -> None:
    graph = Graph.of([(1, 1), (1, 2), (1, 2), (2, 1)])
    assert graph.outgoing(1) == (2,)
    assert graph.incoming(1) == [2]
    assert graph.path(1, 1, name) == [1]


def test_around_takes_the_nearest_first_and_no_more_than_asked() -> None:
    graph = Graph.of([*pairwise(range(6)), (9, 2)])
    assert graph.around(2, 1, 100, lambda node: node) == [2, 1, 3, 9]
    assert graph.around(2, 2, 100, lambda node: node) == [2, 1, 3, 9, 0, 4]
    assert graph.around(2, 2, 3, lambda node: node) == [2, 1, 3]


def test_a_path_through_a_long_chain_is_found() -> None:
    graph = Graph.of(pairwise(range(5000)))
    assert graph.path(0, 4999, lambda node: node) == list(range(5000))
    assert graph.path(4999, 0, lambda node: node) is None
