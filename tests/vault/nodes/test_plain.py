"""A store for nodes that are all in memory: read and walked by what it lists."""

from collections.abc import Iterable

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.nodes.plain import PlainStore
from commonplace.vault.nodes.store import Carriers, Neighbours, Node
from commonplace.vault.permissions.requests import Asker

pytestmark = pytest.mark.anyio


def node(id: str, *links: str, tags: tuple[str, ...] = ()) -> Node:
    return Node(id, id.upper(), id, tags, links)


class Four(PlainStore):
    def listed(self) -> Iterable[Node]:
        return [
            node("a", "b", "none", tags=("Seed/fresh",)),
            node("b", "c", tags=("seed",)),
            node("c", "b", tags=("seeds", "other")),
            node("d"),
        ]


async def test_nodes_are_read_by_id_and_by_title() -> None:
    store = Four()
    assert [each.id for each in await store.nodes(["c", "none", "a"], 100)] == ["c", "a"]
    assert await store.node("none") is None
    assert await store.titles(["a", "none"]) == {"a": "A"}
    assert (await store.named("B"), await store.named("x")) == (["b"], [])


async def test_links_are_walked_both_ways_and_those_to_nowhere_are_none() -> None:
    store = Four()
    assert await store.neighbours("a", "out", 9) == Neighbours(("b",), 1)
    assert await store.neighbours("b", "in", 1) == Neighbours(("a",), 2)
    assert await store.neighbours("none", "in", 9) == Neighbours((), 0)
    assert await store.path("a", "c") == ["a", "b", "c"]
    assert [await store.path(*pair) for pair in (("a", "d"), ("a", "none"))] == [None, None]
    assert await store.hubs("in_degree", 1) == [("b", 2)]


async def test_what_is_around_a_node_is_drawn_with_its_links() -> None:
    store = Four()
    found = await store.around("a", 1, 9)
    assert {id for id, _ in found.nodes} == {"a", "b"}
    assert len(found.edges) == 1
    everything = await store.around(None, 0, 9)
    assert everything.nodes[0] == ("b", 3)
    assert {id for id, _ in everything.nodes} == {"a", "b", "c", "d"}
    assert (await store.around("none", 1, 9)).nodes == ()


async def test_a_tag_counts_with_those_beneath_it() -> None:
    store = Four()
    assert (await store.tagged(["seed"], 9, every=False)).ids == ("a", "b")
    assert await store.tagged(["SEED", "other"], 1, every=False) == Carriers(("a",), 3)
    assert (await store.tagged(["seeds", "other"], 9, every=True)).ids == ("c",)
    assert await store.random(["other"]) == "c"
    assert await store.random(["none"]) is None


async def test_what_it_cannot_do_it_says() -> None:
    store = Four()
    assert store.capabilities == frozenset()
    for asked in (store.search("x", 1), store.delete("a", Asker("p", "P"))):
        with pytest.raises(Unavailable):
            await asked
