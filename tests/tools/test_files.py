"""The reading tools as an assistant meets them: CONTRACT section 3, word for word."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

OpenDesk = Callable[[dict[str, Any]], Any]

GARDEN = {
    "Garden/Clover.md": "# Clover\n\nGreen and [[Moss|soft]].\nBees like it.\n",
    "Garden/Moss.md": "---\naliases: [Bryophyta]\n---\n# Moss\n\nLoves shade. See [[Missing]].\n",
    "Home.md": "# Home\n\n[[clover]], ![[Bryophyta]] and [moss](Garden/Moss.md)\n",
    "日本/苔 🌿.md": "苔は静かです。 [[Moss]]\n",
}


async def test_read_numbers_lines(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    assert await at.call("read", file_path="Garden/Clover.md") == (
        "     1\t# Clover\n     2\t\n     3\tGreen and [[Moss|soft]].\n     4\tBees like it."
    )
    assert await at.call("read", file_path="Garden/Clover", offset=3, limit=1) == (
        "     3\tGreen and [[Moss|soft]].\n\n[Showing lines 3-3 of 4. Use offset=4 to read on.]"
    )
    assert (await at.call("read", file_path="日本/苔 🌿.md")).startswith("     1\t苔は静かです。")


async def test_read_pages_and_cuts_long_documents(desk: OpenDesk) -> None:
    at = await desk({"long.md": "x\n" * 5321, "wide.md": "é" * 3000 + "\n"})
    text = await at.call("read", file_path="long.md")
    assert text.endswith(
        "\n  2000\tx\n\n[Showing lines 1-2000 of 5321. Use offset=2001 to read on.]"
    )
    wide = await at.call("read", file_path="wide.md")
    assert wide == "     1\t" + "é" * 2000 + "... [truncated]"


async def test_read_warns_of_what_is_empty_or_past_the_end(desk: OpenDesk) -> None:
    at = await desk({"empty.md": "", "ten.md": "x\n" * 10})
    assert await at.call("read", file_path="empty.md") == (
        "Warning: the document exists but the contents are empty."
    )
    assert await at.call("read", file_path="ten.md", offset=100) == (
        "Warning: the document exists but is shorter than the provided offset (100)."
        " The document has 10 lines."
    )


async def test_read_shows_that_invisible_characters_are_there(desk: OpenDesk) -> None:
    at = await desk({"odd.md": "a\u202eb\n"})
    text = await at.call("read", file_path="odd.md")
    assert text.startswith("     1\ta\u202eb\n\n[This document holds 1 invisible character")


@pytest.mark.parametrize("offset", [-1, 1.5, -1e9])
async def test_read_refuses_a_line_that_cannot_be(desk: OpenDesk, offset: float) -> None:
    at = await desk(GARDEN)
    assert "`offset` must be" in await at.error("read", file_path="Home.md", offset=offset)


async def test_read_says_what_was_not_found_and_what_is_near(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    assert await at.error("read", file_path="Garden/Clovr.md") == (
        "Error: Document not found: Garden/Clovr.md. Did you mean Garden/Clover.md?"
    )
    assert await at.error("read", file_path="zzz") == "Error: Document not found: zzz"
    assert "is a folder" in await at.error("read", file_path="Garden")


async def test_glob_lists_newest_first(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    assert await at.call("glob", pattern="**/*.md") == "\n".join(GARDEN)
    assert await at.call("glob", pattern="Garden/*.md") == "Garden/Clover.md\nGarden/Moss.md"
    assert (
        await at.call("glob", pattern="*.md", path="Garden") == "Garden/Clover.md\nGarden/Moss.md"
    )
    assert await at.call("glob", pattern="Garden/M*", path="Garden") == "Garden/Moss.md"
    assert await at.call("glob", pattern="{Home,Garden/Cl*}.md") == "Garden/Clover.md\nHome.md"
    assert await at.call("glob", pattern="**/*🌿*") == "日本/苔 🌿.md"
    assert await at.call("glob", pattern="nothing/**") == "No files found"
    assert "Folder does not exist: Nope" in await at.error("glob", pattern="*", path="Nope")


async def test_glob_says_how_many_it_left_out(desk: OpenDesk) -> None:
    at = await desk({f"n{n:03}.md": "x" for n in range(130)})
    text = await at.call("glob", pattern="*.md")
    assert text.count("\n") == 100
    assert text.endswith(
        "(Showing 100 of 130 matching files; 30 more are not listed."
        " Narrow the pattern or path to see the rest.)"
    )


async def test_grep_lists_documents_newest_first(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    assert await at.call("grep", pattern="[Mm]oss") == "\n".join(GARDEN)
    assert await at.call("grep", pattern="moss") == "Home.md"
    assert await at.call("grep", pattern="moss", **{"-i": True}) == "\n".join(GARDEN)
    assert await at.call("grep", pattern="静か") == "日本/苔 🌿.md"
    assert await at.call("grep", pattern="zzz") == "No matches found."


async def test_grep_shows_lines_with_context(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    assert await at.call("grep", pattern="Green|shade", output_mode="content") == (
        "Garden/Clover.md:3:Green and [[Moss|soft]].\n"
        "Garden/Moss.md:6:Loves shade. See [[Missing]]."
    )
    assert await at.call(
        "grep", pattern="Green|shade", output_mode="content", **{"-B": 1, "-A": 1}
    ) == (
        "Garden/Clover.md-2-\nGarden/Clover.md:3:Green and [[Moss|soft]].\n"
        "Garden/Clover.md-4-Bees like it.\n--\n"
        "Garden/Moss.md-5-\nGarden/Moss.md:6:Loves shade. See [[Missing]]."
    )
    assert await at.call("grep", pattern="Green", output_mode="content", **{"-n": False}) == (
        "Garden/Clover.md:Green and [[Moss|soft]]."
    )


async def test_grep_prints_overlapping_context_once(desk: OpenDesk) -> None:
    at = await desk({"a.md": "one\nfox\ntwo\nfox\nthree\nfour\nfive\nfox\n"})
    assert await at.call("grep", pattern="fox", output_mode="content", **{"-C": 1}) == (
        "a.md-1-one\na.md:2:fox\na.md-3-two\na.md:4:fox\na.md-5-three\n--\na.md-7-five\na.md:8:fox"
    )


async def test_grep_counts_limits_and_leaves_out_long_lines(desk: OpenDesk) -> None:
    notes = {f"{n}.md": "fox\n" * n for n in range(1, 5)} | {"long.md": "fox " + "x" * 600}
    at = await desk(notes)
    assert await at.call("grep", pattern="fox", output_mode="count", glob="[0-9].md") == (
        "1.md:1\n2.md:2\n3.md:3\n4.md:4"
    )
    assert await at.call("grep", pattern="fox", head_limit=2) == (
        "1.md\n2.md\n\n[Showing results with pagination = limit: 2]"
    )
    assert await at.call("grep", pattern="fox", output_mode="content", path="long.md") == (
        "long.md:1:[Omitted long matching line]"
    )
    everything = await at.call("grep", pattern="fox", output_mode="content", head_limit=0)
    assert everything.count("\n") == 10


async def test_grep_looks_in_a_folder_a_document_or_what_a_glob_names(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    assert (
        await at.call("grep", pattern="Moss", path="Garden/") == "Garden/Clover.md\nGarden/Moss.md"
    )
    assert await at.call("grep", pattern="Moss", path="Garden/Moss.md") == "Garden/Moss.md"
    assert await at.call("grep", pattern="Moss", glob="Home*") == "Home.md"
    assert await at.call("grep", pattern="Moss", type="markdown", glob="日本/**") == "日本/苔 🌿.md"
    assert "Unknown type: py" in await at.error("grep", pattern="Moss", type="py")
    assert "Path does not exist: Nope" in await at.error("grep", pattern="Moss", path="Nope")


async def test_grep_spans_lines_when_asked(desk: OpenDesk) -> None:
    at = await desk({"a.md": "start\nmiddle\nend\n", "b.md": "start\n", "c.md": "end\n"})
    assert await at.call("grep", pattern="start.*end", multiline=True) == "a.md"
    assert (
        await at.call("grep", pattern=r"start\s+mid", multiline=True, output_mode="content")
        == "a.md:1:start\na.md:2:middle"
    )


@pytest.mark.parametrize("pattern", ["(", "[", "a" * 10_000, r"(?=x)"])
async def test_grep_refuses_a_pattern_it_cannot_use(desk: OpenDesk, pattern: str) -> None:
    at = await desk(GARDEN)
    assert (await at.error("grep", pattern=pattern)).startswith("Invalid regex pattern: ")


async def test_grep_answers_a_pattern_that_hangs_others(desk: OpenDesk) -> None:
    at = await desk({"a.md": "a" * 50_000 + "!\n"})
    assert await at.call("grep", pattern="(a+)+$") == "No matches found."


async def test_get_links_lists_both_directions(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    assert await at.call("get_links", file_path="Garden/Moss.md") == (
        "Backlinks (documents linking to this):\n"
        "- Garden/Clover.md\n- Home.md\n- 日本/苔 🌿.md\n\n"
        "Forward links (documents this links to):\n- (none)\n\n"
        "Unresolved links:\n- Missing"
    )
    assert await at.call("get_links", file_path="Home") == (
        "Backlinks (documents linking to this):\n- (none)\n\n"
        "Forward links (documents this links to):\n- Garden/Clover.md\n- Garden/Moss.md"
    )


async def test_every_path_that_is_printed_is_taken(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    printed = set((await at.call("glob", pattern="**")).split("\n"))
    printed |= set((await at.call("grep", pattern=".")).split("\n"))
    links = await at.call("get_links", file_path="Garden/Moss.md")
    printed |= {line[2:] for line in links.split("\n") if line.endswith(".md")}
    assert printed == set(GARDEN)
    for path in printed:
        await at.call("read", file_path=path)
        await at.call("get_links", file_path=path)


_HOSTILE = json.loads((Path(__file__).parents[1] / "corpus" / "paths.json").read_text())["reject"]


async def test_no_hostile_path_is_let_in_anywhere(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    (at.folder.parent / "secret.md").write_text("TOPAZ")
    for case in _HOSTILE:
        path = case["path"]
        for tool, parameter in (("read", "file_path"), ("get_links", "file_path")):
            result = await at.client.call_tool(tool, {parameter: path})
            assert result.is_error, (tool, path)
            _holds_nothing_of_the_host(result.content[0].text, at)
        for tool in ("glob", "grep"):
            if path in (None, "", ".", "/", "null"):
                continue
            result = await at.client.call_tool(tool, {"pattern": "**", "path": path})
            answer = result.content[0].text
            assert result.is_error or answer in ("No files found", "No matches found."), (
                tool,
                path,
            )
            _holds_nothing_of_the_host(answer, at)


def _holds_nothing_of_the_host(text: str, at: Any) -> None:
    assert "TOPAZ" not in text
    assert str(at.folder) not in text
    assert "Traceback" not in text
    assert "Internal error" not in text


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("read", {}, "The required parameter `file_path` is missing."),
        ("read", {"file_path": 5}, "`file_path` must be text"),
        ("read", {"file_path": "Home.md", "bogus": 1}, "Unknown parameter `bogus`"),
        ("read", {"file_path": "Home.md", "limit": "many"}, "`limit` must be a number"),
        ("read", {"file_path": "a\0.md"}, "NUL"),
        ("glob", {}, "The required parameter `pattern` is missing."),
        ("grep", {"pattern": "x", "output_mode": "all"}, "`output_mode` must be one of"),
        ("grep", {"pattern": "x", "-C": -1}, "`-C` must be 0 or more"),
        ("get_links", {"file_path": ["Home.md"]}, "`file_path` must be text"),
    ],
)
async def test_a_wrong_argument_is_named(
    desk: OpenDesk, tool: str, arguments: dict[str, Any], complaint: str
) -> None:
    at = await desk(GARDEN)
    assert complaint in await at.error(tool, **arguments)


async def test_what_is_not_given_may_be_null(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    for nothing in (None, "null", "undefined"):
        assert await at.call("glob", pattern="Home.md", path=nothing) == "Home.md"
        assert await at.call("grep", pattern="Bees", path=nothing, head_limit=nothing, glob=nothing)
        assert await at.call("read", file_path="Home.md", offset=nothing, limit="2")


async def test_notes_that_cannot_be_shown_say_why(desk: OpenDesk) -> None:
    at = await desk(
        {"latin.md": b"caf\xe9", "nul.md": b"a\0", "ok.md": "fine"} | {"x.md/inside.md": "in"}
    )
    with (at.folder / "big.md").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    assert "not UTF-8" in await at.error("read", file_path="latin.md")
    assert await at.call("read", file_path="nul.md") == "     1\ta\u2400"
    assert "52.4 MB" in await at.error("read", file_path="big.md")
    assert "is a folder" in await at.error("read", file_path="x.md")
    assert await at.call("read", file_path="x.md/inside.md") == "     1\tin"


async def test_a_note_replaced_by_a_link_after_listing_is_not_followed(desk: OpenDesk) -> None:
    at = await desk(GARDEN)
    (at.folder.parent / "secret.md").write_text("TOPAZ")
    assert "Home.md" in await at.call("glob", pattern="**")
    (at.folder / "Home.md").unlink()
    (at.folder / "Home.md").symlink_to(at.folder.parent / "secret.md")
    assert "TOPAZ" not in await at.error("read", file_path="Home.md")


async def test_grep_goes_on_after_an_offset(desk: OpenDesk) -> None:
    at = await desk({f"n{n}.md": "x\n" for n in range(5)})
    assert await at.call("grep", pattern="x", head_limit=2, offset=2) == (
        "n2.md\nn3.md\n\n[Showing results with pagination = limit: 2, offset: 2]"
    )
    assert (await at.call("grep", pattern="x", head_limit=2, offset=4)).startswith("n4.md\n")


async def test_an_offset_of_nothing_is_the_first_line(desk: OpenDesk) -> None:
    at = await desk({"a.md": "one\ntwo\n"})
    assert await at.call("read", file_path="a.md", offset=0) == "     1\tone\n     2\ttwo"
