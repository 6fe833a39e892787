"""The `notes` tools that read, and what every tool of the family promises."""

import json
from typing import Any

import pytest

from tests.tools.conftest import Desk, OpenDesk

pytestmark = pytest.mark.anyio

NOTES: dict[str, str | bytes] = {
    "projects/work/proposal.md": (
        "---\ntags: [project, important]\nstatus: draft\ncreated: 2025-11-20\n---\n\n"
        "# Proposal\n\n## Plan\n\nSee [[tasks]] and [[Ideas]].\n\n```py\nx = 1\n```\n"
    ),
    "projects/work/tasks.md": "## Open Items\n\n- TODO: Finish it\n- TODO: Write tests\n",
    "projects/old.md": "---\nstatus: done\ntags: project/old\n---\nOld todo things 漢字\n",
    "Ideas.md": "one\ntwo\nthree\nfour\nfive\n",
    "empty.md": "",
    "bad.md": b"\xff\xfe",
}


async def answered(desk: Desk, tool: str, **arguments: Any) -> dict[str, Any]:
    return json.loads(await desk.call(tool, **arguments))


async def test_read_note_gives_the_whole_file(desk: OpenDesk):
    at = await desk(NOTES)
    assert await answered(at, "read_note", path="projects/work/tasks.md") == {
        "path": "projects/work/tasks.md",
        "content": NOTES["projects/work/tasks.md"],
        "total_lines": 4,
        "lines_returned": 4,
    }
    assert (await answered(at, "read_note", path="projects/old"))["content"].startswith("---\n")
    assert await answered(at, "read_note", path="empty.md") == {
        "path": "empty.md", "content": "", "total_lines": 0, "lines_returned": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "content", "returned"),
    [
        ({"start_line": 2, "end_line": 3}, "two\nthree", 2),
        ({"end_line": 2}, "one\ntwo", 2),
        ({"start_line": 4}, "four\nfive", 2),
        ({"start_line": 5, "end_line": 99}, "five", 1),
        ({"start_line": 6}, "", 0),
        ({"start_line": "2", "end_line": "2"}, "two", 1),
    ],
)
async def test_read_note_gives_a_range_of_lines(
    desk: OpenDesk, lines: dict[str, Any], content: str, returned: int
):
    at = await desk(NOTES)
    assert await answered(at, "read_note", path="Ideas.md", **lines) == {
        "path": "Ideas.md", "content": content, "total_lines": 5, "lines_returned": returned,
    }  # fmt: skip


async def test_read_note_says_what_is_wrong(desk: OpenDesk):
    at = await desk(NOTES)
    backwards = await at.error("read_note", path="Ideas.md", start_line=3, end_line=2)
    assert backwards == "Error: `start_line` (3) is after `end_line` (2)."
    assert "must be at least 1" in await at.error("read_note", path="Ideas.md", start_line=0)
    missing = await at.error("read_note", path="Idea.md")
    assert missing == "Error: Document not found: Idea.md. Did you mean Ideas.md?"
    assert "is not UTF-8 text" in await at.error("read_note", path="bad.md")
    assert "is a folder" in await at.error("read_note", path="projects")


async def test_read_note_counts_as_reading_and_reads_the_accepted_view(desk: OpenDesk):
    at = await desk({"a.md": "one {--two--}{++zwei++} three\n"})
    assert (await answered(at, "read_note", path="a.md"))["content"] == "one zwei three\n"
    await at.call("edit", file_path="a.md", old_string="three", new_string="drei")


async def test_read_metadata_tells_properties_and_figures(desk: OpenDesk):
    at = await desk(NOTES)
    assert await answered(at, "read_metadata", path="projects/work/proposal.md") == {
        "path": "projects/work/proposal.md",
        "frontmatter": {
            "tags": ["project", "important"],
            "status": "draft",
            "created": "2025-11-20",
        },
        "stats": {
            "word_count": 9,
            "char_count": len(str(NOTES["projects/work/proposal.md"]).partition("---\n\n")[2]),
            "heading_count": 2,
            "code_block_count": 1,
            "wikilink_count": 2,
        },
        "modified": "2030-03-17T17:46:40Z",
    }
    assert "not UTF-8" in await at.error("read_metadata", path="bad.md")
    assert "Document not found" in await at.error("read_metadata", path="nowhere.md")


async def test_list_notes_lists_a_folder(desk: OpenDesk):
    at = await desk(NOTES)
    assert await answered(at, "list_notes", folder="projects", recursive=False) == {
        "folder": "projects",
        "notes": [
            {
                "path": "projects/old.md",
                "name": "old.md",
                "word_count": 5,
                "modified": "2030-03-17T17:46:38Z",
            }
        ],
        "count": 1,
    }
    deep = await answered(at, "list_notes", folder="projects/", include_frontmatter=True)
    assert [note["path"] for note in deep["notes"]] == [
        "projects/old.md", "projects/work/proposal.md", "projects/work/tasks.md",
    ]  # fmt: skip
    assert deep["notes"][0]["frontmatter"] == {"status": "done", "tags": "project/old"}
    assert deep["notes"][2]["frontmatter"] == {}
    assert deep["count"] == 3
    everything = await answered(at, "list_notes")
    assert (everything["folder"], everything["count"]) == ("", 6)
    top = await answered(at, "list_notes", recursive=False)
    assert [note["name"] for note in top["notes"]] == ["Ideas.md", "bad.md", "empty.md"]
    missing = await at.error("list_notes", folder="nowhere")
    assert missing == "Error: Folder does not exist: nowhere"


async def test_text_search_finds_lines_with_their_context(desk: OpenDesk):
    at = await desk(NOTES)
    found = await answered(at, "text_search", query="todo: f")
    assert found == {
        "query": "todo: f",
        "matches": [
            {
                "path": "projects/work/tasks.md",
                "line_number": 3,
                "line_content": "- TODO: Finish it",
                "context_before": ["## Open Items", ""],
                "context_after": ["- TODO: Write tests"],
            }
        ],
        "count": 1,
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ({"query": "TODO"}, [3, 4, 5]),
        ({"query": "TODO", "case_insensitive": False}, [3, 4]),
        ({"query": r"regex:^t\w+$"}, [2, 3]),
        ({"query": r"t\w+"}, []),
        ({"query": "x = 1"}, [14]),
        ({"query": "{}[]().*+?^$|\\#&-~"}, []),
        ({"query": "two\nthree"}, [2, 3]),
        ({"query": "TODO", "folder": "projects/work"}, [3, 4]),
        ({"query": "regex:"}, None),
    ],
)
async def test_text_search_takes_plain_texts_and_patterns(
    desk: OpenDesk, asked: dict[str, Any], lines: list[int] | None
):
    at = await desk(NOTES)
    if lines is None:
        assert await at.error("text_search", **asked) == (
            "Error: `query` is empty. Say what to search for."
        )
        return
    found = await answered(at, "text_search", **asked)
    assert sorted(match["line_number"] for match in found["matches"]) == lines
    assert (found["count"], found["truncated"]) == (len(lines), False)


async def test_text_search_says_when_the_limit_cut(desk: OpenDesk):
    at = await desk({f"{n}.md": "same\nsame\n" for n in range(8)})
    found = await answered(at, "text_search", query="same")
    assert (found["count"], found["truncated"], found["notes_with_matches"]) == (10, True, 8)
    assert found["more"].startswith("Set limit (at most 100)")
    found = await answered(at, "text_search", query="same", limit=16)
    assert (found["count"], found["truncated"]) == (16, False)
    assert "at most 100" in await at.error("text_search", query="same", limit=101)
    assert (await at.error("text_search", query="regex:(")).startswith("Invalid regex pattern: ")
    missing = await at.error("text_search", query="x", folder="nowhere")
    assert missing == "Error: Folder does not exist: nowhere"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status": "draft"}, ["projects/work/proposal.md"]),
        ({"status": ["draft", "done"]}, ["projects/work/proposal.md", "projects/old.md"]),
        ({"tags": ["project"]}, ["projects/work/proposal.md", "projects/old.md"]),
        ({"tags": "#Project/Old"}, ["projects/old.md"]),
        ({"status": "draft", "tags": "important"}, ["projects/work/proposal.md"]),
        ({"status": "done", "tags": "important"}, []),
        ({"created": "2025-11-20"}, ["projects/work/proposal.md"]),
        ({"nothing": 1}, []),
    ],
)
async def test_property_search_matches_all_keys_and_any_value(
    desk: OpenDesk, query: dict[str, Any], found: list[str]
):
    at = await desk(NOTES)
    answer = await answered(at, "property_search", properties=query)
    assert answer["properties"] == query
    assert [match["path"] for match in answer["matches"]] == found
    assert answer["count"] == len(found)


async def test_property_search_gives_properties_and_words_and_keeps_its_limit(desk: OpenDesk):
    at = await desk(NOTES)
    query = {"status": ["draft", "done"]}
    answer = await answered(at, "property_search", properties=query, limit=1)
    assert answer["matches"] == [
        {
            "path": "projects/work/proposal.md",
            "frontmatter": {
                "tags": ["project", "important"],
                "status": "draft",
                "created": "2025-11-20",
            },
            "word_count": 9,
        }
    ]
    assert answer["count"] == 1
    assert "an object" in await at.error("property_search", properties="status")
    assert "plain values" in await at.error("property_search", properties={"a": [{"b": 1}]})
    assert "must be 1 or more" in await at.error("property_search", properties={}, limit=0)


async def test_get_kiln_info_counts_what_there_is(desk: OpenDesk):
    at = await desk(NOTES)
    plain = await answered(at, "get_kiln_info")
    size = sum(len(n if isinstance(n, bytes) else n.encode()) for n in NOTES.values())
    assert plain == {
        "roots": [{"uri": "note:///", "name": "vault"}],
        "stats": {
            "total_notes": 6,
            "total_size_bytes": size,
            "total_words": plain["stats"]["total_words"],
            "indexed_notes": 5,
            "pending_index": 0,
        },
    }
    assert plain["stats"]["total_words"] == 27
    detailed = (await answered(at, "get_kiln_info", detailed=True))["stats"]
    assert detailed["index_size_bytes"] > 10_000
    wanted = ("tags", "links", "broken_links", "orphans", "embedding_model")
    assert [detailed[name] for name in wanted] == [3, 2, 0, 3, None]
    assert str(at.folder.parent) not in json.dumps(detailed)


async def test_get_kiln_info_counts_again_what_has_changed(desk: OpenDesk):
    at = await desk({"a.md": "one [[b]]\n", "b.md": "two\n"}, create="allow")

    async def counted() -> tuple[int, int, int]:
        stats = (await answered(at, "get_kiln_info", detailed=True))["stats"]
        return stats["total_notes"], stats["orphans"], stats["links"]

    assert await counted() == (2, 0, 1)
    await answered(at, "create_note", path="c.md", content="alone\n")
    assert await counted() == (3, 1, 1)


async def test_every_hostile_path_is_refused_by_every_tool_that_takes_one(desk: OpenDesk):
    at = await desk(NOTES, create="allow", update="allow", delete="allow")
    before = sorted(str(path) for path in at.folder.parent.rglob("*") if "state" not in str(path))
    for path in ("../a.md", "/etc/passwd.md", "a/../b.md", ".git/x.md", "C:\\x.md", "a\x00.md"):
        for tool, more in (
            ("read_note", {}),
            ("read_metadata", {}),
            ("create_note", {"content": "x"}),
            ("update_note", {"content": "x"}),
            ("delete_note", {}),
        ):
            error = await at.error(tool, path=path, **more)
            assert error.startswith("Error: "), (tool, path, error)
            assert str(at.folder.parent) not in error
    after = sorted(str(path) for path in at.folder.parent.rglob("*") if "state" not in str(path))
    assert before == after
