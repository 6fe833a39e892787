"""The real Claude Code, with a scripted model: what it loads, does and shows of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.tools.families import ALWAYS_LOADED
from tests.foreign.claude_code.client import ClaudeCode
from tests.foreign.claude_code.model import scripted

pytestmark = pytest.mark.slow
at_release = pytest.mark.skipif(
    "COMMONPLACE_RELEASE" not in os.environ, reason="takes long: run by `make release`"
)

ROOT = Path(__file__).parents[2]
LOADED = set(ALWAYS_LOADED) - {"semantic_search"}  # which is not offered without a model
PLAN = "# Plan\n\nSow the clover in may. See [[Soil]].\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Plan.md").write_text(PLAN)
    (folder / "Soil.md").write_text("# Soil\n\nSandy.\n")
    return folder


def client(tmp_path: Path, notes: Path, *flags: str) -> ClaudeCode:
    home = tmp_path / "home"
    home.mkdir()
    words = ["-m", "commonplace", "mcp", str(notes), "--state", str(tmp_path / "state"), *flags]
    return ClaudeCode(home, {"notes": {"command": sys.executable, "args": words}})


def call(tool: str, **arguments: object) -> tuple[str, dict[str, object]]:
    return f"mcp__notes__{tool}", arguments


def test_a_whole_task_goes_by_our_tools_and_they_are_there_from_the_first_request(
    tmp_path: Path, notes: Path
):
    calls = [
        call("grep", pattern="clover", output_mode="content"),
        call("read", file_path="Plan.md"),
        call("get_links", file_path="Plan.md"),
        call("edit", file_path="Plan.md", old_string="may", new_string="May"),
        call("create_note", path="Diary.md", content="Sown."),
    ]
    with scripted(calls) as model:
        client(tmp_path, notes, "--embeddings", "none").task(model)
    assert model.offered
    assert all(names == LOADED for names in model.offered)
    found, text, links, edited, created = model.results
    assert "Sow the clover" in found
    assert text.startswith("     1\t# Plan")
    assert "Soil.md" in links
    assert edited.startswith("Edited Plan.md: replaced 3 characters.")
    assert "needs a person's approval" in created  # nobody is there to be asked
    assert (notes / "Plan.md").read_text() == PLAN.replace("may", "{--may--}{++May++}")
    assert not (notes / "Diary.md").exists()
    assert "a person may be writing in the same note" in model.told


@at_release
def test_it_uses_what_connect_wrote_into_its_settings(tmp_path: Path, notes: Path):
    home = tmp_path / "home"
    home.mkdir()
    told: dict[str, Any] = {"numStartups": 3, "projects": {"/x": {"allowedTools": []}}}
    (home / ".claude.json").write_text(json.dumps(told))
    person, words = ClaudeCode(home), ("--state", str(tmp_path / "state"), "--embeddings", "none")
    connect(home, str(notes), "--write", *words)
    assert "Connected" in person.run("mcp", "list").stdout
    with scripted([call("read", file_path="Plan.md")]) as model:
        person.task(model)
    assert model.offered[0] == LOADED
    assert model.results[0].startswith("     1\t# Plan")
    connect(home, "--remove")
    assert "notes" not in person.run("mcp", "list").stdout
    assert json.loads((home / ".claude.json").read_text())["projects"]["/x"] == {"allowedTools": []}


def connect(home: Path, *words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "commonplace", "connect", "claude", *words, "--yes"],
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        check=True,
        capture_output=True,
    )


@at_release
def test_the_plugin_installs_from_a_checkout_and_brings_tools_and_skill(
    tmp_path: Path, notes: Path
):
    home = tmp_path / "home"
    home.mkdir()
    person = ClaudeCode(home)
    flags = ("--marketplace", str(ROOT), "--config", f"vault={notes}", "-y")
    done = person.run("plugin", "install", "commonplace", *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    with scripted([("mcp__plugin_commonplace_notes__grep", {"pattern": "clover"})]) as model:
        person.task(model)
    assert model.offered[0] >= LOADED
    assert model.results == ["Plan.md"]
    assert "shared-vault" in model.told


@at_release
@pytest.mark.parametrize("folder", [".", "plugin"])
def test_it_finds_no_fault_in_the_plugin(tmp_path: Path, folder: str):
    done = ClaudeCode(tmp_path).run("plugin", "validate", str(ROOT / folder))
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout


def test_without_the_mark_it_hides_them_all(tmp_path: Path, notes: Path):
    with scripted([]) as model:
        client(tmp_path, notes, "--always-load", "none").task(model)
    assert model.offered
    assert model.offered == [set()] * len(model.offered)


def test_it_shows_the_question_by_its_title_and_brings_back_the_answer(tmp_path: Path, notes: Path):
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        allowed = request.get("title") == "Create Diary/Today.md"
        return {"action": "accept", "content": {"allow": "once" if allowed else "no"}}

    calls = [
        call("create_note", path="Diary/Today.md", content="Sown.\n"),
        call("create_note", path="Diary/Other.md", content="Not wanted.\n"),
    ]
    with scripted(calls) as model:
        asked = client(tmp_path, notes).conversation(model, answer)
    first, second = asked
    assert (first["subtype"], first["mcp_server_name"]) == ("elicitation", "notes")
    assert (first["title"], first["display_name"]) == ("Create Diary/Today.md", "Commonplace")
    assert first["description"] == "claude-code wants to create Diary/Today.md (6 bytes, 1 word)"
    assert first["message"].endswith("@@ line 1 @@\n+Sown.")
    assert second["title"] == "Create Diary/Other.md"
    created, denied = model.results
    assert json.loads(created)["status"] == "created"
    assert denied == "User denied permission"
    assert [file.name for file in (notes / "Diary").iterdir()] == ["Today.md"]
