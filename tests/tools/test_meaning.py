"""`semantic_search`: notes found by meaning and words, in the shape of the contract."""

from typing import Any

import pytest

from tests.tools.test_graph import asked
from tests.tools.test_graph_search import NOTES, OpenDesk, embedded, server
from tests.vault.embeddings.server import Behaviour

__all__ = ["server"]

pytestmark = pytest.mark.anyio


async def test_semantic_search_filters_by_properties_before_it_ranks(
    desk: OpenDesk, server: Behaviour
) -> None:
    at = await desk(NOTES, embeddings=server.embeddings)
    await embedded(at)
    found = await asked(at, "semantic_search", query="vehicle", filters={"status": "draft"})
    assert (found["query"], found["count"]) == ("vehicle", 1)
    (only,) = found["results"]
    assert set(only) == {"path", "score", "snippet", "frontmatter", "word_count"}
    assert (only["path"], only["frontmatter"]) == ("pets.md", {"status": "draft"})
    none = await asked(at, "semantic_search", query="vehicle", filters={"status": "x"})
    assert none["results"] == []


async def test_semantic_search_answers_in_the_shape_of_the_contract(
    desk: OpenDesk, server: Behaviour
) -> None:
    at = await desk(NOTES, embeddings=server.embeddings)
    await embedded(at)
    found = await asked(at, "semantic_search", query=" car ", limit="2")
    assert set(found) == {"query", "results", "count"}
    assert (found["query"], found["count"], len(found["results"])) == ("car", 2, 2)
    first, second = found["results"]
    assert set(first) == set(second) == {"path", "score", "snippet", "frontmatter", "word_count"}
    assert first["path"] == "garage.md"
    assert first["frontmatter"] == {"status": "done", "tags": ["machines"]}
    assert first["word_count"] == 6
    assert "automobile" in first["snippet"]
    assert "status" not in first["snippet"]
    assert 1 >= first["score"] > second["score"] >= 0
    everything = await asked(at, "semantic_search", query="car", filters=None)
    assert everything["count"] == 3
    tagged = await asked(at, "semantic_search", query="car", filters={"tags": ["#machines"]})
    assert [each["path"] for each in tagged["results"]] == ["garage.md"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "query"),
        ({"query": "  "}, "Error: `query` is empty. Say what to search for."),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 101}, "limit"),
        ({"query": "x", "limit": "many"}, "Error: `limit` must be a whole number"),
        ({"query": "x", "filters": ["a"]}, "filters"),
        ({"query": "x\ud800"}, "surrogate"),
    ],
)
async def test_semantic_search_says_what_is_wrong(
    desk: OpenDesk, server: Behaviour, arguments: dict[str, Any], complaint: str
) -> None:
    at = await desk(NOTES, embeddings=server.embeddings)
    assert complaint in await at.error("semantic_search", **arguments)


async def test_tools_that_search_by_meaning_are_offered_in_the_same_order_each_time(
    desk: OpenDesk, server: Behaviour
) -> None:
    at = await desk(NOTES, embeddings=server.embeddings)
    first = [tool.name for tool in (await at.client.list_tools()).tools]
    assert {"search", "semantic_search"} <= set(first)
    assert [tool.name for tool in (await at.client.list_tools()).tools] == first
