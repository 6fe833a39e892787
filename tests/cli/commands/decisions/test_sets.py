"""`commonplace sets`, and `review` by set, as a person runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings, vault_key
from tests.cli.commands.decisions.test_review import at_terminal
from tests.cli.test_many_processes import LEGACY
from tests.server.processes import Client, Process
from tests.vault.sets.deciding import create, delete, edit
from tests.wait import until

pytestmark = pytest.mark.slow

COMMONPLACE = (sys.executable, "-m", "commonplace")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("A red folder.\n")
    (folder / "b.md").write_text("Calm.\n")
    (folder / "hand.md").write_text("By {++my own ++}hand.\n")
    anyio.run(_work, tmp_path, folder)
    return folder


async def _work(tmp_path: Path, folder: Path) -> None:
    roots = (Root("notes", folder),)
    state = Settings(roots, tmp_path / "state" / vault_key(roots))
    async with open_vault(state) as opened:
        await opened.indexer.settled()
        await opened.sets.kept.describe("process:1", "Claude", "Colours", "They were wrong.")
        await edit(opened, "a.md", "red", "green \u202e")
        await create(opened, "New.md", "Hello.\n")
        await delete(opened, "b.md")


def run(tmp_path: Path, vault: Path, *words: str, code: int = 0) -> Any:
    command, *rest = words
    done = subprocess.run(
        [*COMMONPLACE, "sets", command, *rest, str(vault), "--state", str(tmp_path / "state")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == code, done.stderr
    return done


def test_a_set_is_listed_shown_accepted_and_undone(tmp_path: Path, vault: Path) -> None:
    before = {path.name: path.read_text() for path in vault.glob("*.md")}
    listed = run(tmp_path, vault, "list").stdout
    assert "1  Colours  Claude  (" in listed
    assert "0  by hand  (ready; 1 note +" in listed
    assert "1970" not in listed
    shown = run(tmp_path, vault, "show", "1").stdout
    assert "! a.md: invisible (U+202E)" in shown
    assert "! b.md: deletes" in shown
    assert "{--red--}{++green <U+202E>++}" in shown
    assert "They were wrong." in shown
    undo = f"Undo: commonplace sets undo 1 {vault} --state {tmp_path / 'state'}"
    assert f"3 accepted. {undo}" in run(tmp_path, vault, "accept", "1").stderr
    assert sorted(path.name for path in vault.glob("*.md")) == ["New.md", "a.md", "hand.md"]
    assert "Nothing in set 1 waits." in run(tmp_path, vault, "accept", "1", code=2).stderr
    found = json.loads(run(tmp_path, vault, "undo", "1", "--json").stdout)
    assert found["undone"]["count"] == 3
    assert {path.name: path.read_text() for path in vault.glob("*.md")} == before
    run(tmp_path, vault, "reject", "1", "--path", "a.md", "--reason", "It IS red")
    assert (vault / "a.md").read_text() == "A red folder.\n"
    (row, _) = json.loads(run(tmp_path, vault, "list", "--json").stdout)["sets"]
    assert (row["state"], row["rejected"], row["waiting"]) == ("partly decided", 1, 2)


def test_review_goes_by_set_and_says_what_is_risky(tmp_path: Path, vault: Path) -> None:
    shown = at_terminal(tmp_path, vault, b"y\rs\r", NO_COLOR="1")
    assert "Set 1: Colours  (Claude, 3 changes wait)" in shown
    assert "! a.md: invisible" in shown
    assert f"It asks 2 questions: commonplace sets show 1 {vault}" in shown
    assert shown.index("Set 1") < shown.index("a.md:1") < shown.index("hand.md:1")
    assert (vault / "a.md").read_text() == "A green \u202e folder.\n"


def test_history_tells_of_a_set_here_and_through_an_owner(tmp_path: Path, vault: Path) -> None:
    run(tmp_path, vault, "reject", "1", "--path", "a.md", "--reason", "folder IS red")
    words = [str(vault), "--state", str(tmp_path / "state"), "--set", "1"]
    env = {**os.environ, "NO_COLOR": "1"}

    def history(*more: str) -> str:
        told = subprocess.run(
            [*COMMONPLACE, "history", *words, *more],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env=env,
        )
        return told.stdout

    said = history()
    assert said.startswith("Set 1  Colours  (partly decided)\n")
    assert '("folder IS red")' in said
    assert "  b.md, delete: waiting\n" in said
    with Client(*COMMONPLACE, "mcp", *words[:3]) as owner:
        owner.call("initialize", **LEGACY)
        owner.tell({"method": "notifications/initialized"})
        owner.call("tools/call", name="list_notes", arguments={})
        found = json.loads(history("--json"))
        assert {each["state"] for each in found["changes"]} == {"waiting", "rejected"}


def test_an_assistant_over_stdio_is_told_where_the_page_is(tmp_path: Path, vault: Path) -> None:
    words = [str(vault), "--state", str(tmp_path / "state")]

    def described(client: Client) -> str:
        arguments = {"title": "Terms"}
        found = client.call("tools/call", name="describe_changes", arguments=arguments)
        return found["content"][0]["text"]

    with Client(*COMMONPLACE, "mcp", *words) as client:
        client.call("initialize", **LEGACY)
        client.tell({"method": "notifications/initialized"})
        assert "nobody serves now: `commonplace serve` opens it" in described(client)
        with Process(*COMMONPLACE, "serve", *words, "--port", "0", "--no-open", "--json") as served:
            until(lambda: served.out)
            url = json.loads(served.out[0])["url"]
            until(lambda: described(client).endswith(f"on the page: {url}/#set!2"))
        until(lambda: "nobody serves now" in described(client))
    with Process(*COMMONPLACE, "serve", *words, "--port", "0", "--no-open", "--json") as owner:
        until(lambda: owner.out)
        url = json.loads(owner.out[0])["url"]
        with Client(*COMMONPLACE, "mcp", *words) as client:
            client.call("initialize", **LEGACY)
            client.tell({"method": "notifications/initialized"})
            assert f"on the page: {url}/#set!" in described(client)
