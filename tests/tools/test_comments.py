"""People's comments, from a file to an assistant that is asked to address them."""

import json

import pytest

from commonplace.core import critic
from commonplace.vault.search import comments
from tests.tools.conftest import OpenDesk
from tests.wait import becomes

pytestmark = pytest.mark.anyio

COMMENTED = (
    "# Plan\n\nThis paragraph is long. {>>Claude: please shorten this<<}\n"
    "An {==odd phrase==}{>>unclear?<<} here.\n"
)
NOTES = {"a.md": COMMENTED, "b.md": "please shorten nothing\n", "c.md": "crlf\r\nlines\r\n"}


async def test_grep_finds_comments_where_they_stand(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    lines = {"pattern": "please shorten", "output_mode": "content"}
    assert (await at.call("grep", **lines)).splitlines() == [
        "a.md:3:{>>Claude: please shorten this<<}",
        "b.md:1:please shorten nothing",
    ]
    assert await at.call("grep", pattern="please shorten") == "a.md\nb.md"
    assert await at.call("grep", pattern="unclear", output_mode="count") == "a.md:1"
    assert await at.call("grep", pattern="UNCLEAR", path="a.md", **{"-i": True}) == "a.md"
    assert await at.call("grep", pattern="unclear", glob="b*") == "No matches found."
    around = await at.call("grep", pattern="unclear|odd", output_mode="content", **{"-B": 1})
    assert around.splitlines() == [
        "a.md-3-This paragraph is long. ",
        "a.md:4:An odd phrase here.",
        "a.md:4:{>>unclear?<<}",
    ]
    searched = json.loads(await at.call("text_search", query="unclear"))
    assert [(each["line_number"], each["line_content"]) for each in searched["matches"]] == [
        (4, "{>>unclear?<<}")
    ]
    every = await at.call("grep", pattern=r"\{>>", output_mode="content")
    assert [line.split(":")[1] for line in every.splitlines()] == ["3", "4"]


async def test_comments_are_addressed_from_end_to_end(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    found = await at.call("grep", pattern=r"\{>>.*shorten", output_mode="content")
    path, line, _ = found.split(":", 2)
    shown = await at.call("read", file_path=path)
    assert f'L{line}: "Claude: please shorten this" on "This paragraph is long."' in shown
    old = shown.splitlines()[int(line) - 1].partition("\t")[2].strip()
    await at.call("edit", file_path=path, old_string=old, new_string="Short.")
    assert "please shorten this" in (at.folder / path).read_text("utf-8")
    (one,) = await at.vault.pending.listed(path)
    await at.vault.review.decide("accept", {path: [one.id]}, "Anna")
    text = (at.folder / path).read_text("utf-8")
    assert "\nShort. {>>" in text
    assert "accepted by Anna" in await at.call("read", file_path=path)
    (at.folder / path).write_text(text.replace("{>>Claude: please shorten this<<}", ""))

    await becomes(lambda: at.call("grep", pattern="shorten this"), "No matches found.")
    assert critic.remarks(await at.vault.texts.marked(path))[0].text == "unclear?"


@pytest.mark.parametrize("pattern", ["word 1_?203", "the end of a long one"])
async def test_every_comment_of_a_note_is_found(desk: OpenDesk, pattern: str) -> None:
    many = "".join(f"line {{>>word {number}<<}}\n" for number in range(1, 1_301))
    at = await desk({"a.md": f"{many}last {{>>{'far ' * 200}the end of a long one<<}}\n"})
    found = await at.call("grep", pattern=pattern, output_mode="content")
    line, shown = (1_203, "word 1203") if "word" in pattern else (1_301, "far far")
    assert found.startswith(f"a.md:{line}:{{>>{shown}")
    assert await at.call("grep", pattern="word", output_mode="count") == "a.md:1300"


async def test_notes_whose_comments_were_not_searched_are_told(
    desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comments, "_NOTES_MAX", 2)
    at = await desk({f"{folder}/a.md": "one {>>why?<<}\n" for folder in "bcd"})
    told = (
        "[Comments were searched in the 2 newest of 3 notes that may have some. Narrow path or"
        " glob to search those of others.]"
    )
    assert await at.blocks("grep", pattern="why") == ["b/a.md\nc/a.md", told]
    assert (await at.blocks("text_search", query="why"))[1:] == [told]
    assert await at.blocks("grep", pattern="why", path="d") == ["d/a.md"]
