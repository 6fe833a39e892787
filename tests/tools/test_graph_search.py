"""Search by meaning and words, as an assistant meets it: `search` and `semantic_search`."""

import json
from collections.abc import Callable, Generator
from typing import Any

import pytest

from tests.tools.test_graph import asked, refused
from tests.vault.embeddings.server import Behaviour, serving
from tests.wait import eventually

pytestmark = pytest.mark.anyio

OpenDesk = Callable[..., Any]

NOTES = {
    "garage.md": (
        "---\nstatus: done\ntags: [machines]\n---\n# Garage\n\nThe automobile is parked. [[pets]]\n"
    ),
    "pets.md": "---\nstatus: draft\n---\n# Pets\n\nA kitten sleeps all day.\n",
    "food.md": "# Food\n\nBread and cheese.\n",
}


@pytest.fixture
def server() -> Generator[Behaviour]:
    with serving() as behaviour:
        yield behaviour


async def embedded(at: Any) -> None:
    await eventually(lambda: at.vault.meaning.progress.embedded >= at.vault.meaning.progress.total)


async def test_a_note_is_found_by_a_word_that_it_does_not_have(
    desk: OpenDesk, server: Behaviour
) -> None:
    at = await desk(NOTES, embeddings=server.embeddings)
    await embedded(at)
    result = await at.client.call_tool("search", {"query": "car", "limit": 2})
    found = json.loads(result.content[0].text)
    assert found[0]["id"] == "garage.md"
    assert set(found[0]) == {"id", "title", "content", "tags", "links", "score"}
    assert found[0]["links"] == [{"id": "pets.md", "title": "Pets"}]
    assert found[0]["tags"] == ["machines"]
    assert 1 >= found[0]["score"] > found[1]["score"] >= 0
    assert result.meta["indexed"] == {"embedded": 3, "total": 3}


async def test_search_takes_at_most_fifty_and_refuses_an_empty_query(
    desk: OpenDesk, server: Behaviour
) -> None:
    at = await desk(NOTES, embeddings=server.embeddings)
    assert (await refused(at, "search", query="x", limit=51))[0] == "INVALID_PARAMS"
    assert (await refused(at, "search"))[0] == "INVALID_PARAMS"
    assert (await refused(at, "search", query="  "))[0] == "INVALID_PARAMS"


async def test_nothing_found_is_an_empty_list(desk: OpenDesk, server: Behaviour) -> None:
    at = await desk({}, embeddings=server.embeddings)
    assert await asked(at, "search", query="anything") == []


async def test_a_provider_that_is_down_leaves_search_by_words_and_says_so(
    desk: OpenDesk, server: Behaviour
) -> None:
    server.failing = True
    at = await desk(NOTES, embeddings=server.embeddings)
    result = await at.client.call_tool("search", {"query": "kitten"})
    (found,) = json.loads(result.content[0].text)
    assert found["id"] == "pets.md"
    assert "500" in result.meta["indexed"]["problem"]
    notes = await asked(at, "semantic_search", query="bread")
    assert [each["path"] for each in notes["results"]] == ["food.md"]
    assert "by words alone" in notes["note"]
