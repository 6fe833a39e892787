"""A write or a decision is answered when the file has it, or the answer says that it follows."""

import json
from typing import Any

import pytest

from commonplace.vault.documents.file import queue
from tests.tools.conftest import OpenDesk

pytestmark = pytest.mark.anyio

NOTES = {"a.md": "The quick fox.\n", "b.md": "The slow fox.\n"}


def in_file(at: Any, path: str = "a.md") -> str:
    return (at.folder / path).read_text("utf-8")


async def test_an_edit_stands_in_the_file_when_it_is_answered(desk: OpenDesk) -> None:
    at = await desk(NOTES)
    await at.call("read", file_path="a.md")
    said = await at.call("edit", file_path="a.md", old_string="quick", new_string="red")
    assert in_file(at) == "The {--quick--}{++red++} fox.\n"
    assert said.endswith("for human review.")


async def test_an_update_stands_in_the_file_when_it_is_answered(desk: OpenDesk) -> None:
    at = await desk(NOTES, update="allow")
    said = json.loads(await at.call("update_note", path="a.md", content="New.\n"))
    assert in_file(at) == "New.\n"
    assert said["status"] == "updated"
    assert "file" not in said
    await at.call("update_node", id="b.md", content="Newer.\n")
    assert in_file(at, "b.md") == "Newer.\n"


async def test_a_decision_stands_in_the_files_when_it_is_answered(desk: OpenDesk) -> None:
    at = await desk({"a.md": "a {--b--}{++c++}\n", "b.md": "a {--b--}{++c++}\n"})
    chosen = {row.path: [row.id] for row in await at.vault.pending.listed()}
    done = await at.vault.review.decide("accept", chosen, "Anna")
    assert (in_file(at), in_file(at, "b.md"), done.late) == ("a c\n", "a c\n", ())
    await at.vault.review.undo(done.undo)
    assert in_file(at) == "a {--b--}{++c++}\n"


async def test_what_takes_too_long_is_said_to_follow(
    desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    at: Any = await desk({**NOTES, "c.md": "a {--b--}{++c++}\n"}, update="allow")
    monkeypatch.setattr(queue, "FOLLOW_SECONDS_MAX", 0.2)
    for path in ("a.md", "b.md", "c.md"):
        await at.call("read", file_path=path)
    (one,) = await at.vault.pending.listed("c.md")
    files = at.vault.notes.queue
    # Very many files are being written: there is no turn for one more.
    for _ in range(queue.FLUSHES_MAX):
        await files._turns.acquire()
    edit = {"file_path": "a.md", "old_string": "quick", "new_string": "red"}
    said = await at.call("edit", **edit)
    assert said.endswith("Its file could not be written yet and will follow.")
    updated = json.loads(await at.call("update_note", path="b.md", content="New.\n"))
    assert updated["file"] == "could not be written yet and will follow"
    done = await at.vault.review.decide("reject", {"c.md": [one.id]}, "Anna")
    assert done.late == ("c.md",)
    assert {path: in_file(at, path) for path in ("a.md", "b.md", "c.md")} == {
        **NOTES,
        "c.md": "a {--b--}{++c++}\n",
    }
    for _ in range(queue.FLUSHES_MAX):
        files._turns.release()
    await files.flush_all()
    assert in_file(at) == "The {--quick--}{++red++} fox.\n"
    assert (in_file(at, "b.md"), in_file(at, "c.md")) == ("New.\n", "a b\n")
