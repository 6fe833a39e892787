"""Writes that wait, approved from the command line; notes taken back out of the trash."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands.test_commands import INITIALIZE, Run, environ, run, start, vault
from tests.server.processes import Client

pytestmark = pytest.mark.slow

__all__ = ["environ", "run", "start", "vault"]

NEW = {"path": "New.md", "content": "# New\n"}


def assistant(start: Callable[..., Client], *flags: str) -> Client:
    client = start("mcp", *flags)
    client.call("initialize", **INITIALIZE)
    client.tell({"method": "notifications/initialized"})
    return client


def leave(client: Client) -> None:
    client.close_stdin()
    client.wait()


def call(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    answer = client.call("tools/call", name=tool, arguments=arguments)
    return answer.get("isError", False), answer["content"][0]["text"]


def test_a_write_is_parked_approved_from_the_command_line_and_applied_once(
    run: Run, start: Callable[..., Client], vault: Path
):
    client = assistant(start)
    failed, text = call(client, "create_note", **NEW)
    assert failed
    assert "on the page, under Approvals" in text
    assert "--approve" not in text
    listed = run("approvals")
    assert listed.stdout.startswith("1  test wants to create New.md (6 bytes, 1 word)")
    assert "    +# New\n" in listed.stdout
    (row,) = json.loads(run("approvals", "--json").stdout)["approvals"]
    assert (row["id"], row["operation"], row["path"], row["who"]) == (1, "create", "New.md", "test")
    assert run("approvals", "--approve", "1").stderr.endswith("1: approved.\n")
    assert (vault / "New.md").read_text() == "# New\n"
    assert "decided already" in run("approvals", "--approve", "1", code=1).stderr
    failed, text = call(client, "create_note", **NEW)
    assert (failed, json.loads(text)["status"]) == (False, "created")
    assert "exists already" in call(client, "create_note", **NEW)[1]
    assert "Nothing waits." in run("approvals").stderr
    written = [line for line in run("status").stdout.splitlines() if line.startswith("write")]
    assert written[0].split("test: ", 1)[1].startswith("create New.md (once, by ")


def test_a_write_waits_for_days_after_its_owner_has_gone(
    run: Run, start: Callable[..., Client], vault: Path
):
    client = assistant(start)
    call(client, "delete_note", path="Sugar.md")
    call(client, "update_note", path="Photosynthesis.md", content="# Changed\n")
    leave(client)
    listed = run("approvals").stdout
    assert "delete Sugar.md (it goes to the trash). No other note links to it." in listed
    run("approvals", "--approve", "1", "--deny", "2")
    assert not (vault / "Sugar.md").exists()
    assert (vault / "Photosynthesis.md").read_text().startswith("# Photosynthesis")
    assert call(
        assistant(start), "update_note", path="Photosynthesis.md", content="# Changed\n"
    ) == (
        True,
        "User denied permission",
    )


def test_several_are_approved_as_one_or_not_at_all(
    run: Run, start: Callable[..., Client], vault: Path
):
    client = assistant(start)
    call(client, "create_note", **NEW)
    call(client, "delete_note", path="Sugar.md")
    (vault / "New.md").write_text("# Taken\n")
    failed = run("approvals", "--approve", "2", "--approve", "1", code=1).stderr
    assert "Write 1 cannot be done: New.md exists already" in failed
    assert failed.rstrip().endswith("None of them was decided.")
    assert (vault / "Sugar.md").exists()
    (vault / "New.md").unlink()
    answers = run("approvals", "--approve", "2", "--approve", "1").stderr
    assert answers.endswith("2: approved.\n1: approved.\n")
    assert (vault / "New.md").read_text() == "# New\n"
    assert not (vault / "Sugar.md").exists()


def test_a_deleted_note_is_listed_and_restored(run: Run, vault: Path, start: Callable[..., Client]):
    client = assistant(start, "--policy", "delete=allow,delete:Keep/**=deny")
    assert call(client, "delete_note", path="Sugar.md")[0] is False
    assert run("trash").stdout.startswith(".trash/Sugar.md  (deleted ")
    assert json.loads(run("trash", "--json").stdout)["trash"][0]["who"] == "test"
    both = run("trash", "--list", "--restore", ".trash/Sugar.md", code=2).stderr
    assert "--list restores nothing" in both
    assert not (vault / "Sugar.md").exists()
    assert "Restored Sugar.md." in run("trash", "--restore", ".trash/Sugar.md").stderr
    assert (vault / "Sugar.md").exists()
    leave(client)
    assert "The trash is empty." in run("trash").stderr
    missing = run("trash", "--restore", ".trash/Sugar.md", code=2).stderr
    assert "There is no .trash/Sugar.md in the trash" in missing


def test_flags_that_contradict_are_refused(run: Run):
    assert "not both" in run("approvals", "--approve", "1", "--deny", "1", code=2).stderr
    assert (
        "No write with the number 9 is waiting" in run("approvals", "--approve", "9", code=2).stderr
    )
    assert "is not one of" in run("approvals", "--approve", "9", "--scope", "ever", code=2).stderr
