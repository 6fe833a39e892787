"""Calls that are nearly right are answered with what would be right."""

import json
from pathlib import Path

import pytest
from mcp import Client

from commonplace.server.mcp.server import build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools.table import Toolbox
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.tools.conftest import Desk, OpenDesk, every_tool

pytestmark = pytest.mark.anyio

NOTES = {"Lens/x.md": "# X\n\nSee [[ren]]\n", "ren.md": "# Ren\n", "bad.md": "---\na: [\n---\nb\n"}


async def test_a_folder_in_the_wrong_case_is_told_with_the_right_one(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    wanted = "Folder does not exist: lens. Did you mean Lens?"
    assert wanted in await at.error("glob", pattern="*.md", path="lens")
    assert wanted in await at.error("list_notes", folder="lens")
    assert wanted in await at.error("text_search", query="x", folder="lens")
    assert "Did you mean Lens?" in await at.error("grep", pattern="x", path="lens")


async def test_a_heading_behind_a_path_is_told_from_a_note_that_is_not_there(
    desk: OpenDesk,
) -> None:
    at = await desk(NOTES)
    error = await at.error("read", file_path="Lens/x.md#X")
    assert error.endswith("Did you mean Lens/x.md? A heading is no part of a path.")
    assert "heading" not in await at.error("read", file_path="Lens/nope.md#X")


async def test_a_pattern_over_lines_is_told_how(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    assert (await at.error("grep", pattern="X\\n\\nSee")).endswith(
        "Set multiline to true to match over several lines."
    )
    assert await at.call("grep", pattern="X\\n\\nSee", multiline=True) == "Lens/x.md"


async def test_a_note_that_was_renamed_is_told_by_its_new_name(desk: OpenDesk) -> None:
    at = await desk(NOTES, rename="allow")
    await at.call("update_node", id="ren.md", title="Renamed")
    assert await at.error("read", file_path="ren.md") == (
        "Error: Document not found: ren.md. It was renamed to renamed.md."
    )
    hint = "[An id is a path from the top. Did you mean renamed.md?]"
    assert await at.blocks("get_node", id="ren") == ["null", hint]
    assert await at.blocks("get_node", id="ren.md") == ["null", hint]


async def test_what_cannot_be_read_is_named_once_and_mended_by_a_tool(desk: OpenDesk) -> None:
    at = await desk({**NOTES, "big.md": "x" * 10_500_000}, update="allow")
    assert (await at.error("read_metadata", path="big.md")).count("big.md") == 1
    error = await at.error("update_note", path="bad.md", frontmatter={"a": 1})
    assert "Mend that first, with edit or by giving the whole content" in error


async def test_an_ending_in_a_title_is_not_doubled(desk: OpenDesk) -> None:
    at = await desk(NOTES, create="allow")
    made = json.loads(await at.call("create_node", title="plan.md", content="c\n"))
    assert made["id"] == "plan.md"


@pytest.mark.parametrize("odd", ["/Lens/x.md", "./Lens/x.md", "note:///Lens/x.md", "[[Lens/x|X]]"])
async def test_another_way_to_name_a_note_is_told_the_path(desk: OpenDesk, odd: str) -> None:
    at = await desk(NOTES)
    for tool, name in (("read", "file_path"), ("read_note", "path")):
        assert (await at.error(tool, **{name: odd})).endswith("Did you mean Lens/x.md?")
    nothing = odd.replace("Lens/x", "Lens/nope")
    assert "Did you mean Lens/x" not in await at.error("read", file_path=nothing)


@pytest.mark.parametrize("odd", ["/ren.md", "./ren.md", "[[ren]]", "note:///ren.md"])
async def test_an_odd_id_is_null_as_ever_and_told_the_right_one(desk: OpenDesk, odd: str) -> None:
    at = await desk(NOTES)
    hint = "[An id is a path from the top. Did you mean ren.md?]"
    for tool, given in (
        ("get_node", {"id": odd}),
        ("find_path", {"source": odd, "target": "Lens/x.md"}),
    ):
        blocks = (await at.client.call_tool(tool, given)).content
        assert [getattr(block, "text", None) for block in blocks] == ["null", hint]
    blocks = (await at.client.call_tool("get_node", {"id": "nope.md"})).content
    assert [getattr(block, "text", None) for block in blocks] == ["null"]


async def test_properties_that_cannot_be_read_are_told_where_they_are_asked_for(
    desk: OpenDesk,
) -> None:
    at = await desk(NOTES)
    (why,) = json.loads(await at.call("read_metadata", path="bad.md"))["_warnings"]
    assert "YAML" in why
    assert "_warnings" not in json.loads(await at.call("read_metadata", path="ren.md"))


TITLED = {
    "bio/cells.md": "---\naliases: [Zellen]\n---\n# Cell Theory\n",
    "Notes/a.md": "# Twin\n",
    "Notes/b.md": "# Twin\n",
}


@pytest.mark.parametrize(
    ("odd", "near"),
    [
        ("Cell Theory", "bio/cells.md"),
        ("[[Cell Theory]]", "bio/cells.md"),
        ("zellen", "bio/cells.md"),
        ("cells.md", "bio/cells.md"),
        ("notes/A.md", "Notes/a.md"),
        ("Twin", "Notes/a.md or Notes/b.md"),
    ],
)
async def test_a_title_for_an_id_is_null_and_told_the_id(
    desk: OpenDesk, odd: str, near: str
) -> None:
    at = await desk(TITLED)
    hint = f"[An id is a path from the top. Did you mean {near}?]"
    assert await at.blocks("get_node", id=odd) == ["null", hint]
    assert await at.blocks("find_path", source="Notes/a.md", target=odd) == ["null", hint]


async def test_no_path_between_nodes_that_there_are_is_null_without_a_word(desk: OpenDesk) -> None:
    at = await desk(TITLED)
    for source in ("Notes/a.md", "Notes/a"):
        assert await at.blocks("find_path", source=source, target="Notes/b.md") == ["null"]
    assert await at.blocks("get_node", id="Cell") == ["null"]


async def test_a_slash_in_a_title_is_told_to_choose_no_folder(desk: OpenDesk) -> None:
    at = await desk(NOTES, create="allow")
    made = json.loads(await at.call("create_node", title="Lens/Idea", content="c\n"))
    assert (made["id"], made["title"]) == ("lensidea.md", "Lens/Idea")
    assert made["_warnings"] == [
        "A title chooses no folder: this is lensidea.md. Use `directory` for that."
    ]


async def test_the_top_of_several_roots_is_told_as_such(tmp_path: Path) -> None:
    for name in ("A", "B C"):
        (tmp_path / name).mkdir()
    (tmp_path / "A/x.md").write_text("x\n")
    roots = tuple(Root(name, tmp_path / name) for name in ("A", "B C"))
    async with open_vault(Settings(roots, tmp_path / "state")) as vault:
        server = build(Toolbox(every_tool(vault)), VaultResources(vault), version="0")
        async with Client(server) as client:
            at = Desk(client, tmp_path, vault)
            top, told = await at.blocks("list_notes", recursive=False)
            assert json.loads(top)["notes"] == []
            assert told == "[The top holds folders alone: A, B C.]"
            assert len(await at.blocks("list_notes", folder="B C", recursive=False)) == 1
            assert len(await at.blocks("list_notes")) == 1
            said = await at.error("create_note", path="New.md", content="x")
            assert said.startswith("Error: New.md lies in no folder of this vault.")
            assert '"uri": "note:///B%20C/"' in await at.call("get_kiln_info")
