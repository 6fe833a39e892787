"""The first minute: help without being asked, what was found, a browser where there is a screen."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.cli import welcome
from commonplace.cli.welcome import describe, has_screen, programs
from commonplace.vault.settings import Root, Settings
from tests.server.processes import PATIENCE
from tests.terminal import terminal
from tests.wait import until

COMPLETED = """
complete -p commonplace > /dev/null || exit
COMP_WORDS=(commonplace conn) COMP_CWORD=1 COMPREPLY=(); _commonplace_completion commonplace
echo "${COMPREPLY[@]}"
COMP_WORDS=(commonplace model i) COMP_CWORD=2 COMPREPLY=(); _commonplace_completion commonplace
echo "${COMPREPLY[@]}"
"""
"""What bash does when somebody presses Tab."""


def status(**counts: int) -> dict[str, Any]:
    index = {"notes": 0, "links": 0, "unresolved": 0, **counts}
    return {"current": True, "building": None, "unindexed": None, "index": index}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
@pytest.mark.parametrize("page", ["README.md", "demo/Reference/Command line.md"])
def test_the_line_that_is_documented_completes_in_a_real_bash(page: str):
    text = (Path(__file__).parents[2] / page).read_text("utf-8")
    (line,) = re.findall(r"`(eval .*bash_source.*?)`", text)
    here = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{line}\n{COMPLETED}"],
        env={"PATH": here, "HOME": "/nowhere"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["connect", "install"]


def test_what_was_found_is_said_in_a_line():
    found = describe(status(notes=1200, links=1, unresolved=1), ["Obsidian", "git"])
    assert found == (
        "found 1,200 notes, 1 link, 1 of them unresolved; "
        "Obsidian, git may go on beside this, untouched."
    )
    assert describe(status(notes=1), []) == "found 1 note, 0 links."
    assert describe(status(), ["git"]).startswith("no notes here yet")
    building = {"building": {"read": 10, "todo": 2000}}
    assert describe(building, []) == "reading your notes: 10 of 2,000 so far."
    unread = status() | {"current": False, "unindexed": 2000}
    assert describe(unread, []) == "reading your notes: 0 of 2,000 so far."


def test_other_programs_are_known_by_what_they_leave(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".obsidian").mkdir()
    assert programs([tmp_path]) == ["Obsidian", "git"]
    assert programs([tmp_path / "nowhere"]) == []


def test_a_browser_opens_only_where_it_can_be_seen(monkeypatch: pytest.MonkeyPatch):
    assert not has_screen({"DISPLAY": ":0"}, "linux"), "pytest is no terminal"
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    assert has_screen({"DISPLAY": ":0"}, "linux")
    assert has_screen({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert has_screen({}, "darwin")
    assert not has_screen({}, "linux")
    assert not has_screen({"DISPLAY": ":0", "SSH_CONNECTION": "1"}, "linux")


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--no-open",)])
def test_on_a_terminal_serve_says_where_to_look_and_opens_it(tmp_path: Path, flags: tuple[str]):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "Bees.md").write_text("# Bees\n\n[[Clover]]\n")
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f"#!/bin/sh\nprintf %s \"$1\" > '{opened}'\n")
    browser.chmod(0o755)
    words = ["serve", str(notes), "--port", "0", "--state", str(tmp_path / "state"), *flags]
    env = {**os.environ, "BROWSER": f"{browser} %s", "DISPLAY": ":9"}
    env.pop("SSH_CONNECTION", None)
    command = [sys.executable, "-m", "commonplace", *words]
    with terminal(command, env, tmp_path) as shown:
        said = shown.wait_for("found 1 note, 1 link, 1 of them unresolved.")
        (url,) = re.findall(r"serving at (http://127\.0\.0\.1:\d+) ", said)
        if flags:
            assert not opened.exists()
        else:
            until(lambda: opened.exists() and opened.read_text() == url)


def test_what_was_found_is_said_once_the_server_answers_and_has_looked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    unread = status() | {"current": False}
    answers: list[dict[str, Any] | None] = [None, unread, status(notes=1)]

    def answer(_: str) -> dict[str, Any] | None:
        return answers.pop(0)

    monkeypatch.setattr(welcome, "_status", answer)
    welcome.tell("http://127.0.0.1", Settings((Root("notes", tmp_path),), tmp_path / "state"))
    assert "found 1 note, 0 links." in capsys.readouterr().err
