"""A note that an assistant only suggested to create is gone when a person rejects it."""

import json

import pytest

from tests.tools.conftest import Desk, OpenDesk

pytestmark = pytest.mark.anyio

NEW = {"path": "New/idea.md", "content": "# Idea\n\nText.\n", "frontmatter": {"tags": ["x"]}}


async def reject(at: Desk, path: str) -> str:
    ids = [one.id for one in await at.vault.pending.listed(path)]
    return (await at.vault.review.decide("reject", {path: ids}, "Anna")).undo


async def test_a_rejected_creation_goes_to_the_trash_and_its_name_is_free(
    desk: OpenDesk,
) -> None:
    at = await desk({"a.md": "a\n"}, create="suggest")
    assert json.loads(await at.call("create_note", **NEW))["status"] == "suggested"
    await reject(at, "New/idea.md")
    assert not (at.folder / "New/idea.md").exists()
    (kept,) = await at.vault.trash.listed()
    assert (kept.path, kept.who) == ("New/idea.md", "Anna")
    assert "# Idea" in (at.folder / kept.trash).read_text("utf-8")
    assert json.loads(await at.call("create_note", **NEW | {"content": "Better.\n"}))["path"]


async def test_the_rejection_can_be_undone(desk: OpenDesk) -> None:
    at = await desk({"a.md": "a\n"}, create="suggest")
    await at.call("create_note", **NEW)
    before = (at.folder / "New/idea.md").read_text("utf-8")
    await at.vault.review.undo(await reject(at, "New/idea.md"))
    assert (at.folder / "New/idea.md").read_text("utf-8") == before
    assert len(await at.vault.pending.listed("New/idea.md")) == 1
    assert await at.vault.trash.listed() == []


async def test_an_empty_note_of_a_person_stays_when_a_text_for_it_is_rejected(
    desk: OpenDesk,
) -> None:
    at = await desk({"a.md": ""})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="", new_string="Text.\n")
    await reject(at, "a.md")
    assert (at.folder / "a.md").read_text("utf-8") == ""


async def test_a_creation_that_was_accepted_stays(desk: OpenDesk) -> None:
    at = await desk({"a.md": "a\n"}, create="suggest")
    await at.call("create_note", **NEW)
    ids = [one.id for one in await at.vault.pending.listed("New/idea.md")]
    await at.vault.review.decide("accept", {"New/idea.md": ids}, "Anna")
    assert (at.folder / "New/idea.md").read_text("utf-8").endswith("# Idea\n\nText.\n")
