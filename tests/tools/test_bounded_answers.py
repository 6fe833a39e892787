"""Every answer is bounded, tells the total and how to get more; a cut text is not written back."""

import json
from pathlib import Path
from typing import Any

import pytest

from commonplace.core.scopes import HOLDER_PREFIX
from commonplace.core.text.line_pages import LinePage
from commonplace.errors import PartRead
from commonplace.tools.table import Actor
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.suggestions import read_guard
from tests.tools.conftest import Desk, OpenDesk
from tests.tools.test_learning import process

pytestmark = pytest.mark.anyio

LONG = "".join(f"line {number} {'word ' * 20}\n" for number in range(1, 6_001))


async def test_a_long_note_is_read_in_parts(desk: OpenDesk) -> None:
    at = await desk({"long.md": LONG, "wide.md": ("x" * 1_900 + "\n") * 900})
    note = json.loads(await at.call("read_note", path="long.md"))
    assert len(note["content"]) <= 200_000
    shown = note["lines_returned"]
    assert 0 < shown < note["total_lines"] == 6_000
    assert note["truncated"] is True
    assert note["more"] == f"Read on with start_line={shown + 1}."
    rest = note["content"] + "\n"
    while note.get("truncated"):
        first = rest.count("\n") + 1
        note = json.loads(await at.call("read_note", path="long.md", start_line=first))
        rest += note["content"] + ("\n" if note.get("truncated") else "")
    assert rest.removesuffix("\n") == LONG.removesuffix("\n")
    wide = await at.call("read", file_path="wide.md")
    assert len(wide) < 220_000
    assert "of 900. Use offset=" in wide


async def test_a_list_of_very_many_notes_tells_how_many_there_are(desk: OpenDesk) -> None:
    notes = {f"d{n % 3}/n{n}.md": f"---\nk: 1\n---\n#t {n}\n" for n in range(620)}
    at = await desk(notes)
    listed = json.loads(await at.call("list_notes"))
    assert (len(listed["notes"]), listed["count"], listed["total"]) == (500, 500, 620)
    assert listed["truncated"] is True
    assert "folder" in listed["more"]
    part = json.loads(await at.call("list_notes", folder="d1"))
    assert part["count"] == 207
    assert "total" not in part
    found = json.loads(await at.call("property_search", properties={"k": 1}))
    assert (found["count"], found["total"], found["truncated"]) == (10, 620, True)
    assert "limit" in found["more"]
    few = json.loads(await at.call("property_search", properties={"k": 2}))
    assert "total" not in few


async def test_a_list_of_nodes_tells_how_many_carry_the_tags(desk: OpenDesk) -> None:
    at = await desk({f"n{n}.md": f"#t {n}\n" for n in range(30)})
    result = await at.client.call_tool("search_by_tags", {"tags": ["t"]})
    texts = [str(getattr(block, "text", "")) for block in result.content]
    assert len(json.loads(texts[0])) == 20
    assert texts[1] == "[Showing 20 of 30. Set limit (at most 100) to see more.]"
    result = await at.client.call_tool("search_by_tags", {"tags": ["t"], "limit": 30})
    assert len(result.content) == 1


async def test_very_many_comments_are_counted(desk: OpenDesk) -> None:
    at = await desk({"a.md": "word {>>why?<<}\n" * 230})
    read = await at.call("read", file_path="a.md")
    assert read.endswith('L200: "why?" on "word"\n  … and 30 more')
    for tool, name in (("read_note", "path"), ("get_node", "id")):
        told = json.loads(await at.call(tool, **{name: "a.md"}))
        assert (len(told["comments"]), told["comments_total"]) == (200, 230)


async def written_back(at: Desk, **arguments: Any) -> str:
    return await at.error("update_note", path="long.md", content="mine\n", **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"file_path": "long.md"}),
        ("read", {"file_path": "long.md", "offset": 2, "limit": 9_000}),
        ("read_note", {"path": "long.md"}),
        ("read_note", {"path": "long.md", "start_line": 2}),
        ("get_node", {"id": "long.md"}),
    ],
)
async def test_a_text_of_which_part_was_read_is_not_written_back(
    desk: OpenDesk, tool: str, arguments: dict[str, Any]
) -> None:
    at = await desk({"long.md": LONG}, update="allow")
    await at.call(tool, **arguments)
    error = await written_back(at)
    assert "only part of long.md" in error
    assert "edit" in error
    assert (at.folder / "long.md").read_text("utf-8") == LONG
    node = await at.error("update_node", id="long.md", content="mine\n")
    assert "only part of long.md" in node
    assert json.loads(node)["error"]["code"] == "PERMISSION_DENIED"
    assert await at.call("update_note", path="long.md", frontmatter={"a": 1})


async def test_a_text_that_was_read_in_parts_may_be_written_back(desk: OpenDesk) -> None:
    at = await desk({"long.md": LONG, "short.md": "a\n"}, update="allow")
    for offset in range(1, 6_001, 1_500):
        await at.call("read", file_path="long.md", offset=offset, limit=1_500)
    assert await at.call("update_note", path="long.md", content="mine\n")
    assert await at.call("update_note", path="long.md", content="mine again\n")
    for tool, name in (("read", "file_path"), ("read_note", "path"), ("get_node", "id")):
        await at.call(tool, **{name: "short.md"})
        assert await at.call("update_note", path="short.md", content=f"{tool}\n")


READ_IN_PART = [
    ("read", {"file_path": "long.md"}),
    ("read_note", {"path": "long.md", "start_line": 2}),
    ("get_node", {"id": "long.md"}),
]


@pytest.mark.parametrize(("tool", "arguments"), READ_IN_PART)
@pytest.mark.parametrize("renamed", [False, True], ids=["", "renamed"])
async def test_a_text_that_another_connection_read_in_part_is_not_written_back(
    tmp_path: Path, tool: str, arguments: dict[str, Any], renamed: bool
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/long.md").write_text(LONG)
    async with process(tmp_path, 1, rename="allow") as first:
        await first.call(tool, **arguments)
        if renamed:
            await first.call("update_node", id="long.md", title="Other")
    path = "other.md" if renamed else "long.md"
    for number in (2, 3):  # it holds for as long as the rest was not read
        async with process(tmp_path, number, update="allow") as later:
            error = await later.error("update_note", path=path, content="mine\n")
            assert f"only part of {path}" in error
    async with process(tmp_path, 4, update="allow") as last:
        for line in range(1, 7_501, 1_500):
            await last.call("read_note", path=path, start_line=line, end_line=line + 1_499)
    async with process(tmp_path, 5, update="allow") as other:
        assert await other.call("update_note", path=path, content="mine\n")


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        (Actor("process:1", "Ann"), Actor("process:2", "Ann"), True),
        (Actor("process:1", "Ann"), Actor("process:2", "Bo"), False),
        (Actor(f"{HOLDER_PREFIX}a", "Ann"), Actor(f"{HOLDER_PREFIX}a", "Bo"), True),
        (Actor(f"{HOLDER_PREFIX}a", "Ann"), Actor(f"{HOLDER_PREFIX}b", "Ann"), False),
    ],
    ids=["name", "another name", "token", "another token"],
)
async def test_an_assistant_is_known_by_its_token_else_by_its_name(
    desk: OpenDesk, first: Actor, second: Actor, refused: bool
) -> None:
    at = await desk({"a.md": "one\ntwo\n"}, update="allow")
    reader, page = at.vault.reader, LinePage(1, 1, 2)
    await reader.read("a.md", first.id, first.name)
    await reader.show("a.md", first.id, first.name, page)
    wish = at.vault.write.revision("a.md", "mine\n", None, Asker(second.id, second.name))
    if refused:
        with pytest.raises(PartRead):
            await wish
    else:
        assert await wish


async def test_no_more_of_them_are_remembered_than_there_is_room_for(
    desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_guard, "CUT_READINGS_MAX", 2)
    at = await desk({f"{name}.md": "one\ntwo\n" for name in "abc"})
    for name in "abc":
        await at.vault.reader.cuts.put("name:Ann", f"{name}.md", 2)
    await at.vault.reader.cuts.refuse("name:Ann", "a.md")
    for name in "bc":
        with pytest.raises(PartRead):
            await at.vault.reader.cuts.refuse("name:Ann", f"{name}.md")
