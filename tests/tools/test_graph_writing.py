"""The graph tools that write: permission, names made from titles, renames that keep links."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.tools.conftest import Person
from tests.tools.test_graph import asked, refused

pytestmark = pytest.mark.anyio

OpenDesk = Callable[..., Any]

ALLOW = {"create": "allow", "update": "allow", "delete": "allow", "rename": "allow"}


async def file_text(at: Any, path: str) -> str:
    await at.vault.notes.queue.flush_all()
    return (at.folder / path).read_text()


async def test_a_node_is_created_where_its_title_says(desk: OpenDesk) -> None:
    at = await desk({"project.md": "x"}, **ALLOW)
    created = await asked(
        at,
        "create_node",
        title="Meeting Notes 2024-01-15",
        content="# Meeting Notes\n\nDiscussed [[project]] timeline...",
        tags=["meeting", "project-x"],
        directory="meetings",
    )
    assert created == {
        "id": "meetings/meeting-notes-2024-01-15.md",
        "title": "Meeting Notes 2024-01-15",
        "content": "# Meeting Notes\n\nDiscussed [[project]] timeline...",
        "tags": ["meeting", "project-x"],
        "links": [{"id": "project.md", "title": "project"}],
    }
    text = await file_text(at, "meetings/meeting-notes-2024-01-15.md")
    assert text.startswith("---\ntitle: Meeting Notes 2024-01-15\ntags:")


async def test_a_title_that_the_text_has_already_is_not_written_twice(desk: OpenDesk) -> None:
    at = await desk({}, **ALLOW)
    await asked(at, "create_node", title="My Idea", content="# My Idea\n")
    assert await file_text(at, "my-idea.md") == "# My Idea\n"
    await asked(at, "create_node", title="plain", content="text")
    assert await file_text(at, "plain.md") == "text"


@pytest.mark.parametrize(
    ("title", "id"),
    [
        ("What? A <Title>: Part/Two", "what-a-title-parttwo.md"),
        ("  Spaced   Out  ", "spaced-out.md"),
        ("Überraschung 漢字 😀", "überraschung-漢字-😀.md"),
        ("..hidden", "hidden.md"),
        ("a#b^c[d]|e", "abcde.md"),
        ("x" * 300, "x" * 200 + ".md"),
    ],
)
async def test_titles_become_names_that_every_disk_takes(
    desk: OpenDesk, title: str, id: str
) -> None:
    at = await desk({}, **ALLOW)
    created = await asked(at, "create_node", title=title, content="text")
    assert created["id"] == id
    assert created["title"] == title.strip()


async def test_creating_what_exists_is_refused_whatever_the_case(desk: OpenDesk) -> None:
    at = await desk({"Idea.md": "old"}, **ALLOW)
    assert (await refused(at, "create_node", title="Idea", content="new"))[0] == "NODE_EXISTS"
    assert await file_text(at, "Idea.md") == "old"


async def test_content_and_tags_are_replaced_and_other_properties_kept(desk: OpenDesk) -> None:
    at = await desk({"a.md": "---\nstatus: draft # mine\ntags: [x]\n---\n\nold text\n"}, **ALLOW)
    node = await asked(at, "update_node", id="a.md", content="new text\n", tags=["y", "#z"])
    assert node["content"] == "new text\n"
    assert node["tags"] == ["y", "z"]
    text = await file_text(at, "a.md")
    assert text.startswith("---\nstatus: draft # mine\ntags:")
    assert text.endswith("---\n\nnew text\n")
    bare = await asked(at, "update_node", id="a.md", tags=[])
    assert bare["tags"] == []
    assert await file_text(at, "a.md") == "---\nstatus: draft # mine\n---\n\nnew text\n"


async def test_a_new_title_renames_and_every_link_follows(desk: OpenDesk) -> None:
    at = await desk(
        {
            "notes/old-draft.md": "# Old Draft\n\nself [[old-draft]]\n",
            "notes/b.md": "[[old-draft]] ![[old-draft#Part|shown]] [x](old-draft.md)\n",
            "c.md": "[[notes/old-draft]] [y](notes/old-draft.md#part)\n",
        },
        **ALLOW,
    )
    node = await asked(at, "update_node", id="notes/old-draft.md", title="New Title")
    assert node["id"] == "notes/new-title.md"
    assert node["title"] == "New Title"
    assert "_warnings" not in node
    assert await file_text(at, "notes/new-title.md") == "# New Title\n\nself [[new-title]]\n"
    assert await file_text(at, "notes/b.md") == (
        "[[new-title]] ![[new-title#Part|shown]] [x](new-title.md)\n"
    )
    assert await file_text(at, "c.md") == ("[[notes/new-title]] [y](notes/new-title.md#part)\n")
    into = await asked(at, "get_neighbors", id="notes/new-title.md", direction="in")
    assert [each["id"] for each in into] == ["c.md", "notes/b.md"]
    assert (await at.blocks("get_node", id="notes/old-draft.md"))[0] == "null"


async def test_a_rename_repeated_by_a_retry_answers_as_the_first_did(desk: OpenDesk) -> None:
    at = await desk({"a.md": "# A\n"}, **ALLOW)
    change = {"id": "a.md", "title": "Better", "content": "# A\n\nmore\n", "tags": ["t"]}
    first = await asked(at, "update_node", **change)
    assert (first["id"], first["title"]) == ("better.md", "Better")
    assert await asked(at, "update_node", **change) == first


async def test_the_new_name_is_spelled_in_the_style_of_the_old(desk: OpenDesk) -> None:
    at = await desk({"Deep Thought.md": "text", "see.md": "[[Deep Thought]]"}, **ALLOW)
    node = await asked(at, "update_node", id="Deep Thought.md", title="Deeper Thought")
    assert (node["id"], node["title"]) == ("Deeper Thought.md", "Deeper Thought")
    assert await file_text(at, "Deeper Thought.md") == "text"
    assert await file_text(at, "see.md") == "[[Deeper Thought]]"


async def test_renaming_onto_another_note_is_refused(desk: OpenDesk) -> None:
    at = await desk({"a.md": "one", "taken.md": "two", "c.md": "[[a]]"}, **ALLOW)
    assert (await refused(at, "update_node", id="a.md", title="Taken"))[0] == "NODE_EXISTS"
    assert await file_text(at, "a.md") == "one"
    assert await file_text(at, "taken.md") == "two"
    assert await file_text(at, "c.md") == "[[a]]"


async def test_ambiguous_links_are_left_and_reported(desk: OpenDesk) -> None:
    at = await desk(
        {"x/same.md": "1", "y/same.md": "2", "top.md": "[[same]]", "x/near.md": "[[same]]"},
        **ALLOW,
    )
    node = await asked(at, "update_node", id="x/same.md", title="Other")
    assert node["_warnings"] == ["Link left as it was, top.md: [[same]]"]
    assert await file_text(at, "top.md") == "[[same]]"
    assert await file_text(at, "x/near.md") == "[[other]]"


async def test_updating_what_is_not_there_says_so(desk: OpenDesk) -> None:
    at = await desk({"notes/a.md": "x"}, **ALLOW)
    code, message = await refused(at, "update_node", id="notes/aa.md", title="T")
    assert code == "NODE_NOT_FOUND"
    assert "notes/aa.md" in message


async def test_a_deleted_node_goes_to_the_trash(desk: OpenDesk) -> None:
    at = await desk({"a.md": "words", "b.md": "[[a]]"}, **ALLOW)
    assert await asked(at, "delete_node", id="a.md") == {"deleted": True}
    assert (at.folder / ".trash" / "a.md").read_text() == "words"
    assert await asked(at, "get_node", id="a.md") is None
    assert await asked(at, "delete_node", id="a.md") == {"deleted": False}


@pytest.mark.parametrize(
    ("operation", "tool", "arguments"),
    [
        ("create", "create_node", {"title": "n", "content": "x"}),
        ("update", "update_node", {"id": "a.md", "content": "x"}),
        ("rename", "update_node", {"id": "a.md", "title": "x"}),
        ("delete", "delete_node", {"id": "a.md"}),
    ],
)
async def test_a_policy_of_deny_is_obeyed(
    desk: OpenDesk, operation: str, tool: str, arguments: dict[str, Any]
) -> None:
    at = await desk({"a.md": "words"}, **(ALLOW | {operation: "deny"}))
    code, message = await refused(at, tool, **arguments)
    assert code == "PERMISSION_DENIED"
    assert message.startswith("User denied permission")
    assert [each.name for each in at.folder.glob("*.md")] == ["a.md"]
    assert await file_text(at, "a.md") == "words"


async def test_a_person_is_asked_for_text_and_title_each(desk: OpenDesk) -> None:
    person = Person(["once", "once"])
    at = await desk({"a.md": "words", "b.md": "[[a]]"}, person=person)
    node = await asked(at, "update_node", id="a.md", title="Named", content="other\n")
    assert node["id"] == "named.md"
    assert len(person.asked) == 2
    assert "update a.md" in person.asked[0]
    assert "rename a.md to named.md" in person.asked[1]
    assert await file_text(at, "b.md") == "[[named]]"


async def test_a_parked_rename_is_done_on_approval_and_told_to_the_next_call(
    desk: OpenDesk,
) -> None:
    at = await desk({"a.md": "words", "b.md": "[[a]]"})
    change = {"id": "a.md", "title": "Named"}
    code, message = await refused(at, "update_node", **change)
    assert code == "PERMISSION_DENIED"
    assert "approval" in message
    (parked,) = await at.vault.permissions.waiting()
    assert parked.operation == "rename"
    await at.vault.permissions.approve(parked.id, "ana")
    assert (await asked(at, "update_node", **change))["id"] == "named.md"
    assert await file_text(at, "b.md") == "[[named]]"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_text_and_title_wait_together_and_are_approved_in_any_order(
    desk: OpenDesk, order: tuple[int, int]
) -> None:
    at = await desk({"a.md": "words\n", "b.md": "[[a]]"})
    change = {"id": "a.md", "title": "Named", "content": "other\n"}
    for _ in range(2):
        code, message = await refused(at, "update_node", **change)
        assert code == "PERMISSION_DENIED"
        assert "this update and this rename need a person's approval" in message
        assert "They wait as numbers 1 and 2." in message
    waiting = await at.vault.permissions.waiting()
    assert [one.operation for one in waiting] == ["update", "rename"]
    for place in order:
        await at.vault.permissions.approve(waiting[place].id, "ana")
    assert (await asked(at, "update_node", **change))["id"] == "named.md"
    assert "other\n" in await file_text(at, "named.md")
    assert await file_text(at, "b.md") == "[[named]]"


async def test_text_and_title_are_approved_as_one(desk: OpenDesk) -> None:
    at = await desk({"a.md": "# Heading\n", "b.md": "[[a]]"})
    change = {"id": "a.md", "title": "Named", "content": "# Heading\n\nother\n"}
    await refused(at, "update_node", **change)
    numbers = [one.id for one in await at.vault.permissions.waiting()]
    await at.vault.sets.answers.give("ana", approved=numbers)
    assert (await asked(at, "update_node", **change))["id"] == "named.md"
    assert await file_text(at, "named.md") == "# Named\n\nother\n"
    assert await file_text(at, "b.md") == "[[named]]"


async def test_a_rename_that_needs_no_question_follows_its_text(desk: OpenDesk) -> None:
    at = await desk({"a.md": "words\n"}, rename="allow")
    change = {"id": "a.md", "title": "Named", "content": "other\n"}
    _, message = await refused(at, "update_node", **change)
    assert "this update needs a person's approval" in message
    (waiting,) = await at.vault.permissions.waiting()
    await at.vault.permissions.approve(waiting.id, "ana")
    assert (await asked(at, "update_node", **change))["id"] == "named.md"


async def test_a_text_does_not_wait_for_a_title_that_cannot_be(desk: OpenDesk) -> None:
    at = await desk({"a.md": "words\n", "taken.md": "x"})
    code, _ = await refused(at, "update_node", id="a.md", title="Taken", content="other\n")
    assert code == "NODE_EXISTS"
    assert await at.vault.permissions.waiting() == []


async def test_create_node_under_suggest_leaves_a_suggestion(desk: OpenDesk) -> None:
    at = await desk({}, create="suggest")
    node = await asked(at, "create_node", title="Idea", content="A thought.\n")
    assert node["content"] == "A thought.\n"
    assert "{++" in await file_text(at, "idea.md")


async def test_read_only_hides_what_writes(desk: OpenDesk) -> None:
    from commonplace.tools import graph
    from commonplace.tools.table import Toolbox
    from commonplace.vault.nodes.docstore import DocStore

    at = await desk({"a.md": "x"})
    offered = {tool.name for tool in Toolbox(graph.tools(DocStore(at.vault)), read_only=True).tools}
    assert not {"create_node", "update_node", "delete_node"} & offered
    assert "get_node" in offered


def test_the_published_schemas_are_those_of_the_contract() -> None:
    from commonplace.tools.table import definition

    bounds = {
        "search": {"limit": (1, 50, 10)},
        "get_node": {"depth": (0, 1, 0)},
        "get_neighbors": {"limit": (1, 50, 20)},
        "get_hubs": {"limit": (1, 50, 10)},
        "search_by_tags": {"limit": (1, 100, 20)},
    }
    for name, numbers in bounds.items():
        properties: Any = definition(name).input_schema["properties"]
        for key, (least, most, default) in numbers.items():
            found = properties[key]
            assert (found["minimum"], found["maximum"], found["default"]) == (least, most, default)
    for name in ("create_node", "update_node", "delete_node", "find_path", "random_node"):
        assert json.dumps(definition(name).published)
