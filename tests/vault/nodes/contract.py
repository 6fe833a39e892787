"""What every store behind the `graph` tools must hold.

A subclass named `Test…` says how to open one that holds these nodes, and how ids are spelled.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from commonplace.errors import CommonplaceError, Conflict, Forbidden, NotFound
from commonplace.vault.nodes.store import Carriers, NewNode, NodeUpdate, Store
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import OPERATIONS

BY = Asker("assistant-1", "assistant")

# Title, tags, and the titles of the nodes that it links to, in order.
NODES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "a": (("x",), ("b", "c")),
    "b": (("x", "y/z"), ("c",)),
    "c": ((), ("d",)),
    "d": (("y",), ()),
    "e": ((), ("d",)),
    "f": ((), ()),
}


def text_of(tags: Sequence[str], links: Sequence[str]) -> str:
    """Write a node's Markdown."""
    front = f"---\ntags: [{', '.join(tags)}]\n---\n" if tags else ""
    return f"{front}links: {' '.join(f'[[{link}]]' for link in links)}"


def policies(policy: str) -> dict[str, str]:
    """Answer every wish to write alike."""
    return {str(operation): policy for operation in OPERATIONS}


@pytest.mark.anyio
class StoreContract:
    """The tests; `open_store` and `id_of` are the implementation's."""

    def open_store(
        self,
        folder: Path,
        nodes: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
        policy: str,
    ) -> AbstractAsyncContextManager[Store]:
        raise NotImplementedError

    def id_of(self, title: str) -> str:
        raise NotImplementedError

    def ids(self, titles: str) -> list[str]:
        return [self.id_of(title) for title in titles]

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        async with self.open_store(tmp_path, NODES, "allow") as store:
            yield store

    async def test_a_node_is_returned_whole(self, store: Store) -> None:
        node = await store.node(self.id_of("a"))
        assert node is not None
        assert (node.id, node.title) == (self.id_of("a"), "a")
        assert (list(node.tags), list(node.links)) == (["x"], self.ids("bc"))

    async def test_an_id_that_does_not_exist_is_no_error(self, store: Store) -> None:
        missing = self.id_of("missing")
        assert await store.node(missing) is None
        assert await store.nodes([missing, self.id_of("f")], 10) == await store.nodes(
            self.ids("f"), 10
        )
        assert (await store.neighbours(missing, "in", 5)).total == 0
        assert await store.path(missing, self.id_of("a")) is None
        assert await store.path(self.id_of("a"), missing) is None
        assert await store.delete(missing, BY) is False
        assert await store.titles([missing]) == {}

    async def test_a_name_tells_the_ids_of_its_nodes(self, store: Store) -> None:
        assert await store.named("A") == self.ids("a")
        assert await store.named("missing") == []

    async def test_batches_keep_their_order(self, store: Store) -> None:
        nodes = await store.nodes(self.ids("dab"), 100)
        assert [node.title for node in nodes] == ["d", "a", "b"]
        assert await store.titles(self.ids("ab")) == {self.id_of("a"): "a", self.id_of("b"): "b"}

    async def test_a_node_in_a_batch_is_the_same_to_the_letter(self, store: Store) -> None:
        for title in "abf":
            assert [await store.node(self.id_of(title))] == await store.nodes(
                [self.id_of(title)], 10_000
            )

    async def test_content_may_be_cut_but_never_to_less_than_asked(self, store: Store) -> None:
        whole = await store.node(self.id_of("a"))
        (cut,) = await store.nodes(self.ids("a"), 3)
        assert whole is not None
        assert len(cut.content) >= 3
        assert whole.content.startswith(cut.content)

    async def test_neighbours_have_a_total_beyond_the_limit(self, store: Store) -> None:
        out = await store.neighbours(self.id_of("a"), "out", 1)
        assert (list(out.ids), out.total) == (self.ids("b"), 2)
        into = await store.neighbours(self.id_of("d"), "in", 5)
        assert (list(into.ids), into.total) == (self.ids("ce"), 2)

    async def test_a_path_is_directed_and_shortest(self, store: Store) -> None:
        assert await store.path(self.id_of("a"), self.id_of("d")) == self.ids("acd")
        assert await store.path(self.id_of("d"), self.id_of("a")) is None
        assert await store.path(self.id_of("f"), self.id_of("f")) == self.ids("f")

    async def test_hubs_are_ranked_and_never_of_degree_zero(self, store: Store) -> None:
        assert await store.hubs("in_degree", 10) == [
            (self.id_of("c"), 2),
            (self.id_of("d"), 2),
            (self.id_of("b"), 1),
        ]
        assert await store.hubs("out_degree", 1) == [(self.id_of("a"), 2)]

    async def test_a_part_of_the_graph_has_the_nearest_nodes_and_their_edges(
        self, store: Store
    ) -> None:
        near = await store.around(self.id_of("c"), 1, 10)
        assert near.nodes == tuple(zip(self.ids("cabd"), (3, 2, 2, 2), strict=True))
        assert sorted(near.edges) == [(0, 3), (1, 0), (1, 2), (2, 0)]
        assert [id for id, _ in (await store.around(self.id_of("c"), 2, 10)).nodes] == self.ids(
            "cabde"
        )
        assert [id for id, _ in (await store.around(self.id_of("c"), 2, 3)).nodes] == self.ids(
            "cab"
        )
        everything = await store.around(None, 1, 10)
        assert sorted(id for id, _ in everything.nodes) == self.ids("abcdef")
        assert [id for id, _ in everything.nodes[:3]] == self.ids("cdb")
        assert (await store.around(self.id_of("missing"), 1, 10)).nodes == ()

    async def test_an_id_may_leave_out_its_ending(self, store: Store) -> None:
        short = self.id_of("a").removesuffix(".md")
        node = await store.node(short)
        assert node is not None
        assert node.id == self.id_of("a")
        assert (await store.neighbours(short, "out", 5)).total == 2

    async def test_tags_are_matched_any_or_every(self, store: Store) -> None:
        ids = {title: self.id_of(title) for title in "abd"}
        assert await store.tagged(["x", "y"], 10, every=False) == Carriers((*ids.values(),), 3)
        assert await store.tagged(["x", "y"], 10, every=True) == Carriers((ids["b"],), 1)
        assert await store.tagged(["x"], 1, every=False) == Carriers((ids["a"],), 2)
        assert await store.tagged(["x", "none"], 10, every=True) == Carriers((), 0)
        assert await store.tagged(["none"], 10, every=False) == Carriers((), 0)

    async def test_a_random_node_is_one_of_those_asked_for(self, store: Store) -> None:
        assert await store.random() in self.ids("abcdef")
        assert await store.random(["y"]) in self.ids("bd")
        assert await store.random(["none"]) is None

    async def test_what_is_created_is_there_and_linked(self, store: Store) -> None:
        made = await store.create(NewNode("g", "words", ("t",)), BY)
        node = await store.node(made)
        assert node is not None
        assert (node.title, node.content, node.tags) == ("g", "words", ("t",))
        assert (await store.tagged(["t"], 5, every=False)).ids == (made,)
        with pytest.raises(Conflict):
            await store.create(NewNode("g", "other"), BY)

    async def test_an_update_changes_what_it_names_alone(self, store: Store) -> None:
        updated = await store.update(self.id_of("a"), NodeUpdate(tags=("k",)), BY)
        node = await store.node(updated.id)
        assert node is not None
        assert (node.tags, list(node.links)) == (("k",), self.ids("bc"))
        updated = await store.update(updated.id, NodeUpdate(content="nothing"), BY)
        node = await store.node(updated.id)
        assert node is not None
        assert (node.content, node.tags, node.links) == ("nothing", ("k",), ())
        assert (await store.neighbours(self.id_of("b"), "in", 5)).total == 0
        with pytest.raises(NotFound):
            await store.update(self.id_of("missing"), NodeUpdate(content="x"), BY)

    async def test_what_was_shown_in_part_is_not_put_in_the_place_of_all(
        self, store: Store
    ) -> None:
        long = await store.create(NewNode("long", "a line of words\n" * 1_000), BY)
        short = await store.create(NewNode("short", "a line of words\n"), BY)
        reader = Asker("assistant-2", "another")
        for id in (long, short):
            await store.node(id, reader)
        with pytest.raises(Forbidden):
            await store.update(long, NodeUpdate(content="a line"), reader)
        await store.update(long, NodeUpdate(tags=("t",)), reader)
        await store.update(short, NodeUpdate(content="a line"), reader)
        node = await store.node(long)
        assert node is not None
        assert (len(node.content), node.tags) == (16_000, ("t",))

    async def test_a_new_title_keeps_every_link(self, store: Store) -> None:
        updated = await store.update(self.id_of("d"), NodeUpdate(title="delta"), BY)
        node = await store.node(updated.id)
        assert node is not None
        assert node.title == "delta"
        into = await store.neighbours(updated.id, "in", 5)
        assert list(into.ids) == self.ids("ce")
        assert await store.path(self.id_of("a"), updated.id) == [*self.ids("ac"), updated.id]

    async def test_what_is_deleted_is_gone_from_every_answer(self, store: Store) -> None:
        assert await store.delete(self.id_of("c"), BY) is True
        assert await store.node(self.id_of("c")) is None
        assert await store.path(self.id_of("a"), self.id_of("d")) is None
        assert (await store.hubs("in_degree", 1))[0][0] != self.id_of("c")
        assert await store.delete(self.id_of("c"), BY) is False

    async def test_nothing_is_written_without_permission(self, tmp_path: Path) -> None:
        async with self.open_store(tmp_path, NODES, "deny") as store:
            for write in (
                store.create(NewNode("g", "x"), BY),
                store.update(self.id_of("a"), NodeUpdate(content="x"), BY),
                store.update(self.id_of("a"), NodeUpdate(title="x"), BY),
                store.delete(self.id_of("a"), BY),
            ):
                with pytest.raises(Forbidden):
                    await write
            node = await store.node(self.id_of("a"))
            assert node is not None
            assert list(node.links) == self.ids("bc")

    async def test_an_empty_store_answers(self, tmp_path: Path) -> None:
        async with self.open_store(tmp_path, {}, "allow") as store:
            assert await store.hubs("in_degree", 5) == []
            assert await store.random() is None
            assert isinstance(store.capabilities, frozenset)
            assert issubclass(Conflict, CommonplaceError)
