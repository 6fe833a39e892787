"""History, blame, restoring and undo from the command line, beside an owner and without one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.commands.decisions.test_approvals import assistant, call
from tests.cli.commands.test_commands import Run, environ, run, start, vault
from tests.server.processes import Client

pytestmark = pytest.mark.slow

__all__ = ["environ", "run", "start", "vault"]


def test_what_an_assistant_did_is_listed_and_taken_back(
    run: Run, start: Callable[..., Client], vault: Path
):
    before = (vault / "Sugar.md").read_text()
    client = assistant(start, "--policy", "update=allow,create=allow")
    assert not call(client, "create_note", path="New.md", content="# New\n")[0]
    call(client, "read", file_path="Sugar.md")
    word = next(word for word in before.split() if word.isalpha() and before.count(word) == 1)
    edit = {"file_path": "Sugar.md", "old_string": word, "new_string": "ANOTHER"}
    assert not call(client, "edit", **edit)[0]
    beside_owner = json.loads(run("history", "--json").stdout)["revisions"]
    assert [(row["cause"], row["path"]) for row in beside_owner] == [
        ("call", "Sugar.md"),
        ("create", "New.md"),
    ]
    client.close_stdin()
    client.wait()
    assert "test (assistant)  create" in run("history").stdout
    assert "test" in run("blame", "--note", "New.md").stdout
    preview = run("undo", "--by", "test")
    assert "New.md (goes to the trash)" in preview.stdout
    assert (vault / "New.md").exists()
    done = json.loads(run("undo", "--by", "test", "--yes", "--json").stdout)
    assert sorted(done["notes"]) == ["New.md", "Sugar.md"]
    assert not (vault / "New.md").exists()
    assert (vault / "Sugar.md").read_text() == before
    run("undo", "--set", done["undo"], "--yes")
    assert (vault / "New.md").read_text() == "# New\n"
    assert "ANOTHER" in (vault / "Sugar.md").read_text()
    oldest = beside_owner[0]["revision"] - 1
    assert "Sugar.md is as it was." in run("restore", "--revision", str(oldest)).stdout
    assert (vault / "Sugar.md").read_text() == before
    assert "--by NAME" in run("undo", code=2).stderr
