"""The `notes` tools that write: what they change, what they leave, and who is asked."""

import json
import random
from functools import partial
from typing import Any

import anyio
import pytest

from commonplace.core.text.edits import Edit
from commonplace.vault.suggestions.authorship import Suggester
from tests.tools.conftest import Desk, OpenDesk, Person

pytestmark = pytest.mark.anyio

ROUNDS = 100
ALLOWED = {"create": "allow", "update": "allow", "delete": "allow"}


async def answered(desk: Desk, tool: str, **arguments: Any) -> dict[str, Any]:
    return json.loads(await desk.call(tool, **arguments))


async def on_disk(desk: Desk, path: str) -> str:
    await desk.vault.notes.queue.flush_all()
    return (desk.folder / path).read_bytes().decode()


# -- create


async def test_create_note_writes_properties_and_content_and_makes_folders(desk: OpenDesk):
    at = await desk({}, **ALLOWED)
    done = await answered(
        at,
        "create_note",
        path="projects/new/Größe 😀.md",
        content="# Title\n\nTwo words\n",
        frontmatter={"tags": ["a", "b"], "when": "2025-01-01", "answer": "no", "n": "007"},
    )
    written = (
        '---\ntags:\n  - a\n  - b\nwhen: "2025-01-01"\nanswer: "no"\n"n": "007"\n---\n\n'
        "# Title\n\nTwo words\n"
    )
    assert await on_disk(at, "projects/new/Größe 😀.md") == written
    assert done == {
        "path": "projects/new/Größe 😀.md",
        "status": "created",
        "word_count": 3,
        "char_count": len("# Title\n\nTwo words\n"),
    }
    assert (await answered(at, "list_notes"))["count"] == 1
    found = await answered(at, "property_search", properties={"answer": "no"})
    assert found["count"] == 1


async def test_create_note_never_overwrites(desk: OpenDesk):
    at = await desk({"Notes/a.md": "mine\n", "folder.md/inside.md": "x"}, **ALLOWED)
    error = await at.error("create_note", path="Notes/a.md", content="theirs")
    assert error == (
        "Error: Notes/a.md exists already, and create never overwrites. Choose another name, or"
        " change the note that is there."
    )
    assert "exists already" in await at.error("create_note", path="notes/A.md", content="theirs")
    assert "is a folder" in await at.error("create_note", path="folder.md", content="x")
    inside = await at.error("create_note", path="Notes/a.md/b.md", content="x")
    assert inside == "Error: Notes/a.md is not a folder. Choose another path."
    assert await on_disk(at, "Notes/a.md") == "mine\n"
    assert {p.name for p in at.folder.rglob("*")} == {"Notes", "a.md", "folder.md", "inside.md"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"path": "a", "content": ""}, 'does not end in ".md"'),
        ({"path": "a.txt", "content": ""}, 'does not end in ".md"'),
        ({"path": "a.md"}, "required parameter `content` is missing"),
        ({"path": "a.md", "content": "x", "frontmatter": [1]}, "`frontmatter` must be an object"),
        ({"path": "a.md", "content": "x", "frontmatter": "a: 1"}, "must be an object"),
        ({"path": "a.md", "content": "a\0b"}, "holds a NUL character"),
        ({"path": "a.md", "content": "x {++y++}"}, "contains CriticMarkup syntax '{++'"),
        (
            {"path": "a.md", "content": "---\na: 1\n---\n", "frontmatter": {"b": 1}},
            "one of the two",
        ),
        ({"path": "CON.md", "content": ""}, "name of a device on Windows"),
        ({"path": "a?.md", "content": ""}, "some systems cannot store"),
    ],
)
async def test_create_note_says_what_is_wrong(
    desk: OpenDesk, arguments: dict[str, Any], complaint: str
):
    at = await desk({}, **ALLOWED)
    error = await at.error("create_note", **arguments)
    assert error.startswith("Error: ")
    assert complaint in error
    assert list(at.folder.iterdir()) == []


async def test_content_that_no_note_can_hold_is_refused(desk: OpenDesk):
    at = await desk({"a.md": "text\n"}, **ALLOWED)
    huge = "x" * 20_000_000
    assert "longer than 10 MB" in await at.error("create_note", path="b.md", content=huge)
    assert "longer than 10 MB" in await at.error("update_note", path="a.md", content=huge)
    assert [p.name for p in at.folder.iterdir()] == ["a.md"]
    assert await on_disk(at, "a.md") == "text\n"


async def test_a_created_note_can_be_edited_without_reading_it(desk: OpenDesk):
    at = await desk({}, **ALLOWED)
    await at.call("create_note", path="a.md", content="one two\n")
    await at.call("edit", file_path="a.md", old_string="two", new_string="zwei")
    assert await on_disk(at, "a.md") == "one {--two--}{++zwei++}\n"


async def test_markup_inside_code_is_just_text(desk: OpenDesk):
    at = await desk({}, **ALLOWED)
    content = "Write it so:\n\n```\n{++new++}\n```\n"
    await at.call("create_note", path="a.md", content=content)
    assert await on_disk(at, "a.md") == content
    await at.call("update_note", path="a.md", content=content + "More.\n")
    assert await on_disk(at, "a.md") == content + "More.\n"


# -- update

NOTE = "---\n# mine\ntags: [a]   # kept\ndate: 2025-01-01\n---\n\n# Title\n\nFirst line.\n\nLast.\n"


async def test_update_note_changes_the_content_and_nothing_else(desk: OpenDesk):
    at = await desk({"a.md": NOTE.replace("\n", "\r\n")}, **ALLOWED)
    done = await answered(at, "update_note", path="a.md", content="# Title\n\nOther line.\n")
    assert done == {
        "path": "a.md",
        "status": "updated",
        "changes": {"content_updated": True, "frontmatter_updated": False},
        "word_count": 3,
    }
    head = NOTE.partition("# Title")[0]
    assert await on_disk(at, "a.md") == f"{head}# Title\n\nOther line.\n".replace("\n", "\r\n")


async def test_update_note_changes_one_property_and_keeps_every_other_byte(desk: OpenDesk):
    at = await desk({"a.md": NOTE}, **ALLOWED)
    done = await answered(
        at, "update_note", path="a.md", frontmatter={"tags": ["a"], "date": "2025-02-02"}
    )
    assert done["changes"] == {"content_updated": False, "frontmatter_updated": True}
    assert await on_disk(at, "a.md") == NOTE.replace("2025-01-01", "2025-02-02")
    await at.call("update_note", path="a.md", frontmatter={})
    assert await on_disk(at, "a.md") == NOTE.partition("---\n\n")[2].join(["\n", ""])


async def test_update_note_takes_back_what_read_note_gave(desk: OpenDesk):
    at = await desk({"a.md": NOTE}, **ALLOWED)
    text = (await answered(at, "read_note", path="a.md"))["content"]
    done = await answered(at, "update_note", path="a.md", content=text)
    assert done["changes"] == {"content_updated": False, "frontmatter_updated": False}
    other = text.replace("2025-01-01", "2026-01-01").replace("Last", "Least")
    done = await answered(at, "update_note", path="a.md", content=other)
    assert done["changes"] == {"content_updated": True, "frontmatter_updated": True}
    assert await on_disk(at, "a.md") == other


async def test_update_note_takes_content_and_properties_at_once(desk: OpenDesk):
    at = await desk({"a.md": "old\n"}, **ALLOWED)
    done = await answered(at, "update_note", path="a.md", content="new\n", frontmatter={"a": 1})
    assert done["changes"] == {"content_updated": True, "frontmatter_updated": True}
    assert await on_disk(at, "a.md") == "---\na: 1\n---\nnew\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"path": "a.md"}, "Give content, frontmatter, or both"),
        ({"path": "a.md", "content": None, "frontmatter": "null"}, "Give content, frontmatter"),
        ({"path": "no.md", "content": "x"}, "Document not found: no.md"),
        ({"path": "a.md", "frontmatter": 3}, "`frontmatter` must be an object"),
        ({"path": "a.md", "content": 3}, "`content` must be text"),
        (
            {"path": "a.md", "content": "---\nb: 2\n---\nx", "frontmatter": {}},
            "Leave one of the two",
        ),
        ({"path": "a.md", "content": "a {--b--} c"}, "CriticMarkup syntax '{--'"),
        ({"path": "broken.md", "frontmatter": {"a": 1}}, "not valid YAML"),
        ({"path": "bad.md", "content": "x"}, "not UTF-8"),
    ],
)
async def test_update_note_says_what_is_wrong(
    desk: OpenDesk, arguments: dict[str, Any], complaint: str
):
    notes = {"a.md": "---\na: 1\n---\nx\n", "broken.md": "---\n: : [\n---\n", "bad.md": b"\xff"}
    at = await desk(notes, **ALLOWED)
    error = await at.error("update_note", **arguments)
    assert error.startswith("Error: ")
    assert complaint in error
    assert await on_disk(at, "a.md") == "---\na: 1\n---\nx\n"


async def test_an_update_keeps_suggestions_elsewhere_and_joins_those_it_touches(
    desk: OpenDesk,
):
    at = await desk(
        {"a.md": "One {--two--}{++zwei++}.\n\nKeep {++this++} one.{>>why<<}\n\nEnd.\n"}, **ALLOWED
    )
    text = (await answered(at, "read_note", path="a.md"))["content"]
    assert text == "One zwei.\n\nKeep this one.\n\nEnd.\n"
    changed = text.replace("One zwei", "Uno due").replace("End", "Fine")
    await at.call("update_note", path="a.md", content=changed)
    kept = "{--One two--}{++Uno due++}.\n\nKeep {++this++} one.{>>why<<}\n\n{--End--}{++Fine++}.\n"
    assert await on_disk(at, "a.md") == kept


async def test_an_update_keeps_what_people_wrote_since_the_assistant_read(desk: OpenDesk):
    at = await desk({"a.md": "# Plan\n\nOne.\n\nTwo.\n"}, **ALLOWED)
    await at.call("read_note", path="a.md")
    (at.folder / "a.md").write_text("# Plan\n\nOne, says Ada.\n\nTwo.\n\nThree, by hand.\n")
    await at.call("update_note", path="a.md", content="# The plan\n\nOne.\n\n2.\n")
    after = await on_disk(at, "a.md")
    assert after == "# The plan\n\nOne, says Ada.\n\n2.\n\nThree, by hand.\n"
    # The assistant has not seen the person's words: its next update does not take them away.
    await at.call("update_note", path="a.md", content="# The plan\n\nOne.\n\n2!\n")
    after = await on_disk(at, "a.md")
    assert after == "# The plan\n\nOne, says Ada.\n\n2!\n\nThree, by hand.\n"


async def test_no_typed_word_is_lost_while_an_assistant_rewrites_the_note(desk: OpenDesk):
    at = await desk({"a.md": "# Log\n\nRound 0 by the assistant.\n\nThe end.\n"}, **ALLOWED)
    id = await at.vault.notes.ids.id_of("a.md")
    typed = [f"<word{n}>" for n in range(ROUNDS)]
    chance = random.Random(5)

    async def type_words() -> None:
        for word in typed:
            await at.vault.notes.documents.edit(id, partial(type_in, chance, word), "person:Ada")
            await anyio.sleep(0)

    async def rewrite() -> None:
        for n in range(ROUNDS):
            content = (await answered(at, "read_note", path="a.md"))["content"]
            await anyio.sleep(0)
            lines = [*content.split("\n"), f"Line {n} by the assistant."]
            await at.call("update_note", path="a.md", content="\n".join(lines))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(type_words)
        tasks.start_soon(rewrite)
    text = await on_disk(at, "a.md")
    assert [word for word in typed if text.count(word) != 1] == []
    assert text.count("assistant.") == ROUNDS + 1


def type_in(chance: random.Random, word: str, text: str) -> list[Edit]:
    place = chance.choice([m for m in range(len(text) + 1) if text[m - 1 : m] in ("", " ", "\n")])
    return [Edit(place, place, f"{word} ")]


async def test_the_same_update_again_changes_nothing_more(desk: OpenDesk):
    at = await desk({"a.md": "one\ntwo\n"}, **ALLOWED)
    await at.call("read_note", path="a.md")
    for _ in range(3):
        await at.call("update_note", path="a.md", content="one\n2\nthree\n")
    assert await on_disk(at, "a.md") == "one\n2\nthree\n"


# -- delete


async def test_delete_note_moves_to_the_trash_and_counts_backlinks(desk: OpenDesk):
    notes = {"a.md": "see [[b]] [[b]]", "c/d.md": "[[b]]", "b.md": "me: [[b]]\n"}
    at = await desk(notes, **ALLOWED)
    assert await answered(at, "delete_note", path="b.md") == {
        "path": "b.md", "status": "deleted", "had_backlinks": True, "backlink_count": 2,
    }  # fmt: skip
    assert (at.folder / ".trash/b.md").read_text() == "me: [[b]]\n"
    assert not (at.folder / "b.md").exists()
    assert "Document not found: b.md" in await at.error("read_note", path="b.md")
    assert "Document not found: b.md" in await at.error("delete_note", path="b.md")
    assert await answered(at, "delete_note", path="c/d.md") == {
        "path": "c/d.md", "status": "deleted", "had_backlinks": False, "backlink_count": 0,
    }  # fmt: skip
    assert (await answered(at, "list_notes"))["count"] == 1
    await at.call("create_note", path="b.md", content="again\n")
    await at.call("delete_note", path="b.md")
    assert (at.folder / ".trash/b 2.md").read_text() == "again\n"
    assert await at.vault.trash.restore(".trash/b 2.md") == "b.md"
    assert (await answered(at, "read_note", path="b.md"))["content"] == "again\n"


# -- permission


async def test_without_a_word_in_the_settings_the_person_is_asked(desk: OpenDesk):
    person = Person(["once", "once", "once"])
    at = await desk({"link.md": "[[a]]"}, person=person)
    await at.call("create_note", path="a.md", content="one\ntwo\nthree\n")
    await at.call("update_note", path="a.md", content="one\n2\nthree\n")
    await at.call("delete_note", path="a.md")
    who = "mcp wants to"
    assert person.asked == [
        f"{who} create a.md (14 bytes, 3 words)\n\n@@ line 1 @@\n+one\n+two\n+three",
        f"{who} update a.md\n\n@@ line 2 @@\n one\n-two\n+2\n three",
        f"{who} delete a.md (it goes to the trash). 1 note links to it: link.md.",
    ]


@pytest.mark.parametrize("said", ["no", "decline", "perhaps"])
async def test_what_is_no_clear_yes_is_a_no(desk: OpenDesk, said: str):
    at = await desk({"a.md": "mine\n"}, person=Person([said] * 3))
    denied = "User denied permission"
    assert await at.error("create_note", path="b.md", content="x") == denied
    assert await at.error("update_note", path="a.md", content="x") == denied
    assert await at.error("delete_note", path="a.md") == denied
    assert [p.name for p in at.folder.iterdir()] == ["a.md"]
    assert await on_disk(at, "a.md") == "mine\n"


async def test_an_answer_for_the_session_holds_for_that_kind_of_change(desk: OpenDesk):
    person = Person(["for this session", "no"])
    at = await desk({"a.md": "mine\n"}, person=person)
    await at.call("create_note", path="b.md", content="x")
    await at.call("create_note", path="c.md", content="x")
    await at.error("delete_note", path="a.md")
    assert len(person.asked) == 2
    assert await at.vault.permissions.remembered() == []


async def test_an_answer_for_always_is_remembered_until_it_is_forgotten(desk: OpenDesk):
    person = Person(["always", "no"])
    at = await desk({}, person=person)
    await at.call("create_note", path="b.md", content="x")
    await at.call("create_note", path="c.md", content="x")
    (grant,) = await at.vault.permissions.remembered()
    assert grant.meaning == "every program on this machine may create notes anywhere without asking"
    await at.vault.permissions.forget_remembered()
    await at.error("create_note", path="d.md", content="x")
    assert person.asked[1].startswith("mcp wants to create d.md")


async def test_deny_in_the_settings_holds_over_an_earlier_always(desk: OpenDesk):
    at = await desk({"Private/a.md": "mine\n"}, **{"*": "allow", "*:Private/**": "deny"})
    error = await at.error("update_note", path="Private/a.md", content="x")
    assert error == "User denied permission: the vault's settings allow no update at this path."
    await at.call("create_note", path="b.md", content="x")
    assert (await at.error("create_note", path="Private/b.md", content="x")).startswith(
        "User denied permission"
    )


async def test_the_policy_suggest_writes_markup(desk: OpenDesk):
    at = await desk({"a.md": "One cat here.\n\nTwo dogs.\n"}, **{"*": "suggest"})
    done = await answered(at, "create_note", path="new.md", content="# New\n\nText.\n")
    assert (done["status"], done["word_count"], done["char_count"]) == ("suggested", 2, 13)
    assert await on_disk(at, "new.md") == "{++# New\n\nText.\n++}"
    done = await answered(at, "update_note", path="a.md", content="One car here.\n\nTwo dogs!\n")
    assert done["status"] == "suggested"
    marked = await on_disk(at, "a.md")
    assert marked == "One {--cat--}{++car++} here.\n\nTwo dogs{--.--}{++!++}\n"
    assert (await answered(at, "read_note", path="a.md"))["content"].startswith("One car here.")
    assert {each.author for each in await at.vault.pending.listed()} == {"mcp"}
    assert "needs a person's approval" in await at.error("delete_note", path="a.md")


async def test_a_client_that_cannot_ask_has_its_writes_parked(desk: OpenDesk):
    at = await desk({"a.md": "mine\n"})
    error = await at.error("update_note", path="a.md", content="theirs\n")
    assert error == (
        "Error: Nothing was changed yet: this update needs a person's approval. It waits as number"
        " 1. Ask the person to decide it on the page, under Approvals; then call this tool again"
        " with the same arguments to get the result."
    )
    assert "as number 1." in await at.error("update_note", path="a.md", content="theirs\n")
    (waiting,) = await at.vault.permissions.waiting()
    assert (waiting.operation, waiting.path, waiting.who) == ("update", "a.md", "mcp")
    assert waiting.diff == "@@ line 1 @@\n-mine\n+theirs"
    await at.vault.permissions.approve(1, "Ada")
    assert await on_disk(at, "a.md") == "theirs\n"
    done = await answered(at, "update_note", path="a.md", content="theirs\n")
    assert done["changes"] == {"content_updated": True, "frontmatter_updated": False}
    # The result is given once; the next such call is a new wish.
    assert "as number 2." in await at.error("update_note", path="a.md", content="theirs\n")
    assert [write.outcome for write in at.vault.permissions.audit.latest(9)] == [
        "waits", "done", "waits",
    ]  # fmt: skip


async def test_a_parked_create_and_delete_answer_once_they_are_done(desk: OpenDesk):
    at = await desk({"a.md": "mine\n"})
    await at.error("create_note", path="b.md", content="new\n")
    await at.error("delete_note", path="a.md")
    assert [(one.id, one.operation) for one in await at.vault.permissions.waiting()] == [
        (1, "create"), (2, "delete"),
    ]  # fmt: skip
    await at.vault.permissions.approve(1, "Ada")
    await at.vault.permissions.approve(2, "Ada")
    created = await answered(at, "create_note", path="b.md", content="new\n")
    assert created["status"] == "created"
    assert (await answered(at, "delete_note", path="a.md"))["status"] == "deleted"
    assert "exists already" in await at.error("create_note", path="b.md", content="new\n")


async def test_a_denied_write_is_refused_when_it_is_asked_for_again(desk: OpenDesk):
    at = await desk({})
    await at.error("create_note", path="b.md", content="new\n")
    await at.vault.permissions.deny(1, "Ada")
    refused = await at.error("create_note", path="b.md", content="new\n")
    assert refused == "User denied permission"
    assert list(at.folder.iterdir()) == []


async def test_a_note_deleted_before_its_approval_is_not_brought_back(desk: OpenDesk):
    at = await desk({"a.md": "mine\n"})
    await at.error("update_note", path="a.md", content="theirs\n")
    await at.error("delete_note", path="a.md")
    await at.vault.write.delete("a.md", "Ada")
    for number in (1, 2):
        with pytest.raises(Exception, match=r"Document not found: a\.md"):
            await at.vault.permissions.approve(number, "Ada")
    gone = await at.error("update_note", path="a.md", content="theirs\n")
    assert gone.startswith("Error: It was approved, but could not be done: Document not found")
    assert not (at.folder / "a.md").exists()
    assert (at.folder / ".trash/a.md").read_text() == "mine\n"
    assert await at.vault.permissions.waiting() == []


async def test_a_question_that_was_dismissed_parks_the_write(desk: OpenDesk):
    at = await desk({"a.md": "mine\n"}, person=Person(["cancel", "decline"]))
    error = await at.error("update_note", path="a.md", content="theirs\n")
    assert "It waits as number 1." in error
    assert "denied" not in error
    await at.vault.permissions.approve(1, "Ada")
    done = await answered(at, "update_note", path="a.md", content="theirs\n")
    assert done["status"] == "updated"
    assert await at.error("delete_note", path="a.md") == "User denied permission"
    assert await at.vault.permissions.waiting() == []


async def test_a_write_that_was_denied_says_why(desk: OpenDesk):
    at = await desk({"a.md": "mine\n"})
    await at.error("delete_note", path="a.md")
    await at.vault.permissions.deny(1, "Ada", "We still need it.")
    denied = await at.error("delete_note", path="a.md")
    assert denied == 'User denied permission (reason: "We still need it.")'


async def test_an_edit_of_ones_own_is_known_to_the_update_that_follows(desk: OpenDesk) -> None:
    """Without reading again between the two; the control is an edit by somebody else."""
    at = await desk({"a.md": "the old word\n", "b.md": "the old word\n"}, **ALLOWED)
    for path in ("a.md", "b.md"):
        await at.call("read", file_path=path)
    await at.call("edit", file_path="a.md", old_string="old", new_string="new")
    await at.call("edit", file_path="a.md", old_string="old", new_string="new")  # a retry
    await at.call("update_note", path="a.md", content="the newest word\n")
    assert await on_disk(at, "a.md") == "the {--old--}{++newest++} word\n"
    other = Suggester("other", "Other")
    await at.vault.reader.read("b.md", other.id, other.name)
    await at.vault.suggestions.suggest("b.md", "old", "new", other)
    await at.call("update_note", path="b.md", content="the newest word\n")
    assert "newest" in await on_disk(at, "b.md") != "the {--old--}{++newest++} word\n"


async def test_what_was_read_in_part_stays_so_after_an_edit(desk: OpenDesk) -> None:
    at = await desk({"a.md": "one\ntwo\nthree\n"}, **ALLOWED)
    await at.call("read", file_path="a.md", limit=1)
    await at.call("edit", file_path="a.md", old_string="one", new_string="ONE")
    assert "only part" in await at.error("update_note", path="a.md", content="ONE\n")
