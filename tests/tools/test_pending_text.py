"""Text that waits for a decision becomes plain through no tool: through a real client."""

import json
from typing import Any

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import Edit
from commonplace.errors import Conflict
from tests.tools.conftest import Desk, OpenDesk, Person
from tests.wait import eventually

pytestmark = pytest.mark.anyio

BLOCK = "".join(f"Line {n}: pay 10,000 EUR to account XX at once.\n" for n in range(32))
NOTE = "# Plan\n\nFirst.\n\nLast.\n"
WITH_BLOCK = NOTE.replace("First.\n", f"First.\n{BLOCK}a typpo here\n")


async def suggested(at: Desk, path: str = "a.md") -> str:
    """Let the assistant suggest a long block; returns what it reads then."""
    await at.call("read", file_path=path)
    await at.call(
        "edit", file_path=path, old_string="First.\n", new_string=f"First.\n{BLOCK}a typpo here\n"
    )
    text = json.loads(await at.call("read_note", path=path))["content"]
    assert text == WITH_BLOCK
    return text


async def ends(at: Desk) -> list[tuple[str, str]]:
    """Tell what the ledger says of suggestions that ended, oldest first."""
    await at.vault.ledger.load()
    return [(one.decision, one.who) for one in reversed(at.vault.ledger.decisions(50))]


async def is_pending(at: Desk, words: str, path: str = "a.md") -> bool:
    marked = await at.vault.texts.marked(path)
    return words in critic.accepted(marked) and words not in critic.base(marked)


@pytest.mark.parametrize("how", ["allow", "once", "always", "parked", "suggest"])
async def test_mending_a_word_of_a_suggested_block_accepts_nothing_of_it(desk: OpenDesk, how: str):
    person = Person([how]) if how in ("once", "always") else None
    policy = how if how in ("allow", "suggest") else "ask"
    at = await desk({"a.md": NOTE}, person=person, update=policy)
    mended = (await suggested(at)).replace("typpo", "typo")
    update: dict[str, Any] = {"path": "a.md", "content": mended}
    if how == "parked":
        await at.error("update_note", **update)
        (parked,) = await at.vault.permissions.waiting()
        await at.vault.permissions.approve(parked.id, "Anna")
    await at.call("update_note", **update)
    marked = await at.vault.texts.marked("a.md")
    assert critic.accepted(marked) == mended
    assert critic.base(marked) == NOTE
    (one,) = critic.suggestions(marked)
    assert (one.old, one.new) == ("", f"{BLOCK}a typo here\n")
    assert await ends(at) == [("superseded", "mcp")]
    if how == "always":
        again = mended.replace("a typo here", "no typo here")
        await at.call("update_note", path="a.md", content=again)
        assert critic.base(await at.vault.texts.marked("a.md")) == NOTE


@pytest.mark.parametrize("how", ["allow", "once"])
async def test_other_properties_accept_no_suggested_block(desk: OpenDesk, how: str):
    person = Person([how]) if how == "once" else None
    block = "---\npay: 10000\naccount: XX\n---\n"
    at = await desk({"a.md": "Body.\n"}, person=person, update="allow" if not person else "ask")
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="Body.", new_string=f"{block}Body.")
    given = {"pay": 10000, "account": "XX", "x": 1}
    await at.call("update_note", path="a.md", frontmatter=given)
    marked = await at.vault.texts.marked("a.md")
    assert critic.base(marked) == "Body.\n"
    assert "x: 1" in critic.accepted(marked)
    assert len(critic.suggestions(marked)) == 1


async def test_a_person_is_shown_pending_text_as_pending(desk: OpenDesk):
    person = Person(["no"])
    at = await desk({"a.md": NOTE}, person=person)
    mended = (await suggested(at)).replace("typpo", "typo")
    assert await at.error("update_note", path="a.md", content=mended) == "User denied permission"
    (asked,) = person.asked
    assert "-{++a typpo here++}" in asked
    assert "+{++a typo here++}" in asked
    assert " {++Line 31: pay 10,000 EUR to account XX at once.++}" in asked
    assert "waits" in asked


async def test_no_mark_is_made_inside_anothers_words(desk: OpenDesk):
    at = await desk({"a.md": "An {--old--}{++new++} coat.\n"}, update="suggest")
    text = json.loads(await at.call("read_note", path="a.md"))["content"]
    await at.call("update_note", path="a.md", content=text.replace("new", "newest"))
    assert await at.vault.texts.marked("a.md") == "An {--old--}{++newest++} coat.\n"
    (one,) = await at.vault.pending.listed()
    await at.vault.review.decide("reject", {"a.md": [one.id]}, "Anna")
    assert await at.vault.texts.marked("a.md") == "An old coat.\n"


async def test_a_title_accepts_nothing(desk: OpenDesk):
    note = "# {--Old--}{++Pay Mallory++}\n\nx\n"
    at = await desk({"Old.md": note}, rename="allow", update="allow")
    await at.call("update_node", id="Old.md", title="Pay Mallory")
    marked = await at.vault.texts.marked("Pay Mallory.md")
    assert marked == note
    await at.call("update_node", id="Pay Mallory.md", title="Pay Ann")
    marked = await at.vault.texts.marked("Pay Ann.md")
    assert critic.base(marked) == "# Old\n\nx\n"
    assert critic.accepted(marked) == "# Pay Ann\n\nx\n"


@pytest.mark.parametrize("tool", ["edit", "update_note", "update_node"])
async def test_the_base_is_not_restored_over_somebody_elses_suggestion(desk: OpenDesk, tool: str):
    at = await desk({"a.md": "An {--old--}{++new++} coat.\n"}, update="allow")
    await at.call("read", file_path="a.md")
    calls: dict[str, dict[str, Any]] = {
        "edit": {"file_path": "a.md", "old_string": "new", "new_string": "old"},
        "update_note": {"path": "a.md", "content": "An old coat.\n"},
        "update_node": {"id": "a.md", "content": "An old coat.\n"},
    }
    error = await at.error(tool, **calls[tool])
    assert "somebody else's suggestion" in error
    assert await at.vault.texts.marked("a.md") == "An {--old--}{++new++} coat.\n"
    assert await ends(at) == []


@pytest.mark.parametrize("tool", ["edit", "update_note"])
async def test_an_assistant_takes_its_own_suggestion_back(desk: OpenDesk, tool: str):
    at = await desk({"a.md": "An old coat.\n"}, update="allow")
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="old", new_string="new")
    await at.call("read", file_path="a.md")
    if tool == "edit":
        await at.call("edit", file_path="a.md", old_string="new", new_string="old")
    else:
        await at.call("update_note", path="a.md", content="An old coat.\n")
    assert await at.vault.texts.marked("a.md") == "An old coat.\n"
    assert await ends(at) == [("withdrawn", "mcp")]


async def test_a_superseded_suggestion_keeps_all_its_authors(desk: OpenDesk):
    ann = '{++{"author":"Ann","time":5}@@new++}'
    at = await desk({"a.md": f"A {ann} coat.\n"}, update="allow")
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="new", new_string="green")
    marked = await at.vault.texts.marked("a.md")
    (one,) = critic.suggestions(marked)
    assert (one.old, one.new, one.author) == ("", "green", "Ann, mcp")
    (waiting,) = await at.vault.pending.listed()
    assert waiting.author == "Ann, mcp"
    assert await ends(at) == [("superseded", "mcp")]
    # Part of it is Ann's, so the assistant cannot take it back.
    error = await at.error("edit", file_path="a.md", old_string="green", new_string="")
    assert "somebody else's suggestion" in error


async def test_a_note_that_goes_takes_its_suggestions_along_on_record(desk: OpenDesk):
    person = Person(["once"])
    at = await desk({"a.md": "An {--old--}{++new++} coat.\n"}, person=person)
    await at.call("delete_note", path="a.md")
    assert "1 suggestion that waits" in person.asked[0]
    await at.vault.notes.queue.flush_all()
    await at.vault.ends.look()
    assert await ends(at) == [("gone with the note", "mcp")]


async def test_what_is_approved_is_what_was_shown(desk: OpenDesk):
    at = await desk({"a.md": "One.\n\nTwo.\n"})
    update = {"path": "a.md", "content": "Uno.\n\nTwo.\n"}
    await at.call("read", file_path="a.md")
    await at.error("update_note", **update)
    (parked,) = await at.vault.permissions.waiting()
    await at.vault.notes.edit("a.md", lambda _: [Edit(4, 4, "{++ Pay.++}")], "person:Ada")
    with pytest.raises(Conflict, match="changed since this was asked"):
        await at.vault.permissions.approve(parked.id, "Anna")
    assert await at.vault.texts.marked("a.md") == "One.{++ Pay.++}\n\nTwo.\n"
    (shown,) = await at.vault.permissions.waiting()
    assert "-One.{++ Pay.++}\n+Uno.{++ Pay.++}" in shown.diff
    await at.vault.notes.edit(
        "a.md", lambda text: [Edit(len(text), len(text), "End.\n")], "person:Ada"
    )
    await at.vault.permissions.approve(parked.id, "Anna")
    assert await at.vault.texts.marked("a.md") == "Uno.{++ Pay.++}\n\nTwo.\nEnd.\n"


async def seen(at: Desk, count: int) -> list[tuple[str, str]]:
    """Wait until so many ends are on record."""
    await at.vault.notes.queue.flush_all()

    async def enough() -> list[tuple[str, str]]:
        found = await ends(at)
        return found if len(found) >= count else []

    return await eventually(enough)


async def test_what_a_person_edits_away_is_on_record(desk: OpenDesk):
    at = await desk({"a.md": "An old coat.\n\nA hat.\n"})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="old", new_string="new")
    await at.call("edit", file_path="a.md", old_string="hat", new_string="cap")
    await at.vault.notes.queue.flush_all()
    await at.vault.ends.look()
    marked = await at.vault.texts.marked("a.md")
    start, end = marked.index("{--old"), marked.index(" coat")
    # The person takes one suggestion out by hand, and types in the other.
    behind = marked.index("cap") + 3
    await at.vault.notes.edit(
        "a.md", lambda _: [Edit(start, end, "warm"), Edit(behind, behind, "e")], "person:Ada"
    )
    assert await seen(at, 1) == [("edited away", "Ada")]
    (one,) = await at.vault.pending.listed()
    assert (one.new, one.author) == ("cape", "Ada, mcp")
    # Part of it is Ada's now.
    await at.call("read", file_path="a.md")
    error = await at.error("edit", file_path="a.md", old_string="cape", new_string="hat")
    assert "somebody else's suggestion" in error
    text = await at.call("read", file_path="a.md")
    assert "edited away by Ada" not in text  # it was told by the read before


async def test_a_decision_that_is_undone_is_on_record_as_undone(desk: OpenDesk):
    at = await desk({"a.md": "An {--old--}{++new++} coat.\n"})
    (one,) = await at.vault.pending.listed()
    done = await at.vault.review.decide("accept", {"a.md": [one.id]}, "Anna")
    await at.vault.review.undo(done.undo)
    assert await ends(at) == [("accept", "Anna"), ("undone", "Anna")]


async def test_a_decision_is_on_record_once(desk: OpenDesk):
    at = await desk({"a.md": "An {--old--}{++new++} coat, {--red--}{++blue++}.\n"})
    first, _ = await at.vault.pending.listed()
    await at.vault.review.decide("accept", {"a.md": [first.id]}, "Anna")
    await at.vault.notes.queue.flush_all()
    await at.vault.ends.look()
    assert await ends(at) == [("accept", "Anna")]
    (at.folder / "a.md").unlink()
    assert await seen(at, 2) == [("accept", "Anna"), ("gone with the note", "another program")]


async def test_nothing_ends_when_a_note_gets_another_name(desk: OpenDesk):
    notes = {"a.md": "See [[b]]. {++Look.++}\n", "b.md": "# b\n\nAn {--old--}{++new++} coat.\n"}
    at = await desk(notes, rename="allow")
    await at.call("update_node", id="b.md", title="c")
    await at.vault.notes.queue.flush_all()
    await at.vault.ends.look()
    assert await ends(at) == []
    assert [one.path for one in await at.vault.pending.listed()] == ["a.md", "c.md"]


async def test_a_suggestion_whose_link_follows_a_rename_keeps_its_author(desk: OpenDesk):
    at = await desk({"a.md": "See.\n", "b.md": "# b\n"}, rename="allow")
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="See.", new_string="See [[b]].")
    await at.call("update_node", id="b.md", title="c")
    await at.vault.ends.look()
    (one,) = await at.vault.pending.listed()
    assert (one.new, one.author) == (" [[c]]", "mcp")
    assert await ends(at) == [("superseded", "mcp")]


async def test_hits_in_undecided_text_say_so(desk: OpenDesk) -> None:
    at = await desk({"a.md": "The red folder.\n\nThe red house.\n", "b.md": "A green hedge.\n"})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="red folder", new_string="green folder")
    said = "Undecided, as it is a suggestion that nobody has accepted: a.md:1."
    for name, given in (
        ("grep", {"pattern": "green", "output_mode": "content"}),
        ("grep", {"pattern": "green"}),
        ("text_search", {"query": "green"}),
    ):
        assert (await at.blocks(name, **given))[1:] == [said], name
    assert len(await at.blocks("grep", pattern="house")) == 1
    assert len(await at.blocks("text_search", query="hedge")) == 1
    hits = {hit.path: hit.undecided for hit in await at.vault.search.search("green", 5)}
    assert hits == {"a.md": True, "b.md": False}
