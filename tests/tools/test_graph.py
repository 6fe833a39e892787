"""The graph tools that read, as an assistant meets them: the shapes, limits and silences."""

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

OpenDesk = Callable[..., Any]

NOTES = {
    "notes/graphcore.md": (
        "---\ntags: [architecture, core]\n---\n\n# GraphCore\n\n"
        "The hub: [[storeprovider]], [[Node|a node]] and [[storeprovider]] again.\n"
    ),
    "notes/storeprovider.md": "# StoreProvider\n\nKeeps [[node]]. #provider\n",
    "notes/node.md": "---\ntitle: Node\n---\nA plain node.\n",
    "notes/intro.md": "Start at [[graphcore]]. #tutorial #ml/basics\n",
    "notes/lonely.md": "Nobody comes here. #tutorial\n",
}


async def asked(at: Any, tool: str, **arguments: Any) -> Any:
    return json.loads(await at.call(tool, **arguments))


async def refused(at: Any, tool: str, **arguments: Any) -> tuple[str, str]:
    error = json.loads(await at.error(tool, **arguments))["error"]
    assert set(error) == {"code", "message"}
    return error["code"], error["message"]


async def test_a_node_comes_with_title_content_tags_and_titled_links(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    assert await asked(at, "get_node", id="notes/graphcore.md") == {
        "id": "notes/graphcore.md",
        "title": "GraphCore",
        "content": (
            "# GraphCore\n\nThe hub: [[storeprovider]], [[Node|a node]] and [[storeprovider]]"
            " again.\n"
        ),
        "tags": ["architecture", "core"],
        "links": [
            {"id": "notes/storeprovider.md", "title": "StoreProvider"},
            {"id": "notes/node.md", "title": "Node"},
        ],
    }


async def test_depth_one_adds_neighbours_with_directions_and_totals(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    node = await asked(at, "get_node", id="notes/graphcore.md", depth=1)
    assert (node["incomingCount"], node["outgoingCount"]) == (1, 2)
    assert [(each["id"], each["direction"]) for each in node["neighbors"]] == [
        ("notes/storeprovider.md", "out"),
        ("notes/node.md", "out"),
        ("notes/intro.md", "in"),
    ]
    assert set(node["neighbors"][0]) == {"id", "title", "content", "tags", "links", "direction"}
    assert node["neighbors"][0]["links"] == [{"id": "notes/node.md", "title": "Node"}]


async def test_neither_direction_crowds_the_other_out(desk: OpenDesk) -> None:
    hub = {"hub.md": " ".join(f"[[out{n}]]" for n in range(30))}
    out = {f"out{n}.md": "leaf" for n in range(30)}
    into = {f"in{n}.md": "[[hub]]" for n in range(40)}
    at = await desk(hub | out | into)
    node = await asked(at, "get_node", id="hub.md", depth=1)
    assert (node["incomingCount"], node["outgoingCount"]) == (40, 30)
    directions = [each["direction"] for each in node["neighbors"]]
    assert directions == ["out"] * 10 + ["in"] * 10
    first, more = await at.blocks("get_neighbors", id="hub.md", limit=50)
    assert len(both := json.loads(first)) == 50
    assert more.startswith("[Showing 50 of 30 outgoing and 40 incoming.")
    assert [each["id"] for each in both[:25]] == [f"out{n}.md" for n in range(25)]
    few = await asked(at, "get_neighbors", id="out3.md")
    assert [each["id"] for each in few] == ["hub.md"]


@pytest.mark.parametrize(
    ("tool", "arguments", "size"),
    [("get_node", {"id": "long.md"}, 10_000), ("get_neighbors", {"id": "a.md"}, 500)],
)
async def test_long_content_is_cut_and_says_so_within_the_limit(
    desk: OpenDesk, tool: str, arguments: dict[str, Any], size: int
) -> None:
    at = await desk({"long.md": "é😀x" * 5_000, "a.md": "[[long]]"})
    answer = await asked(at, tool, **arguments)
    content: str = (answer if tool == "get_node" else answer[0])["content"]
    assert len(content) == size
    assert content.endswith("... [truncated]")
    exact = await asked(at, "get_node", id="a.md", depth=1)
    assert len(exact["neighbors"][0]["content"]) == 200


async def test_content_that_just_fits_is_whole(desk: OpenDesk) -> None:
    at = await desk({"fits.md": "x" * 10_000, "over.md": "x" * 10_001})
    assert (await asked(at, "get_node", id="fits.md"))["content"] == "x" * 10_000
    assert (await asked(at, "get_node", id="over.md"))["content"].endswith("x... [truncated]")


async def test_what_is_not_there_is_not_an_error(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    for missing in ("nope.md", "../secret.md", "/etc/passwd", "", "a\nb.md"):
        assert await asked(at, "get_node", id=missing) is None
        assert await asked(at, "get_neighbors", id=missing) == []
        assert await asked(at, "find_path", source=missing, target="notes/node.md") is None
        assert await asked(at, "find_path", source="notes/node.md", target=missing) is None
        assert await asked(at, "delete_node", id=missing) == {"deleted": False}
    assert await asked(at, "get_neighbors", id="notes/lonely.md") == []
    assert await asked(at, "search_by_tags", tags=["nothing"]) == []
    assert await asked(at, "random_node", tags=["nothing"]) is None
    path = await asked(at, "find_path", source="notes/node.md", target="notes/intro.md")
    assert path is None


async def test_an_empty_vault_answers_with_nothing(desk: OpenDesk) -> None:
    at = await desk({})
    assert await asked(at, "random_node") is None
    assert await asked(at, "get_hubs") == []


async def test_neighbours_go_by_direction(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    into = await asked(at, "get_neighbors", id="notes/node", direction="in")
    assert [each["id"] for each in into] == ["notes/graphcore.md", "notes/storeprovider.md"]
    assert await asked(at, "get_neighbors", id="notes/node.md", direction="out") == []
    first, more = await at.blocks("get_neighbors", id="notes/node.md", limit=1)
    assert len(json.loads(first)) == 1
    assert more.startswith("[Showing 1 of 0 outgoing and 2 incoming. Set limit")
    assert len(await at.blocks("get_neighbors", id="notes/node.md", limit=2)) == 1


async def test_a_path_is_the_shortest_along_links_ties_by_id(desk: OpenDesk) -> None:
    at = await desk(
        {
            "s.md": "[[m2]] [[m1]] [[far]]",
            "m1.md": "[[t]]",
            "m2.md": "[[t]]",
            "far.md": "[[m1]]",
            "t.md": "x",
        }
    )
    found = await asked(at, "find_path", source="s.md", target="t.md")
    assert found == {"path": ["s.md", "m1.md", "t.md"], "length": 2}
    same = await asked(at, "find_path", source="s", target="s.md")
    assert same == {"path": ["s.md"], "length": 0}


async def test_hubs_are_ranked_by_degree_and_leave_out_the_lonely(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    assert await asked(at, "get_hubs") == [
        {"id": "notes/node.md", "title": "Node", "score": 2},
        {"id": "notes/graphcore.md", "title": "GraphCore", "score": 1},
        {"id": "notes/storeprovider.md", "title": "StoreProvider", "score": 1},
    ]
    (top,) = await asked(at, "get_hubs", metric="out_degree", limit=1)
    assert (top["id"], top["score"]) == ("notes/graphcore.md", 2)


async def test_tags_match_any_or_all_with_or_without_hash_nested_too(desk: OpenDesk) -> None:
    at = await desk(NOTES)

    async def ids(**arguments: Any) -> list[str]:
        result = await at.client.call_tool("search_by_tags", arguments)
        return [each["id"] for each in json.loads(result.content[0].text)]

    assert await ids(tags=["tutorial", "provider"]) == [
        "notes/intro.md",
        "notes/lonely.md",
        "notes/storeprovider.md",
    ]
    assert await ids(tags=["#Tutorial", "ml"], mode="all") == ["notes/intro.md"]
    assert await ids(tags=["tutorial"], limit=1) == ["notes/intro.md"]
    assert await ids(tags=["basics"]) == []


async def test_a_random_node_is_any_node_or_one_with_the_tags(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    assert (await asked(at, "random_node"))["id"] in NOTES
    seen = {(await asked(at, "random_node", tags=["tutorial"]))["id"] for _ in range(40)}
    assert seen == {"notes/intro.md", "notes/lonely.md"}


async def test_warnings_come_once_and_again_after_a_change(desk: OpenDesk) -> None:
    at = await desk(
        {
            "a.md": "---\ntags: [x, y, X]\n---\n[[missing]] ![[gone]] [m](no.md) ![p](p.png)\n",
            "b.md": "---\nkey: [\n---\nbad [[a]]\n",
        }
    )
    first = await asked(at, "get_node", id="a.md")
    assert first["_warnings"] == [
        "Broken link: [[missing]]",
        "Broken link: ![[gone]]",
        "Broken link: […](no.md)",
        "Duplicate tag ignored: X",
    ]
    assert "_warnings" not in await asked(at, "get_node", id="a.md")
    result = await at.client.call_tool("get_neighbors", {"id": "a.md"})
    (warning,) = result.meta["_warnings"]
    assert json.loads(result.content[1].text) == {"_warnings": [warning]}
    assert "not valid YAML" in warning
    again = await at.client.call_tool("get_neighbors", {"id": "a.md"})
    assert "_warnings" not in (again.meta or {})
    (at.folder / "a.md").write_text("[[other]]\n")
    await at.vault.indexer.update(["a.md"])
    assert (await asked(at, "get_node", id="a.md"))["_warnings"] == ["Broken link: [[other]]"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_node", {}),
        ("get_node", {"id": "a.md", "depth": 2}),
        ("get_node", {"id": 7}),
        ("get_neighbors", {"id": "a.md", "direction": "up"}),
        ("get_neighbors", {"id": "a.md", "limit": 51}),
        ("get_neighbors", {"id": "a.md", "limit": 0}),
        ("find_path", {"source": "a.md"}),
        ("get_hubs", {"metric": "pagerank"}),
        ("get_hubs", {"limit": 51}),
        ("search_by_tags", {}),
        ("search_by_tags", {"tags": []}),
        ("search_by_tags", {"tags": [1]}),
        ("search_by_tags", {"tags": ["a"], "limit": 101}),
        ("search_by_tags", {"tags": ["a"], "mode": "some"}),
        ("random_node", {"tags": "x"}),
        ("create_node", {"title": "x"}),
        ("create_node", {"title": "", "content": ""}),
        ("create_node", {"title": "???", "content": ""}),
        ("create_node", {"title": "x", "content": "", "directory": "../up"}),
        ("create_node", {"title": "x", "content": "", "directory": "/etc/passwd"}),
        ("create_node", {"title": "x", "content": "", "directory": "//up"}),
        ("update_node", {"title": "x"}),
        ("update_node", {"id": "a.md"}),
        ("delete_node", {}),
    ],
)
async def test_wrong_arguments_have_their_code(
    desk: OpenDesk, tool: str, arguments: dict[str, Any]
) -> None:
    at = await desk({"a.md": "x"}, create="allow", update="allow")
    code, message = await refused(at, tool, **arguments)
    assert code == "INVALID_PARAMS"
    assert message


async def test_what_is_being_typed_counts_at_once(desk: OpenDesk) -> None:
    from commonplace.core.text.edits import Edit

    def type_in(_: str) -> list[Edit]:
        return [Edit(0, 0, "[[b]] #new ")]

    at = await desk({"a.md": "start", "b.md": "x"})
    await at.vault.notes.edit("a.md", type_in, "person:ana")
    node = await asked(at, "get_node", id="a.md")
    assert node["links"] == [{"id": "b.md", "title": "b"}]
    assert node["tags"] == ["new"]
    assert [n["id"] for n in await asked(at, "get_neighbors", id="b.md")] == ["a.md"]


async def test_get_node_counts_as_a_read(desk: OpenDesk) -> None:
    at = await desk({"a.md": "some text"})
    await asked(at, "get_node", id="a.md")
    await at.call("edit", file_path="a.md", old_string="some", new_string="more")


async def test_without_a_provider_the_searches_are_not_offered(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    offered = {tool.name for tool in (await at.client.list_tools()).tools}
    assert {"get_node", "create_node", "random_node"} <= offered
    assert not {"search", "semantic_search"} & offered


async def test_a_link_that_a_deletion_broke_is_warned_of(desk: OpenDesk) -> None:
    at = await desk({"b.md": "See [[c]].\n", "c.md": "C\n"}, delete="allow")
    assert "_warnings" not in await asked(at, "get_node", id="b.md")
    await at.call("delete_note", path="c.md")
    assert (await asked(at, "get_node", id="b.md"))["_warnings"] == ["Broken link: [[c]]"]
    assert "_warnings" not in await asked(at, "get_node", id="b.md")
