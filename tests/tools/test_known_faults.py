"""Faults that comparable systems have, or had, with suggestions, each by name."""

from collections.abc import Callable
from typing import Any

import pytest

from commonplace.core import critic

pytestmark = pytest.mark.anyio

OpenDesk = Callable[[dict[str, Any]], Any]


async def file_text(at: Any, path: str = "a.md") -> str:
    await at.vault.notes.queue.flush_all()
    return (at.folder / path).read_text(encoding="utf-8")


async def edited(at: Any, old: str, new: str, **more: Any) -> str:
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string=old, new_string=new, **more)
    return await file_text(at)


async def decided(at: Any, verdict: str) -> str:
    ids = [one.id for one in await at.vault.pending.listed("a.md")]
    await at.vault.review.decide(verdict, {"a.md": ids}, "Anna")
    return await file_text(at)


async def test_a_pending_deletion_inside_an_edit_can_still_be_rejected(desk: OpenDesk) -> None:
    at = await desk({"a.md": "Hello {--beautiful --}world."})
    text = await edited(at, "Hello world.", "Hello earth.")
    assert critic.accepted(text) == "Hello earth."
    assert await decided(at, "reject") == "Hello beautiful world."


async def test_an_edit_taken_back_leaves_no_markup_that_changes_nothing(desk: OpenDesk) -> None:
    at = await desk({"a.md": "The quick fox.\n"})
    await edited(at, "quick", "slow")
    assert await edited(at, "slow", "quick") == "The quick fox.\n"


async def test_pending_suggestions_are_listed_a_line_each(desk: OpenDesk) -> None:
    at = await desk({"a.md": "one {--x--}{++a\nb++}\ntwo {++y++}\n"})
    shown = await at.call("read", file_path="a.md")
    rows = shown.partition("[Pending suggestions]\n")[2].splitlines()
    assert [row[:6] for row in rows] == ["  L1: ", "  L3: "]
    assert "[Pending suggestions]\n  L1: {--x--}{++a" in shown


async def test_a_replacement_in_one_mark_is_read_and_edited_as_what_it_will_be(
    desk: OpenDesk,
) -> None:
    at = await desk({"a.md": "An {~~old~>new~~} word.\n"})
    assert (await at.call("read", file_path="a.md")).startswith("     1\tAn new word.\n")
    assert (await at.blocks("grep", pattern="An new word"))[0] == "a.md"
    await edited(at, "new word", "newer word")
    assert await at.vault.texts.accepted("a.md") == "An newer word.\n"
    assert await decided(at, "reject") == "An old word.\n"


async def test_an_empty_document_is_edited_and_the_edit_rejected(desk: OpenDesk) -> None:
    at = await desk({"a.md": ""})
    assert await edited(at, "", "text") == "{++text++}"
    assert await decided(at, "reject") == ""


async def test_grep_has_the_line_numbers_of_read_whatever_is_pending(desk: OpenDesk) -> None:
    text = (
        'one\n{--gone\ngone too\n--}{++{"author":"Ann"}@@new\nmore\n++}last {==lit==}{>>a\nb<<}\n'
    )
    at = await desk({"a.md": text})
    shown = await at.call("read", file_path="a.md")
    assert "     4\tlast lit\n" in shown
    assert await at.call("grep", pattern="last lit", output_mode="content") == "a.md:4:last lit"
    for hidden in ("gone", "Ann", "author"):
        assert await at.call("grep", pattern=hidden) == "No matches found."


async def test_what_was_read_in_part_or_long_ago_is_not_overwritten(desk: OpenDesk) -> None:
    at = await desk({"a.md": "first\nsecond\nthird\n"})
    await at.call("read", file_path="a.md", limit=1)
    (at.folder / "a.md").write_text("first\nchanged by a person\nthird\n")
    wrong = {"file_path": "a.md", "old_string": "second", "new_string": "2nd"}
    assert "Document changed since last read" in await at.error("edit", **wrong)
    assert await file_text(at) == "first\nchanged by a person\nthird\n"


@pytest.mark.parametrize("name", ["Ünï/日本 語.md", "a b/c (d) [e].md", "😀.md"])
async def test_a_path_that_one_tool_prints_is_taken_by_all(desk: OpenDesk, name: str) -> None:
    at = await desk({name: "needle here\n"})
    (found,) = (await at.call("grep", pattern="needle")).splitlines()
    assert found == await at.call("glob", pattern="**/*.md") == name
    await at.call("read", file_path=found)
    edit = {"file_path": found, "old_string": "needle", "new_string": "pin"}
    assert (await at.call("edit", **edit)).startswith(f"Edited {name}: ")
    assert [one.path for one in await at.vault.pending.listed(found)] == [name]


async def test_highlighted_text_is_part_of_what_is_read(desk: OpenDesk) -> None:
    at = await desk({"a.md": "a {==bright==} word {>>why?<<}\n"})
    page, _, below = (await at.call("read", file_path="a.md")).partition("\n\n")
    assert page == "     1\ta bright word "
    assert below.startswith("[Comments]")
    assert "why?" in below
    assert await at.call("grep", pattern="a bright word") == "a.md"


async def test_text_beyond_ascii_is_cut_at_no_byte(desk: OpenDesk) -> None:
    at = await desk({"a.md": "😀漢{--é--}{++e\u0301++}👩‍👧 end\n" * 3})
    text = await edited(at, "👩‍👧 end\n😀", "👩‍👧‍👦 fin\n🙂", replace_all=True)
    assert critic.accepted(text).count("👩‍👧‍👦 fin\n🙂漢") == 2
    assert await decided(at, "reject") == "😀漢é👩‍👧 end\n" * 3


async def test_a_retry_nests_nothing_even_over_other_suggestions(desk: OpenDesk) -> None:
    at = await desk({"a.md": "The {--cat--}{++dog++} sat on a cat.\n"})
    first = await edited(at, "dog sat", "dog sat down")
    for _ in range(3):
        assert await edited(at, "dog sat", "dog sat down") == first
    assert not [sign for sign in critic.DELIMITERS if sign in critic.accepted(first)]
    assert critic.base(first) == "The cat sat on a cat.\n"


@pytest.mark.parametrize("text", ["dog++} INJECTED {++x", "{--", "<<}", "a==}b", "{i++}"])
async def test_no_text_of_an_edit_can_end_the_markup_around_it(desk: OpenDesk, text: str) -> None:
    at = await desk({"a.md": "The cat sat.\n"})
    marked = await edited(at, "cat", text)
    assert critic.accepted(marked) == f"The {text} sat.\n"
    assert await decided(at, "reject") == "The cat sat.\n"


@pytest.mark.parametrize("text", ["{>>note<<}", "{++dog++}", "a {==b==}", "{{-- blade --}}"])
@pytest.mark.parametrize("where", ["old_string", "new_string"])
async def test_text_that_is_markup_is_refused(desk: OpenDesk, text: str, where: str) -> None:
    at = await desk({"a.md": "The cat sat.\n"})
    await at.call("read", file_path="a.md")
    edit = {"old_string": "cat", "new_string": "dog"} | {where: text}
    error = await at.error("edit", file_path="a.md", **edit)
    assert f"{where} contains CriticMarkup syntax" in error
    assert await file_text(at) == "The cat sat.\n"


@pytest.mark.parametrize("code", ["for(;;){i++}", "{{!-- x --}}", "{{-- x --}}", "f() {--i;}"])
async def test_code_is_edited_as_old_and_as_new_text(desk: OpenDesk, code: str) -> None:
    at = await desk({"a.md": "a\n```\nword\n```\nb\n"})
    await edited(at, "word", code)
    assert await decided(at, "accept") == f"a\n```\n{code}\n```\nb\n"
    await at.call("read", file_path="a.md")
    await edited(at, code, "word")
    assert await decided(at, "reject") == f"a\n```\n{code}\n```\nb\n"


async def test_two_harmless_texts_cannot_join_to_a_delimiter(desk: OpenDesk) -> None:
    at = await desk({"a.md": "{- x -}\n"})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="- x", new_string="-- x")
    error = await at.error("edit", file_path="a.md", old_string="x -", new_string="x --")
    assert "CriticMarkup" in error
    assert critic.base(await file_text(at)) == "{- x -}\n"


async def test_no_tool_lets_an_assistant_decide(desk: OpenDesk) -> None:
    at = await desk({"a.md": "The {--cat--}{++dog++} sat.\n"})
    tools = (await at.client.list_tools()).tools
    words = ("accept", "reject", "review", "approve", "decide")
    assert not [tool.name for tool in tools if any(word in tool.name for word in words)]
    await edited(at, "sat", "stood")
    assert len(await at.vault.pending.listed("a.md")) == 2
    assert critic.base(await file_text(at)) == "The cat sat.\n"


async def test_a_remark_of_a_person_survives_every_edit_around_it(desk: OpenDesk) -> None:
    at = await desk({"a.md": 'A cat{>>{"author":"Ann"}@@is it?<<} sat{>>yes<<}.\n'})
    text = await edited(at, "A cat sat.", "A dog stood.")
    assert '{>>{"author":"Ann"}@@is it?<<}' in text
    assert "{>>yes<<}" in text
    assert "{>>" in await decided(at, "accept")
