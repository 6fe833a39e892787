"""Change sets as assistants meet them: named, pointed to, and told what became of them."""

from pathlib import Path

import pytest

from commonplace.tools import history, sets
from commonplace.tools.table import Actor, Answer, Call, Toolbox
from commonplace.vault.open import open_vault
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.tools.conftest import OpenDesk, every_tool
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio

PAGE = "http://127.0.0.1:8420/"
CLAUDE = Call(Actor("session:1", "Claude", page=PAGE))


@pytest.fixture
async def box(tmp_path: Path):
    folder = tmp_path / "vault"
    folder.mkdir()
    write(folder, {"a.md": "A red folder.\n", "b.md": "Calm.\n"})
    async with open_vault(Settings((Root("vault", folder),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        every = [*every_tool(vault), *history.tools(vault)]
        tools = [sets.telling(vault, tool) for tool in every]
        yield vault, Toolbox(tools)


Box = tuple[Vault, Toolbox]


async def edit(box: Toolbox, call: Call = CLAUDE, old: str = "red", new: str = "green") -> Answer:
    await box.call("read", {"file_path": "a.md"}, call)
    return await box.call("edit", {"file_path": "a.md", "old_string": old, "new_string": new}, call)


async def test_an_assistant_names_its_changes(desk: OpenDesk) -> None:
    at = await desk({"a.md": "Hello.\n"})
    said = await at.call("describe_changes", title="Rename the garden terms", why="They differ.")
    assert said == (
        "Set 1 collects what you write next. A person decides it on the page, which nobody serves"
        " now: `commonplace serve` opens it, and it is there under Review."
    )
    said = await at.call("describe_changes", title="Rename the garden terms", ready=True)
    assert said.startswith("Set 1 is ready for review.")
    (one,) = at.vault.sets.kept.store.sets.values()
    assert one.title == "Rename the garden terms"
    assert "title is empty" in await at.error("describe_changes", title=" ")


async def test_an_answer_that_leaves_something_to_decide_says_where(box: Box) -> None:
    _, tools = box
    answer = await edit(tools)
    where = f"Part of set 1. A person decides it on the page: {PAGE}#set!1"
    assert answer.text.startswith("Edited a.md: replaced 3 characters.")
    assert answer.notes == (where,)
    parked = await tools.call("delete_note", {"path": "b.md"}, CLAUDE)
    assert parked.is_error
    assert parked.text.endswith(where)
    read = await tools.call("read", {"file_path": "b.md"}, CLAUDE)
    assert len(read.blocks) == 1


async def test_what_was_decided_is_told_once_and_by_set(box: Box) -> None:
    vault, tools = box
    await tools.call("describe_changes", {"title": "Colours\nof things"}, CLAUDE)
    await edit(tools)
    await edit(tools, old="folder", new="crate")
    first, second = (await vault.sets.reader.get(1)).pending
    await vault.sets.decisions.decide(1, "accept", Chosen({"a.md": [first.id]}), "Ann")
    await vault.sets.decisions.decide(
        1, "reject", Chosen({"a.md": [second.id]}), "Ann", "folder IS red"
    )
    other = Call(Actor("session:2", "Cursor"))
    assert len((await tools.call("read", {"file_path": "b.md"}, other)).blocks) == 1
    read = await tools.call("read", {"file_path": "b.md"}, CLAUDE)
    told = 'Set 1 Colours of things: 1 accepted, 1 rejected ("folder IS red").'
    assert read.blocks[1:] == (told,)
    assert len((await tools.call("read", {"file_path": "b.md"}, CLAUDE)).blocks) == 1


async def test_what_is_sent_back_is_told(box: Box) -> None:
    vault, tools = box
    await edit(tools)
    await edit(tools, old="folder", new="crate")
    first, _ = (await vault.sets.reader.get(1)).pending
    await vault.sets.decisions.decide(1, "reject", Chosen({"a.md": [first.id]}), "Ann")
    await vault.sets.kept.send_back(1, "Keep the table")
    read = await tools.call("read", {"file_path": "b.md"}, CLAUDE)
    assert read.blocks[1].endswith("A person sent it back: Keep the table.")
    await vault.sets.kept.send_back(1, "Is it a table?")
    read = await tools.call("read", {"file_path": "b.md"}, CLAUDE)
    assert read.blocks[1].endswith("A person sent it back: Is it a table?")


async def test_what_became_of_a_tokens_set_is_told_to_nobody_else_of_its_name(box: Box) -> None:
    """Any program can call itself as it likes, and what was told once is not told again."""
    vault, tools = box
    named, held = Actor("session:2", "Cursor"), Actor("token:1", "Cursor")
    for owner, other in ((held, named), (named, held)):
        number = len(vault.sets.kept.store.sets) + 1
        await edit(tools, Call(owner), *(("red", "green") if number == 1 else ("folder", "crate")))
        await vault.sets.kept.send_back(number, "Keep it")
        told = [
            (await tools.call("read", {"file_path": "a.md"}, Call(each))).notes
            for each in (other, owner)
        ]
        assert told[0] == ()
        assert len(told[1]) == 1


async def test_a_withdrawn_write_is_told_to_its_set(box: Box) -> None:
    vault, tools = box
    await edit(tools)
    await tools.call("delete_note", {"path": "b.md"}, CLAUDE)
    assert (await vault.sets.reader.get(1)).summary.counts.waiting == 2
    said = await tools.call("withdraw_changes", {}, CLAUDE)
    assert "a.md: 1 withdrawn" in said.text
    counts = (await vault.sets.reader.get(1)).summary.counts
    assert (counts.waiting, counts.withdrawn, counts.rejected) == (0, 2, 0)
    assert (await vault.sets.reader.get(1)).summary.state == "withdrawn"
    assert await vault.permissions.waiting() == []
    again = await tools.call("delete_note", {"path": "b.md"}, CLAUDE)
    assert "It waits as number 2" in again.text


async def test_a_denied_write_is_told_by_the_next_read(box: Box) -> None:
    vault, tools = box
    await tools.call("delete_note", {"path": "b.md"}, CLAUDE)
    await tools.call("read", {"file_path": "a.md"}, CLAUDE)
    (one,) = await vault.permissions.waiting()
    await vault.permissions.deny(one.id, "Ann", "Keep it.")
    said = await tools.call("read", {"file_path": "a.md"}, CLAUDE)
    assert said.notes == ('Set 1: 1 rejected ("Keep it.").',)
    assert (await tools.call("read", {"file_path": "a.md"}, CLAUDE)).notes == ()


async def test_an_assistant_withdraws_one_of_its_sets_and_no_other(box: Box) -> None:
    vault, tools = box
    await edit(tools)
    await tools.call("describe_changes", {"title": "First", "ready": True}, CLAUDE)
    await edit(tools, old="folder", new="crate")
    await tools.call("delete_note", {"path": "b.md"}, CLAUDE)
    said = await tools.call("withdraw_changes", {"set": 2}, CLAUDE)
    assert said.text.splitlines()[0] == "a.md: 1 withdrawn"
    assert "A {--red--}{++green++} folder." in await vault.texts.marked("a.md")
    assert (await vault.sets.reader.get(2)).summary.state == "withdrawn"
    assert (await vault.sets.reader.get(1)).summary.counts.waiting == 1
    other = Call(Actor("session:9", "Cursor"))
    assert "Nothing of yours" in (await tools.call("withdraw_changes", {"set": 1}, other)).text
    assert (await tools.call("withdraw_changes", {"set": 7}, CLAUDE)).is_error


async def test_history_tells_what_became_of_each_change_of_a_set(box: Box) -> None:
    vault, tools = box
    await edit(tools)
    await edit(tools, old="folder", new="crate")
    await tools.call("delete_note", {"path": "b.md"}, CLAUDE)
    first, _ = (await vault.sets.reader.get(1)).pending
    await vault.sets.decisions.decide(
        1, "reject", Chosen({"a.md": [first.id]}, [1]), "Ann", "folder IS red"
    )
    lines = (await tools.call("history", {"set": 1}, CLAUDE)).text.splitlines()
    assert lines == [
        "Set 1 (partly decided), 3 changes:",
        "a.md, suggestion: waiting",
        "    - folder",
        "    + crate",
        'a.md, suggestion: rejected by Ann ("folder IS red")',
        "    - red",
        "    + green",
        'b.md, delete: rejected ("folder IS red")',
    ]
    part = await tools.call("history", {"set": 1, "limit": 1, "offset": 1}, CLAUDE)
    assert part.text.endswith("… and 1 more; raise offset to see them.")
    assert "There is no change set 9" in (await tools.call("history", {"set": 9}, CLAUDE)).text
    read = await tools.call("read", {"file_path": "b.md"}, CLAUDE)
    assert read.blocks[1].startswith('Set 1: 2 rejected, 1 waiting ("folder IS red").')


async def test_a_call_that_names_no_page_is_told_where_one_is_served(box: Box) -> None:
    vault, _ = box
    served = ""
    every = [sets.telling(vault, tool, lambda: served) for tool in every_tool(vault)]
    stdio = Call(Actor("process:1", "Claude"))
    answer = await edit(Toolbox(every), stdio)
    assert "nobody serves now: `commonplace serve` opens it" in answer.notes[0]
    served = PAGE
    answer = await edit(Toolbox(every), stdio, old="folder", new="crate")
    assert answer.notes == (f"Part of set 1. A person decides it on the page: {PAGE}#set!1",)


async def test_open_comments_about_its_set_are_told_to_the_assistant(box: Box) -> None:
    vault, tools = box
    await edit(tools)
    (one,) = (await vault.sets.reader.get(1)).pending
    await vault.comments.on_suggestion("a.md", one.id, "Keep it red", "Ann")
    read = await tools.call("read", {"file_path": "b.md"}, CLAUDE)
    assert read.blocks[1:] == ('Set 1: 1 waiting. Open comments: a.md L1 "Keep it red" (Ann).',)
    assert len((await tools.call("read", {"file_path": "b.md"}, CLAUDE)).blocks) == 1
    await vault.sets.kept.send_back(1, "See the comment")
    read = await tools.call("read", {"file_path": "b.md"}, CLAUDE)
    assert "A person sent it back: See the comment. Open comments: a.md" in read.blocks[1]
